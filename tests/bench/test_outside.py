"""Outside systems: TREC files there and back, and any MCP tool scored by the addresses in its answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from fake_reader import chunk_of, golden
from stored_fakes import GOOD, QUESTIONS, SECOND, result_of

from vuedocs.bench import compare, metrics_document
from vuedocs.bench.outside import (
    ARGUMENTS,
    addresses,
    ask_all,
    key_of,
    keys_by_address,
    outside_result,
    parse_arguments,
    read_trec,
)
from vuedocs.bench.report import trec_run
from vuedocs.clients.tool import ToolAnswer
from vuedocs.errors import QuestionsError, UsageError

CHUNKS = [chunk_of(f"vue/{key}") for key in ("guide/a", "guide/a#One", "guide/b#two", "guide/b#two~code-1")]
QUESTION = golden("q1", {"guide/a#One": 3}, question="how?", apis=("ref",))


async def test_a_run_that_was_written_and_read_back_scores_the_same(tmp_path: Path) -> None:
    ours = await result_of(SECOND)
    (tmp_path / "run.trec").write_text(trec_run(ours.run))
    theirs = outside_result("theirs", QUESTIONS, "section", read_trec(tmp_path / "run.trec"), "g1")
    assert theirs.values["ndcg@10"] == ours.values["ndcg@10"]
    assert "api_recall" not in theirs.metrics
    assert "| theirs " in compare({"ours": await result_of(GOOD), "theirs": theirs}, "ours")
    assert metrics_document(theirs)["config"] == "outside: theirs"


def test_sections_fold_to_pages_and_missing_questions_score_0() -> None:
    result = outside_result("x", [QUESTION, golden("q2", {"guide/b": 3})], "page", {"q1": {"guide/a#Two": 2.0, "z": 1.0}}, "g1")
    assert result.values["ndcg@10"] == {"q1": 1.0, "q2": 0.0}
    with pytest.raises(QuestionsError, match="ranks none of the 1 questions; its first id is 'other'"):
        outside_result("x", [QUESTION], "page", {"other": {"a": 1.0}}, "g1")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("q1 Q0 a 1 0.5", "run.trec:1: 5 columns"),
        ("q1 Q0 a 1 nan x", "run.trec:1: the score 'nan' is no finite number"),
        ("q1 Q0 a 1 high x", "run.trec:1: the score 'high'"),
        ("q1 Q0 a 1 2 x\nq1 Q0 a 2 1 x", "run.trec:2: 'a' stands twice for question q1"),
    ],
)
def test_a_run_that_cannot_be_used_is_named_with_its_line(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "run.trec").write_text(text)
    with pytest.raises(QuestionsError, match=complaint):
        read_trec(tmp_path / "run.trec")
    with pytest.raises(QuestionsError, match="cannot be read"):
        read_trec(tmp_path / "none.trec")


@dataclass
class FakeTool:
    """Answers every call with one text and structure."""

    text: str
    structured: Any = None
    calls: list[Mapping[str, Any]] = field(default_factory=list)

    async def call(self, arguments: Mapping[str, Any]) -> ToolAnswer:
        self.calls.append(arguments)
        return ToolAnswer(self.text, self.structured)


async def test_a_tool_is_asked_and_scored_by_addresses() -> None:
    tool = FakeTool(
        "Use `ref`: https://other.example/x, see (https://www.docs.example/guide/b.html#two) and http://docs.example/guide/a#One."
    )
    rankings, answers = await ask_all(tool, [QUESTION], '{"q": "{question}", "in": ["{source}"], "n": 3}', "", {"vue": CHUNKS})
    assert tool.calls == [{"q": "how?", "in": ["vue"], "n": 3}]
    assert list(rankings["q1"]) == ["guide/b#two", "guide/a#One"]
    result = outside_result("theirs", [QUESTION], "section", rankings, "g1", answers)
    assert result.values["ndcg@10"]["q1"] == pytest.approx(0.6309, abs=1e-4)
    assert result.values["api_recall"]["q1"] == 1
    assert "api_recall@3" not in result.metrics  # where its passages end is not known
    assert result.values["gold_in_answer"]["q1"] == 1


def test_addresses_stand_where_the_path_says() -> None:
    structured = {"results": [{"page": {"url": "https://a"}}, {"page": {}}, {"page": {"url": "https://b"}}]}
    assert addresses(ToolAnswer("", structured), "results[].page.url") == ["https://a", "https://b"]
    assert addresses(ToolAnswer('{"url": "https://c"}', None), "url") == ["https://c"]
    assert addresses(ToolAnswer("", {"other": 1}), "results[].url") == []
    with pytest.raises(UsageError, match="no JSON"):
        addresses(ToolAnswer("text", None), "url")


@pytest.mark.parametrize(
    ("address", "key"),
    [
        ("https://docs.example/guide/a#One", "guide/a#One"),
        ("http://www.docs.example/guide/a.html#one", "guide/a#One"),
        ("https://docs.example/guide/a/?x=1", "guide/a"),
        ("https://docs.example/guide/a#gone", "guide/a"),
        ("https://docs.example/guide/b", "guide/b"),
        ("https://docs.example/other", ""),
    ],
)
def test_an_address_is_a_section_or_its_page(address: str, key: str) -> None:
    assert key_of(address, keys_by_address(CHUNKS)) == key


@pytest.mark.parametrize("text", ["{", "[]", '{"query": "x"}'])
def test_arguments_that_ask_nothing_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="arguments"):
        parse_arguments(text)


async def test_a_section_of_another_source_is_a_wrong_answer_in_its_place() -> None:
    others = {"vue": CHUNKS, "pinia": [replace(chunk_of("pinia/store"), url="https://pinia.example/store")]}
    text = "https://pinia.example/store, https://other.example/x, https://docs.example/guide/a#One"
    rankings, _ = await ask_all(FakeTool(text), [QUESTION], ARGUMENTS, "", others)
    assert list(rankings["q1"]) == ["pinia/store", "guide/a#One"]
    at_path = FakeTool('{"hits": [{"url": "https://other.example/x"}, {"url": "https://docs.example/guide/a#One"}]}')
    rankings, _ = await ask_all(at_path, [QUESTION], ARGUMENTS, "hits[].url", others)
    assert list(rankings["q1"]) == ["other.example/x", "guide/a#One"]
