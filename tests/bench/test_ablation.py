"""An ablation: what is off, what that costs in which quantity, and how sure it is."""

from __future__ import annotations

import pytest
from fake_reader import golden
from sweep_fakes import StagedReader

from vuedocs.bench.ablation import BASELINE, CHOSEN, OFF, QUANTITIES, Ablation, Variant, ablate, variants
from vuedocs.bench.sweep import Sweep
from vuedocs.config import load
from vuedocs.errors import ConfigError, UsageError

KINDS = ("howto", "debug")
QUESTIONS = [golden(f"q{n:02d}", {"p#x": 3}, kind=KINDS[n % 2], apis=("ref",) if n == 1 else ()) for n in range(12)]
NAMED = {"no BM25": OFF["no BM25"], "short": Variant(("reconstruct.max_tokens=1000",)), "no links": OFF["no link expansion"]}


@pytest.fixture
async def ablation() -> Ablation:
    reader = StagedReader({question.question: ["p#x", "q#x", "q#y"] for question in QUESTIONS})
    return await ablate(Sweep(reader, QUESTIONS), reader.config, NAMED)


def test_every_variant_fits_the_base_config_and_says_what_it_changes() -> None:
    config = load()
    for name, variant in {**OFF, **CHOSEN}.items():
        assert bool(variant.overrides) != bool(variant.skip), name
        config.override(*variant.overrides)


def test_a_variant_that_changes_nothing_is_left_out() -> None:
    assert "no questions (HyPE)" in variants(load())
    assert "no questions (HyPE)" not in variants(load().override("resolve.question_weight=0"))
    assert "no link expansion" in variants(load())


def test_variants_of_ones_own_join() -> None:
    named = variants(load(), {"narrow": "search.leg_depth=30; resolve.limit=20"})
    assert named["narrow"] == Variant(("search.leg_depth=30", "resolve.limit=20"))
    with pytest.raises(UsageError, match="'no BM25' exists already"):
        variants(load(), {"no BM25": "search.leg_depth=30"})
    with pytest.raises(ConfigError, match="no key 'leg_deph'"):
        variants(load(), {"narrow": "search.leg_deph=30"})


async def test_effects_are_paired_and_adjusted_over_the_variants(ablation: Ablation) -> None:
    found = ablation.effects("ndcg@10")
    assert list(found) == list(NAMED)
    assert found["no BM25"].mean == pytest.approx(0.5 - 1)  # from rank 1 to rank 3: 1 / log2(4)
    assert found["no BM25"].p == pytest.approx(3 * 2 / 2**12, abs=0.002)
    assert found["short"].mean == 0
    assert found["short"].p == 1


async def test_tokens_and_times_are_quantities_too(ablation: Ablation) -> None:
    assert set(QUANTITIES) >= {"tokens", "latency_ms"}
    assert ablation.effects("tokens")["short"].mean == pytest.approx(-50)
    assert ablation.effects("latency_ms")["short"].n == 12
    with pytest.raises(KeyError):
        ablation.quantity(BASELINE, "beauty")


@pytest.mark.parametrize(("usd", "cost"), [(0.002, 2.0), (None, None)])
async def test_what_a_variant_costs_is_a_quantity_where_prices_are_known(usd: float | None, cost: float | None) -> None:
    reader = StagedReader({question.question: ["p#x"] for question in QUESTIONS}, usd=usd)
    found = await ablate(Sweep(reader, QUESTIONS), reader.config, {"reranked": Variant(("rerank.method=jina",))})
    if cost is None:
        assert found.usd == {}
    else:
        assert found.effects("usd_1000")["reranked"].mean == pytest.approx(cost)


async def test_effects_by_group_hold_each_group_alone(ablation: Ablation) -> None:
    by_kind = ablation.effects_by("kind", "ndcg@10")
    assert {kind: found["no BM25"].n for kind, found in by_kind.items()} == {"debug": 6, "howto": 6}
    assert list(ablation.effects_by("kind", "api_recall@3")) == ["debug"]
