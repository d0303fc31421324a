"""The names of one TypeScript file: its constants, functions, imports and exports, as syntax; nothing is run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import tree_sitter_typescript
from tree_sitter import Language, Node, Parser

FUNCTIONS = frozenset({"arrow_function", "function_expression", "function_declaration"})
DECLARATIONS = frozenset({"lexical_declaration", "variable_declaration", "function_declaration"})
_CHANGING = frozenset({"push", "unshift", "splice", "sort", "reverse", "pop", "shift"})


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_typescript.language_typescript()))


@dataclass(frozen=True, slots=True)
class Import:
    """What a local name stands for in another file; ``name`` is ``default`` or ``*`` for these two forms."""

    file: str
    name: str


class TypeScript:
    """One file: what each name at its top level is."""

    def __init__(self, source: str) -> None:
        self._bytes = source.encode()
        self.root = _parser().parse(self._bytes).root_node
        self.values: dict[str, Node] = {}
        """The expression of each constant, and the declaration of each function."""
        self.imports: dict[str, Import] = {}
        self.exports: dict[str, Node | str] = {}
        """The expression that each exported name has, or the local name that it stands for."""
        self.changed: set[str] = set()
        """Names that are assigned to, or filled, after they are declared."""
        for statement in self.root.named_children:
            self._declare(statement)
        for node in walk(self.root):
            self._note_change(node)

    def text(self, node: Node) -> str:
        """The source of a node."""
        return self._bytes[node.start_byte : node.end_byte].decode()

    def pairs(self, key: str) -> Iterator[Node]:
        """The values of every property called ``key``, outermost first, in the order of the file."""
        for node in walk(self.root):
            if node.type == "pair" and (name := node.child_by_field_name("key")) and self.key(name) == key:
                value = node.child_by_field_name("value")
                if value is not None:
                    yield value
            elif node.type == "shorthand_property_identifier" and self.text(node) == key:
                yield node

    def key(self, node: Node) -> str:
        """The name of a property, without quotes."""
        return self.text(node).strip("'\"`")

    def declared(self, statement: Node) -> Iterator[tuple[str, Node]]:
        """The names that a declaration makes, each with its expression."""
        if statement.type == "function_declaration" and (name := statement.child_by_field_name("name")):
            yield self.text(name), statement
        for child in statement.named_children:
            name, value = child.child_by_field_name("name"), child.child_by_field_name("value")
            if child.type == "variable_declarator" and name and value:
                yield self.text(name), value

    def _declare(self, statement: Node) -> None:
        if statement.type in DECLARATIONS:
            self.values.update(self.declared(statement))
        elif statement.type == "import_statement":
            self.imports.update(self._imported(statement))
        elif statement.type == "export_statement":
            self._export(statement)

    def _export(self, statement: Node) -> None:
        declaration, value = statement.child_by_field_name("declaration"), statement.child_by_field_name("value")
        default = any(child.type == "default" for child in statement.children)
        if declaration is not None:
            self.values.update(self.declared(declaration))
            self.exports.update({name: name for name, _ in self.declared(declaration)})
        exported = value or declaration
        if default and exported is not None:
            self.exports["default"] = exported
        for specifier in walk(statement) if value is None and declaration is None else ():
            name, alias = specifier.child_by_field_name("name"), specifier.child_by_field_name("alias")
            if specifier.type == "export_specifier" and name:
                self.exports[self.text(alias or name)] = self.text(name)
                self.imports.update(self._reexported(statement, self.text(name)))

    def _reexported(self, statement: Node, name: str) -> dict[str, Import]:
        source = statement.child_by_field_name("source")
        return {name: Import(self.key(source), name)} if source else {}

    def _imported(self, statement: Node) -> Iterator[tuple[str, Import]]:
        source = statement.child_by_field_name("source")
        clause = next((child for child in statement.named_children if child.type == "import_clause"), None)
        if source is None or clause is None:
            return
        file = self.key(source)
        for child in walk(clause):
            if child.type == "import_specifier" and (name := child.child_by_field_name("name")):
                yield self.text(child.child_by_field_name("alias") or name), Import(file, self.text(name))
            elif child.type == "namespace_import":
                yield self.text(child.named_children[0]), Import(file, "*")
            elif child.type == "identifier" and child.parent == clause:
                yield self.text(child), Import(file, "default")

    def _note_change(self, node: Node) -> None:
        """Notes ``x = ...``, ``x.y = ...``, ``x.push(...)``."""
        target = None
        if node.type in ("assignment_expression", "augmented_assignment_expression"):
            target = node.child_by_field_name("left")
        elif node.type == "call_expression" and (function := node.child_by_field_name("function")):
            method = function.child_by_field_name("property")
            target = function.child_by_field_name("object") if method and self.text(method) in _CHANGING else None
        while target is not None and target.type in ("member_expression", "subscript_expression"):
            target = target.child_by_field_name("object")
        if target is not None and target.type == "identifier":
            self.changed.add(self.text(target))


def walk(node: Node) -> Iterator[Node]:
    """The node and everything below it, in the order of the file."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        stack.extend(reversed(current.named_children))
