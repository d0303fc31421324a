"""Literals in TypeScript, read without running it: objects, arrays, strings, constants, spreads."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import tree_sitter_typescript
from tree_sitter import Language, Node, Parser

_WRAPPERS = frozenset({"as_expression", "satisfies_expression", "parenthesized_expression", "non_null_expression"})


class Unread:
    """An expression that is no literal; it names itself, so that a report can say what was not read."""

    def __init__(self, node: Node, words: str) -> None:
        self.words = f"line {node.start_point.row + 1}: {words}"


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_typescript.language_typescript()))


class TypeScript:
    """One file: its constants and functions by name, and the values of its expressions."""

    def __init__(self, source: str) -> None:
        self._bytes = source.encode()
        self.root = _parser().parse(self._bytes).root_node
        self._constants: dict[str, Node] = {}
        self._functions: dict[str, Node] = {}
        for node in walk(self.root):
            name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
            if node.type == "variable_declarator" and name and value:
                self._constants.setdefault(self.text(name), value)
                if value.type in ("arrow_function", "function_expression"):
                    self._functions.setdefault(self.text(name), value)
            elif node.type == "function_declaration" and name:
                self._functions.setdefault(self.text(name), node)

    def text(self, node: Node) -> str:
        """The source of a node."""
        return self._bytes[node.start_byte : node.end_byte].decode()

    def pairs(self, key: str) -> Iterator[Any]:
        """The values of every property called ``key``, outermost first, in the order of the file."""
        for node in walk(self.root):
            if node.type == "pair" and (name := node.child_by_field_name("key")) and self._key(name) == key:
                value = node.child_by_field_name("value")
                yield self.value(value) if value else None
            elif node.type == "shorthand_property_identifier" and self.text(node) == key:
                yield self._named(node, frozenset())

    def constant(self, name: str) -> Any:
        """The value of a constant; None where there is none of this name."""
        return self.value(self._constants[name]) if name in self._constants else None

    def value(self, node: Node, seen: frozenset[str] = frozenset()) -> Any:
        """The value of an expression: dict, list, str, bool, float, None, or Unread."""
        match node.type:
            case kind if kind in _WRAPPERS:
                return self.value(node.named_children[0], seen)
            case "identifier":
                return self._named(node, seen)
            case "object":
                return self._object(node, seen)
            case "array":
                return self._array(node, seen)
            case "string":
                return "".join(self._piece(child) for child in node.named_children)
            case "template_string" if not any(child.type == "template_substitution" for child in node.named_children):
                return self.text(node)[1:-1]
            case "true" | "false":
                return node.type == "true"
            case "number":
                return float(self.text(node).replace("_", ""))
            case "null" | "undefined":
                return None
            case "call_expression":
                return self._call(node, seen)
            case _:
                return Unread(node, self.text(node)[:60])

    def _named(self, node: Node, seen: frozenset[str]) -> Any:
        name = self.text(node)
        if name == "undefined":
            return None
        if name in seen or name not in self._constants:
            return Unread(node, name)
        return self.value(self._constants[name], seen | {name})

    def _object(self, node: Node, seen: frozenset[str]) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for child in node.named_children:
            key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
            if child.type == "pair" and key and value:
                result[self._key(key)] = self.value(value, seen)
            elif child.type == "shorthand_property_identifier":
                result[self.text(child)] = self._named(child, seen)
            elif child.type == "spread_element":
                spread = self.value(child.named_children[0], seen)
                result.update(spread if isinstance(spread, dict) else {f"...{child.start_byte}": spread})
        return result

    def _array(self, node: Node, seen: frozenset[str]) -> list[Any]:
        result: list[Any] = []
        for child in node.named_children:
            if child.type == "comment":
                continue
            if child.type == "spread_element":
                spread = self.value(child.named_children[0], seen)
                result += spread if isinstance(spread, list) else [spread]
            else:
                result.append(self.value(child, seen))
        return result

    def _call(self, node: Node, seen: frozenset[str]) -> Any:
        """``Object.assign`` as a spread, the file's own functions as what they return, ``defineConfig`` as its argument."""
        function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if not function or not arguments:
            return Unread(node, self.text(node)[:60])
        name = self.text(function)
        if name == "Object.assign":
            merged: dict[str, Any] = {}
            for argument in arguments.named_children:
                part = self.value(argument, seen)
                merged.update(part if isinstance(part, dict) else {})
            return merged
        if name in self._functions and name not in seen and (returned := _returned(self._functions[name])):
            return self.value(returned, seen | {name})
        if name.startswith("define") and arguments.named_children:
            return self.value(arguments.named_children[0], seen)
        return Unread(node, self.text(node)[:60])

    def _key(self, node: Node) -> str:
        return self.text(node).strip("'\"`")

    def _piece(self, node: Node) -> str:
        text = self.text(node)
        return {"\\n": "\n", "\\t": "\t"}.get(text, text[1:]) if node.type == "escape_sequence" else text


def _returned(function: Node) -> Node | None:
    """The expression that a function returns."""
    body = function.child_by_field_name("body")
    if body is None or body.type != "statement_block":
        return body
    statement = next((child for child in body.named_children if child.type == "return_statement"), None)
    return statement.named_children[0] if statement and statement.named_children else None


def walk(node: Node) -> Iterator[Node]:
    """The node and everything below it, in the order of the file."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        stack.extend(reversed(current.named_children))
