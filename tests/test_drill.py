"""The drill of faults, as a smoke test: its judgement, which the script applies to every fault."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from drill import FAULTS, Outcome, wrong

CLEAN = Outcome((0,), "points", Counter(["a", "b"]), 20, 20, 0, 0, 0)


def test_a_fault_that_passed_costs_one_failed_attempt_and_nothing_else() -> None:
    assert wrong("passes", "jina:embeddings:503:1", replace(CLEAN, failed=1), CLEAN) == []
    assert wrong("passes", "jina:embeddings:503:1", CLEAN, CLEAN) == ["0 attempts failed by the ledger, not 1"]


def test_what_is_lost_doubled_leaked_or_not_entered_is_said() -> None:
    spoilt = Outcome((1,), "others", Counter(["a", "a"]), 30, 20, 0, 2, 1)
    assert wrong("", "", spoilt, CLEAN) == [
        "1 places hold a key",
        "2 calls were refused by the limits",
        "exit codes (1,), not (0,)",
        "another result",
        "1 texts were never asked for",
        "1 texts were paid for twice",
        "30 tokens were billed, 20 entered",
    ]


def test_one_that_stops_ends_with_an_error_and_the_next_run_pays_only_for_the_rest() -> None:
    assert wrong("stops", "jina:embeddings:no-credit:always", replace(CLEAN, codes=(1, 0)), CLEAN) == []
    assert wrong("stops", "jina:embeddings:no-credit:always", CLEAN, CLEAN) == ["exit codes (0,), not (1, 0)"]


def test_every_fault_is_one_that_the_stand_ins_know() -> None:
    from standins import gemini, jina, qdrant

    known = {"jina": jina.FAULTS, "gemini": gemini.FAULTS, "qdrant": qdrant.FAULTS}
    shared = "html closed no-json timeout fewer wrong-dims nan reordered blocked cut max-tokens empty too-long".split()  # noqa: SIM905
    for fault in (one for faults in FAULTS.values() for one in faults):
        provider, _, kind, *_ = fault.split(":")
        assert kind in known[provider] or kind in shared, fault
