"""Faults that are switched on by name, for so many calls or for good."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Fault:
    """One fault of one endpoint. ``skip`` calls go well first; then ``times`` calls fail, or all of them where it is negative."""

    kind: str
    endpoint: str
    times: int = 1
    skip: int = 0

    def strikes(self) -> bool:
        """Whether this call is one that fails; counts the call."""
        if self.skip > 0:
            self.skip -= 1
            return False
        if self.times == 0:
            return False
        self.times -= 1
        return True


@dataclass
class Faults:
    """The faults that are switched on."""

    waiting: list[Fault] = field(default_factory=list)

    def next(self, endpoint: str) -> str:
        """The kind of fault that this call of ``endpoint`` suffers; ``""`` for none."""
        for fault in self.waiting:
            if fault.endpoint == endpoint and fault.strikes():
                return fault.kind
        return ""


def parse(text: str) -> Fault:
    """``endpoint:kind``, ``endpoint:kind:times`` or ``endpoint:kind:times:skip``; times is ``always`` for all calls."""
    endpoint, kind, *numbers = text.split(":")
    times, skip = [*numbers, *("1", "0")[len(numbers) :]]
    return Fault(kind, endpoint, -1 if times == "always" else int(times), int(skip))
