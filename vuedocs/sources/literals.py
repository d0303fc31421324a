"""The values of TypeScript expressions, without running them: literals, and what follows from literals alone.

Constants, spreads, template strings, ``Object.assign``, helper functions that only declare and return, ``map`` and ``concat``
over literals, and imports of files beside the one that is read. Everything else is :class:`Unread` and says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tree_sitter import Node

from vuedocs.sources.modules import Modules
from vuedocs.sources.typescript import DECLARATIONS, FUNCTIONS, TypeScript

_WRAPPERS = frozenset(
    {"as_expression", "satisfies_expression", "parenthesized_expression", "non_null_expression", "await_expression"}
)
_PASSING = ("define", "with", "extend")
"""Functions of packages that are called so give back the config that they are given."""
_NOTHING_DONE = frozenset({"comment", "interface_declaration", "type_alias_declaration"})
_LONGEST_WORDS = 60
_DEEPEST = 80
"""Expressions within each other, calls included; a function that calls itself has no end."""
_ESCAPES = {"\\n": "\n", "\\t": "\t", "\\r": "\r"}


class Unread:
    """An expression that is not read; it names itself, so that a report can say what is missing."""

    def __init__(self, words: str) -> None:
        self.words = words


@dataclass(frozen=True, slots=True)
class Scope:
    """What names mean inside a function that is being read, and how deep in calls that is."""

    names: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    open: frozenset[str] = frozenset()
    """Constants and functions that are being read: one that needs itself has no value."""
    depth: int = 0


TOP = Scope()


class Function(Unread):
    """A function with the scope that it was made in; unread unless it is called with values."""

    def __init__(self, words: str, node: Node, file: Literals, scope: Scope) -> None:
        super().__init__(words)
        self.node, self.file, self.scope = node, file, scope

    def call(self, arguments: Sequence[Any], caller: Scope) -> Any:
        """What the function returns for these values; Unread where it does more than declare and return, or calls itself."""
        name = f"{self.node.id}()"
        if name in caller.open:
            return self
        depth = max(caller.depth, self.scope.depth) + 1
        return self.file.returned(self, arguments, Scope(self.scope.names, caller.open | self.scope.open | {name}, depth))


class Literals:
    """The values of one file's expressions: dict, list, str, bool, float, None, or Unread."""

    def __init__(self, code: TypeScript, file: Path, modules: Modules) -> None:
        self.code, self.file, self._modules = code, file, modules

    def exported(self, name: str, around: Scope = TOP) -> Any:
        """The value of an exported name."""
        found = self.code.exports.get(name)
        if found is None:
            return Unread(f"{self.file.name} exports no {name}")
        scope = replace(TOP, depth=around.depth)
        return self._named(found, scope) if isinstance(found, str) else self.value(found, scope)

    def constant(self, name: str) -> Any:
        """The value of a name at the top level; None where there is none."""
        return self._named(name, TOP) if name in self.code.values else None

    def value(self, node: Node, scope: Scope = TOP) -> Any:
        """The value of an expression."""
        if not self._modules.spend() or scope.depth > _DEEPEST:
            return self._unread(node)
        scope = replace(scope, depth=scope.depth + 1)
        match node.type:
            case kind if kind in _WRAPPERS:
                return self.value(node.named_children[0], scope)
            case kind if kind in FUNCTIONS:
                return Function(self._words(node), node, self, scope)
            case "identifier" | "shorthand_property_identifier":
                return self._named(self.code.text(node), scope, node)
            case "object":
                return self._object(node, scope)
            case "array":
                return self._list(node.named_children, scope)
            case "string" | "template_string":
                return self._string(node, scope)
            case "true" | "false":
                return node.type == "true"
            case "number":
                return float(int(text, 0) if (text := self.code.text(node).replace("_", ""))[:2] in ("0x", "0b") else text)
            case "null" | "undefined":
                return None
            case "call_expression":
                return self._call(node, scope)
            case _:
                return self._compound(node, scope)

    def returned(self, function: Function, arguments: Sequence[Any], around: Scope) -> Any:
        """What ``function``, of this file, returns in the scope ``around`` it."""
        names = {**around.names, **self._bound(function, arguments)}
        scope = replace(around, names=names)
        body = function.node.child_by_field_name("body")
        if body is None or body.type != "statement_block":
            return self.value(body, scope) if body else Unread(function.words)
        for statement in body.named_children:
            if statement.type in DECLARATIONS:
                for name, node in self.code.declared(statement):
                    names[name] = Unread(name) if name in self.code.changed else self.value(node, scope)
            elif statement.type == "return_statement":
                return self.value(statement.named_children[0], scope) if statement.named_children else None
            elif statement.type not in _NOTHING_DONE:
                break
        return Unread(function.words)

    def _bound(self, function: Function, arguments: Sequence[Any]) -> dict[str, Any]:
        """The parameters' values: what is given, else the default."""
        single = function.node.child_by_field_name("parameter")
        listed = function.node.child_by_field_name("parameters")
        bound: dict[str, Any] = {}
        several = listed.named_children if listed else []
        parameters = [single] if single else [child for child in several if child.type != "comment"]
        for place, parameter in enumerate(parameters):
            name = parameter.child_by_field_name("pattern") or parameter
            default = parameter.child_by_field_name("value")
            value = arguments[place] if place < len(arguments) else self.value(default, function.scope) if default else None
            if name.type == "identifier":
                bound[self.code.text(name)] = value
        return bound

    def _named(self, name: str, scope: Scope, node: Node | None = None) -> Any:
        if name in scope.names:
            return scope.names[name]
        if name == "undefined":
            return None
        if name in self.code.imports:
            return self._imported(name, scope, node)
        if name not in self.code.values or name in scope.open:
            return self._unread(node) if node else Unread(name)
        value = self.value(self.code.values[name], Scope(open=scope.open | {name}, depth=scope.depth))
        if name not in self.code.changed:
            return value
        more = Unread(f"what is added to {name} later")
        return [*value, more] if isinstance(value, list) else {**value, "...": more} if isinstance(value, dict) else more

    def _imported(self, name: str, scope: Scope, node: Node | None) -> Any:
        imported = self.code.imports[name]
        found = self._modules.find(self.file.parent, imported.file)
        if found and isinstance(found[1], TypeScript):
            module = Literals(found[1], found[0], self._modules)
            if imported.name == "*":
                return {key: module.exported(key, scope) for key in module.code.exports}
            return module.exported(imported.name, scope)
        if found and found[1] is not None and imported.name in ("default", "*"):
            return found[1]
        line = f"line {node.start_point.row + 1}: " if node else ""
        return Unread(f"{line}{name} from {imported.file}")

    def _object(self, node: Node, scope: Scope) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for child in node.named_children:
            key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
            if child.type == "pair" and key and value:
                name = self.value(key.named_children[0], scope) if key.type == "computed_property_name" else self.code.key(key)
                result[name if isinstance(name, str) else f"...{child.start_byte}"] = self.value(value, scope)
            elif child.type == "shorthand_property_identifier":
                result[self.code.text(child)] = self.value(child, scope)
            elif child.type == "spread_element":
                _merge(result, self.value(child.named_children[0], scope), f"...{child.start_byte}")
        return result

    def _list(self, nodes: Sequence[Node], scope: Scope) -> list[Any]:
        result: list[Any] = []
        for child in nodes:
            if child.type == "spread_element":
                spread = self.value(child.named_children[0], scope)
                result += spread if isinstance(spread, list) else [spread]
            elif child.type != "comment":
                result.append(self.value(child, scope))
        return result

    def _string(self, node: Node, scope: Scope) -> Any:
        pieces: list[str] = []
        for child in node.named_children:
            if child.type == "template_substitution":
                value = self.value(child.named_children[0], scope)
                if not isinstance(value, str | float) or isinstance(value, bool):
                    return self._unread(node)
                pieces.append(f"{value:g}" if isinstance(value, float) else value)
            else:
                text = self.code.text(child)
                pieces.append(_ESCAPES.get(text, text[1:]) if child.type == "escape_sequence" else text)
        return "".join(pieces)

    def _call(self, node: Node, scope: Scope) -> Any:
        function, listed = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if not function or not listed or listed.type != "arguments":
            return self._unread(node)
        arguments = self._list(listed.named_children, scope)
        name = self.code.text(function)
        if name == "Object.assign":
            merged: dict[str, Any] = {}
            for place, part in enumerate(arguments):
                _merge(merged, part, f"...{place}")
            return merged
        if function.type == "member_expression":
            return self._method(node, function, arguments, scope)
        called = self.value(function, scope)
        if isinstance(called, Function):
            result = called.call(arguments, scope)
            return self._unread(node) if isinstance(result, Unread) and not isinstance(result, Function) else result
        return arguments[0] if name.startswith(_PASSING) and arguments else self._unread(node)

    def _method(self, node: Node, function: Node, arguments: list[Any], scope: Scope) -> Any:
        """``map`` and ``concat`` of a list; any other method of an object of functions."""
        target, method = function.child_by_field_name("object"), function.child_by_field_name("property")
        value = self.value(target, scope) if target else None
        name = self.code.text(method) if method else ""
        called = value.get(name) if isinstance(value, dict) else None
        if isinstance(called, Function):
            return called.call(arguments, scope)
        if isinstance(value, list) and name == "concat":
            return [*value, *(item for part in arguments for item in (part if isinstance(part, list) else [part]))]
        if isinstance(value, list) and name == "map" and arguments and isinstance(arguments[0], Function):
            return [arguments[0].call([item, float(place)], scope) for place, item in enumerate(value)]
        return self._unread(node)

    def _compound(self, node: Node, scope: Scope) -> Any:
        """Members, sums of strings, and choices whose condition is known."""
        if node.type in ("member_expression", "subscript_expression"):
            target = node.child_by_field_name("object")
            member, index = node.child_by_field_name("property"), node.child_by_field_name("index")
            value = self.value(target, scope) if target else None
            key = self.code.text(member) if member else self.value(index, scope) if index else None
            if isinstance(value, dict) and key in value:
                return value[key]
            if isinstance(value, list) and isinstance(key, float) and 0 <= key < len(value):
                return value[int(key)]
        elif node.type == "ternary_expression" and (condition := node.child_by_field_name("condition")):
            known = self.value(condition, scope)
            branch = node.child_by_field_name("consequence" if known else "alternative")
            if branch and not isinstance(known, Unread):
                return self.value(branch, scope)
        elif node.type == "binary_expression" and (operator := node.child_by_field_name("operator")):
            left, right = (self.value(side, scope) for side in (node.named_children[0], node.named_children[-1]))
            if operator.type == "+" and isinstance(left, str) and isinstance(right, str):
                return left + right
            if operator.type in ("??", "||") and not isinstance(left, Unread):
                return left or right
        return self._unread(node)

    def _unread(self, node: Node) -> Unread:
        return Unread(self._words(node))

    def _words(self, node: Node) -> str:
        text = " ".join(self.code.text(node).split())
        return f"line {node.start_point.row + 1}: {text[:_LONGEST_WORDS]}{'…' if len(text) > _LONGEST_WORDS else ''}"


def _merge(result: dict[str, Any], part: Any, key: str) -> None:
    """Lays ``part`` over ``result``; what is no object stays visible under ``key``."""
    if isinstance(part, dict):
        result.update(part)
    elif part not in (None, False):
        result[key] = part
