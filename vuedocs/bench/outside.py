"""Outside systems: other people's runs and servers, scored on the same questions and set into the same tables.

A TREC run brings its ranking; an MCP server is asked by a tool of its own, and the addresses in its answer, in their order, are
its ranking. Where such a system lost a section is not known, and a TREC run has no answers: its tokens and times are 0.
"""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from vuedocs.bench import metrics, runs
from vuedocs.bench.questions import GoldenQuestion, Level, page_of
from vuedocs.bench.result import BenchResult, summarise
from vuedocs.clients.tool import ToolAnswer
from vuedocs.errors import QuestionsError, UsageError
from vuedocs.records import Chunk
from vuedocs.tokens import estimate

URL = re.compile(r"https?://[^\s<>\"'`)\]}]+")
ARGUMENTS = '{"query": "{question}"}'
"""What a tool is called with, unless said otherwise."""


class AskedTool(Protocol):
    """What this module needs of :class:`vuedocs.clients.tool.Tool`."""

    async def call(self, arguments: Mapping[str, Any]) -> ToolAnswer: ...


def read_trec(path: Path) -> dict[str, dict[str, float]]:
    """A TREC run ``{id: {key: score}}``. QuestionsError names the file, the line, the reason and the remedy."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise QuestionsError(f"run {path} cannot be read: {error}; give a TREC run: id Q0 key rank score tag") from error
    run: dict[str, dict[str, float]] = {}
    for number, line in enumerate(lines, start=1):
        place = f"{path}:{number}"
        columns = line.split()
        if len(columns) != 6:
            raise QuestionsError(f"{place}: {len(columns)} columns; a TREC run has six: id Q0 key rank score tag")
        id, _, key, _, score, _ = columns
        try:
            value = float(score)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise QuestionsError(f"{place}: the score {score!r} is no finite number; write one")
        if key.replace("%20", " ") in run.setdefault(id, {}):
            raise QuestionsError(f"{place}: {key!r} stands twice for question {id}; a section is ranked once")
        run[id][key.replace("%20", " ")] = value
    return run


def outside_result(
    name: str,
    questions: Sequence[GoldenQuestion],
    level: Level,
    rankings: Mapping[str, Mapping[str, float]],
    index: str,
    answers: Sequence[runs.Answer] = (),
    unscoped: bool = False,
) -> BenchResult:
    """A result of rankings that this pipeline did not make. A question without one scores 0 and stays in the mean.

    At page level sections fold to their best one's page. Answer metrics are there only with ``answers``. Raises QuestionsError
    where none of the questions is ranked: the ids are of another set then.
    """
    ordered = tuple(sorted(questions, key=lambda question: question.id))
    if not any(question.id in rankings for question in ordered):
        first = next(iter(rankings), "none")
        raise QuestionsError(f"{name} ranks none of the {len(ordered)} questions; its first id is {first!r}; use the set's ids")
    folded = {id: runs.fold_pages(ranking, 0.0) if level == "page" else ranking for id, ranking in rankings.items()}
    run = {question.id: metrics.unique_scores(folded.get(question.id, {}), question.id) for question in ordered}
    qrels = runs.qrels_of(ordered, level)
    values = metrics.score(qrels, run)
    if answers:
        of_answers = metrics.score_answers(ordered, {answer.id: answer for answer in answers})
        # Where one passage ends and the next begins is not known, so nothing is said of the best three.
        values |= {name: found for name, found in of_answers.items() if name != "api_recall@3"}
    silent = tuple(runs.Answer(question.id, run[question.id], "", 0, (), frozenset(), 0.0, {}) for question in ordered)
    splits = {question.split for question in ordered}
    return BenchResult(
        level=level,
        split=splits.pop() if len(splits) == 1 else "all",
        unscoped=unscoped,
        skip=(),
        config=f"outside: {name}",
        index=index,
        questions=ordered,
        answers=tuple(sorted(answers, key=lambda answer: answer.id)) or silent,
        qrels=qrels,
        run=run,
        values=values,
        metrics=summarise(values, [question.id for question in ordered]),
    )


async def ask_all(
    tool: AskedTool, questions: Sequence[GoldenQuestion], arguments: str, where: str, chunks: Mapping[str, Sequence[Chunk]]
) -> tuple[dict[str, dict[str, float]], tuple[runs.Answer, ...]]:
    """Puts every question to a tool: rankings by question id, and the answers.

    ``arguments`` is a JSON object whose texts may hold ``{question}`` and ``{source}``; ``where`` is a path into the structured
    answer (``passages[].url``), or ``""`` for all addresses in the text. ``chunks`` are those of all indexed sources: a section
    of another source than the question's is a wrong answer in its place. So is an unknown address at a path; in a text it is only
    a link. Raises UsageError for arguments that are no object.
    """
    template = parse_arguments(arguments)
    home = runs.home_source(questions)
    rankings, answers = {}, []
    known = {source: keys_by_address(of_source) for source, of_source in chunks.items()}
    for question in sorted(questions, key=lambda question: question.id):
        started = time.perf_counter()
        answer = await tool.call(filled(template, question))
        milliseconds = (time.perf_counter() - started) * 1000
        named = addresses(answer, where)
        found = [ranked_key(address, question.source, known, home, strict=bool(where)) for address in named]
        keys = [key for key in dict.fromkeys(found) if key]
        rankings[question.id] = {key: 1.0 - place / 1000 for place, key in enumerate(keys)}
        pages = frozenset(page_of(key) for key in keys)
        passages = (answer.text,)
        tokens = estimate(answer.text)
        answers.append(runs.Answer(question.id, rankings[question.id], answer.text, tokens, passages, pages, milliseconds, {}))
    return rankings, tuple(answers)


def parse_arguments(text: str) -> dict[str, Any]:
    """A JSON object of arguments. Raises UsageError."""
    try:
        found = json.loads(text)
    except ValueError as error:
        raise UsageError(f"the tool's arguments {text!r} are no JSON ({error}); write an object such as {ARGUMENTS}") from error
    if not isinstance(found, dict) or "{question}" not in text:
        raise UsageError(f"the tool's arguments {text!r} must be an object that holds {{question}}, such as {ARGUMENTS}")
    return found


def filled(template: Any, question: GoldenQuestion) -> Any:
    """``template`` with the question and its source in their places."""
    if isinstance(template, dict):
        return {key: filled(value, question) for key, value in template.items()}
    if isinstance(template, list):
        return [filled(value, question) for value in template]
    if isinstance(template, str):
        return template.replace("{question}", question.question).replace("{source}", question.source)
    return template


def addresses(answer: ToolAnswer, where: str) -> list[str]:
    """The addresses of an answer in their order: at a path of its structured content, or all in its text."""
    if not where:
        return [match.group().rstrip(".,;:") for match in URL.finditer(answer.text)]
    content = answer.structured
    if content is None:
        try:
            content = json.loads(answer.text)
        except ValueError as error:
            raise UsageError(f"the answer is no JSON, so {where!r} leads nowhere: {answer.text[:80]!r}; leave it out") from error
    return [str(found) for found in at_path(content, where.split("."))]


def at_path(content: Any, path: Sequence[str]) -> Iterator[Any]:
    """What stands at a path: ``passages[].url`` is the ``url`` of each of ``passages``."""
    if not path:
        yield content
        return
    name = path[0].removesuffix("[]")
    inner = content.get(name) if isinstance(content, dict) else None
    for one in inner or () if path[0].endswith("[]") else [inner] if inner is not None else []:
        yield from at_path(one, path[1:])


def keys_by_address(chunks: Iterable[Chunk]) -> dict[str, str]:
    """Address, as :func:`plain` writes it, to section key; a page's address to the key of its own text."""
    found: dict[str, str] = {}
    for chunk in chunks:
        if chunk.kind != "code":
            found.setdefault(plain(chunk.url), chunk.section)
            found.setdefault(plain(chunk.url.partition("#")[0]), chunk.path)
    return found


def ranked_key(address: str, source: str, known: Mapping[str, Mapping[str, str]], home: str, strict: bool) -> str:
    """The key under which an address is ranked, as judgements write keys; ``""`` for a mere link."""
    for owner in (source, *sorted(known.keys() - {source})):
        if key := key_of(address, known.get(owner, {})):
            return runs.full_key(owner, key, home)
    return plain(address) if strict else ""


def key_of(address: str, known: Mapping[str, str]) -> str:
    """The section at an address; of an unknown anchor its page; ``""`` for an address that is none of the docs'."""
    exact = known.get(plain(address))
    return exact or known.get(plain(address.partition("#")[0]), "")


def plain(address: str) -> str:
    """An address without scheme, ``www.``, ``.html``, ``index`` and a slash at the end: sites are linked in all these ways."""
    page, mark, anchor = address.partition("#")
    page = re.sub(r"^https?://(?:www\.)?", "", page.partition("?")[0])
    page = re.sub(r"(?:/index)?(?:\.html)?/?$", "", page)
    return f"{page}{mark}{anchor}".lower() if anchor else page.lower()
