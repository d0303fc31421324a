"""Checks: what makes a question set say less than it seems to.

A fault is something that a researcher must mend; a remark is something to look at.

    key         a judged section does not exist in the docs
    heading     the question is a judged section's heading turned round
    api         an expected API name stands in none of the sections that answer fully
    unanswered  no section has grade 3
    split       the page that a question was written from is in dev and test
    id          two files use one id
    twin        two questions are nearly the same, within a file or across files
    page        (remark) a page answers fully in dev and in test: after pooling, several pages may answer one question
    pack        (remark) a question is nearly one of the packs', which are written apart: error messages may coincide
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from vuedocs.bench.metrics import name_pattern
from vuedocs.bench.questions import GoldenQuestion, nearest, page_of
from vuedocs.lexical import STOP_WORDS, stem
from vuedocs.records import Chunk

HEADING_SHARE = 0.75
"""Distinct stemmed content words that question and heading share, of all that either has: from here the heading was turned round.
On 1,061 questions the next below was .67, a false alarm (``difference of route and router``)."""
HEADING_WORDS = 2
"""Shorter headings are API names, which a question may well be."""
TWIN_RATIO = 90.0
"""rapidfuzz's token_sort_ratio of two lower-cased questions, 0 to 100, from which they are twins."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was found."""

    rule: str
    ids: tuple[str, ...]
    words: str
    fault: bool = True

    def __str__(self) -> str:
        return f"{' and '.join(self.ids)}: {self.words}"


def check_files(
    files: Mapping[str, Sequence[GoldenQuestion]],
    chunks: Mapping[str, Iterable[Chunk]],
    packs: Mapping[str, Iterable[str]] | None = None,
) -> tuple[Finding, ...]:
    """All that is found in question files (name to questions), in the order of the rules.

    ``chunks`` are the docs by source; questions of other sources are not held against docs. ``packs`` are the questions of packs.
    """
    questions = [question for of_file in files.values() for question in of_file]
    findings: list[Finding] = []
    for source, of_source in chunks.items():
        sections = {chunk.section: chunk for chunk in of_source if chunk.kind != "code"}
        for question in questions:
            if question.source == source:
                for rule in (missing_keys, copied_headings, lost_apis):
                    findings += rule(question, sections)
    findings += [Finding("unanswered", (q.id,), "no section has grade 3") for q in questions if 3 not in q.relevant.values()]
    findings += [*split_pages(questions), *used_ids(files), *twins(questions), *pages_in_both(questions)]
    for source, texts in (packs or {}).items():
        findings += near_packs([question for question in questions if question.source == source], list(texts))
    return tuple(findings)


def missing_keys(question: GoldenQuestion, sections: Mapping[str, Chunk]) -> Iterator[Finding]:
    """Judged keys that the docs do not have, with the nearest that they have."""
    for key in question.judged:
        if key not in sections:
            yield Finding("key", (question.id,), f"{key!r} does not exist; the nearest are {', '.join(nearest(key, sections))}")


def copied_headings(question: GoldenQuestion, sections: Mapping[str, Chunk]) -> Iterator[Finding]:
    """The heading of a section of grade 2 or 3 that makes up the question, whatever the order of its words."""
    asked = content_words(question.question)
    for key, grade in question.relevant.items():
        heading = content_words(sections[key].title) if key in sections and grade > 1 else set()
        if len(heading) < HEADING_WORDS:
            continue
        share = len(asked & heading) / len(asked | heading)
        if share >= HEADING_SHARE:
            words = f"{question.question!r} shares {share:.0%} of its content words with the heading {sections[key].title!r}"
            yield Finding("heading", (question.id,), f"{words} (limit {HEADING_SHARE:.0%}); ask as somebody who has not read it")
            return


def content_words(text: str) -> set[str]:
    """The distinct stemmed words of ``text`` without stop words; signs divide words."""
    return {stem(word) for word in re.findall(r"[^\W_]+", text.lower()) if word not in STOP_WORDS}


def lost_apis(question: GoldenQuestion, sections: Mapping[str, Chunk]) -> Iterator[Finding]:
    """Expected API names that no section of grade 3 holds, so that a full answer would miss them."""
    full = [sections[key] for key, grade in question.relevant.items() if grade == 3 and key in sections]
    text = "\n".join(" › ".join(chunk.heading_path) + "\n" + chunk.text for chunk in full)
    for name in question.apis if full else ():
        if not name_pattern(name).search(text):
            keys = ", ".join(chunk.section for chunk in full)
            yield Finding("api", (question.id,), f"{name!r} stands in none of the sections that answer fully: {keys}")


def main_page(question: GoldenQuestion) -> str:
    """The page that a question was written from: that of its first best-graded section."""
    best = max(question.relevant.values())
    return page_of(next(key for key, grade in question.relevant.items() if grade == best))


def split_pages(questions: Iterable[GoldenQuestion]) -> Iterator[Finding]:
    """Main pages that are in both splits: what is tuned on one half is then tested on the same page."""
    pages: dict[tuple[str, str], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for question in questions:
        pages[question.source, main_page(question)][question.split].append(question.id)
    for (source, page), splits in pages.items():
        if len(splits) > 1:
            ids = tuple(of_split[0] for _, of_split in sorted(splits.items()))
            yield Finding("split", ids, f"both are from {source}/{page}, one is dev and one is test; put them in one split")


def used_ids(files: Mapping[str, Sequence[GoldenQuestion]]) -> Iterator[Finding]:
    """Ids that two files use; within one file the loader refuses them."""
    owners: dict[str, list[str]] = defaultdict(list)
    for name, questions in files.items():
        for question in questions:
            owners[question.id].append(name)
    yield from (Finding("id", (id,), f"used in {' and '.join(names)}") for id, names in owners.items() if len(names) > 1)


def twins(questions: Sequence[GoldenQuestion]) -> Iterator[Finding]:
    """Questions that are nearly the same; each counts twice in a mean, or leaks from one split to the other."""
    texts = [question.question.lower() for question in questions]
    for first, second, ratio in near(texts, texts):
        if first < second:
            one, other = questions[first], questions[second]
            splits = "" if one.split == other.split else ", one dev and one test"
            yield Finding("twin", (one.id, other.id), f"{one.question!r} and {other.question!r} are {ratio:.0f}% alike{splits}")


def pages_in_both(questions: Iterable[GoldenQuestion]) -> Iterator[Finding]:
    """Pages with a section of grade 3 in both splits that are no main page of both."""
    full: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    mains: dict[tuple[str, str], set[str]] = defaultdict(set)
    for question in questions:
        mains[question.source, main_page(question)].add(question.split)
        for key, grade in question.relevant.items():
            if grade == 3:
                full[question.source, page_of(key)].setdefault(question.split, question.id)
    for page, by_split in full.items():
        if len(by_split) > 1 and len(mains[page]) < 2:
            ids = tuple(by_split[split] for split in sorted(by_split))
            yield Finding("page", ids, f"{'/'.join(page)} answers fully in dev and test", fault=False)


def near_packs(questions: Sequence[GoldenQuestion], texts: Sequence[str]) -> Iterator[Finding]:
    """Questions that are nearly a pack's, each once."""
    seen = set()
    for place, other, ratio in near([question.question.lower() for question in questions], [text.lower() for text in texts]):
        question = questions[place]
        if question.id not in seen:
            seen.add(question.id)
            words = f"{question.question!r} is {ratio:.0f}% alike to the pack question {texts[other]!r}"
            yield Finding("pack", (question.id,), words, fault=False)


def near(texts: Sequence[str], others: Sequence[str]) -> Iterator[tuple[int, int, float]]:
    """(place, place, ratio) of each two that reach TWIN_RATIO."""
    from rapidfuzz import fuzz, process

    if not texts or not others:
        return
    ratios = process.cdist(texts, others, scorer=fuzz.token_sort_ratio, score_cutoff=TWIN_RATIO)
    for place, other in zip(*ratios.nonzero(), strict=True):
        yield int(place), int(other), float(ratios[place, other])
