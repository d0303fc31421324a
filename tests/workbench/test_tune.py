"""What notebook 09 says of a winner: no more than its questions bear out."""

from __future__ import annotations

from fake_reader import golden
from sweep_fakes import StagedReader

from vuedocs.bench.intervals import Difference
from vuedocs.bench.selection import Nested
from vuedocs.bench.sweep import Sweep
from vuedocs.bench.tuning import Outcome, Plan
from vuedocs.workbench.tune import Tuned, findings


async def test_a_gain_on_questions_that_the_search_saw_is_not_called_clean() -> None:
    present = await Sweep(StagedReader({"a": ["p#x"]}), [golden("a", {"p#x": 3})]).run()
    gain = Nested(Difference(0.03, (0.01, 0.05), 0.01, 120), Difference(0.01, (-0.01, 0.03), 0.3, 120))
    plan = Plan({"search.leg_depth": [20, 200]}, ["ndcg@10"], 1, 0)
    outcomes = [Outcome(7, ("search.leg_depth=50",), {"ndcg@10": 0.8}, {})]
    said = findings([], Tuned("study", plan, outcomes, present, gain, {}, ())).sentences
    assert said[-1] == "So at least +0.020 of its gain is luck: the search itself saw all these questions; only test is clean."
