"""What a language model writes for sections: asked once, remembered by content, and checked before it is used.

An answer that cannot be used (blocked, cut, empty, too short) is asked for once more; then the section is left to the rules, and
its reason is reported. Above a share of such sections the ingest stops, since a provider that answers badly is worse than none.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from vuedocs.clients import Prompt, Writer
from vuedocs.clients.parallel import in_parallel
from vuedocs.config.prompts import prompt_version
from vuedocs.config.sections import Written
from vuedocs.errors import AnswerError, ProviderError
from vuedocs.ingest.batches import Batches
from vuedocs.ingest.clients import IngestClients
from vuedocs.ingest.memory import memory_key
from vuedocs.records import Chunk, Page

FAILED = "failed"
"""The key of a remembered answer that says why it could not be used."""

Check = Callable[[Mapping[str, Any]], str]
"""What is wrong with an answer, in words; ``""`` for nothing."""


@dataclass
class Outcome:
    """Answers by chunk id; those with a failure may hold what there was of them."""

    answers: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    asked: int = 0
    """Sections that were not remembered."""

    def reports(self, stage: str, model: str) -> list[str]:
        """What a person should know: how many sections were left to the rules, which, and why."""
        if not self.failures:
            return []
        named = "; ".join(f"{chunk_id} ({reason})" for chunk_id, reason in sorted(self.failures.items())[:10])
        more = f" and {len(self.failures) - 10} more" if len(self.failures) > 10 else ""
        return [f"{stage}: {len(self.failures)} sections without a usable answer of {model} are left to the rules: {named}{more}"]


def prompts_for(chunks: Sequence[Chunk], pages: Sequence[Page], task: str, schema: Mapping[str, Any]) -> list[Prompt]:
    """One prompt a chunk, page by page: the whole page first, the section and the task last."""
    texts = {(page.source, page.path): f"<page>\n# {page.title} ({page.source})\n\n{page.text}\n</page>" for page in pages}
    return [
        Prompt(
            key=chunk.id,
            page=texts[chunk.source, chunk.path],
            ask=f"<section>\n{' > '.join(chunk.heading_path)}\n\n{chunk.text}\n</section>\n\n{task}",
            schema=schema,
        )
        for chunk in sorted(chunks, key=lambda chunk: (chunk.source, chunk.position))
    ]


async def written(prompts: Sequence[Prompt], stage: str, section: Written, check: Check, clients: IngestClients) -> Outcome:
    """Answers to all prompts. ProviderError when the service fails, or more than ``max_failed`` of the sections have none."""
    work = _Work(prompts, stage, section, check, clients)
    await work.recall()
    if work.writer.batch:
        await work.by_batches()
    else:
        jobs = (partial(work.one_page, group) for group in by_page(work.missing()))
        await in_parallel(jobs, work.writer.parallel)
    await work.remember({key: {**work.outcome.answers.get(key, {}), FAILED: why} for key, why in work.outcome.failures.items()})
    return work.outcome


def by_page(prompts: Sequence[Prompt]) -> Iterator[list[Prompt]]:
    """Prompts that share a page, together."""
    groups: dict[str, list[Prompt]] = defaultdict(list)
    for prompt in prompts:
        groups[prompt.page].append(prompt)
    yield from groups.values()


class _Work:
    """One stage's prompts on their way to answers."""

    def __init__(self, prompts: Sequence[Prompt], stage: str, section: Written, check: Check, clients: IngestClients) -> None:
        self.writer: Writer = clients.writers[stage]
        self.outcome = Outcome()
        self._prompts = prompts
        self._stage = stage
        self._section = section
        self._check = check
        self._clients = clients
        settings = {"thinking": section.thinking, "prompt": prompt_version(*section.prompts())}
        self._keys = {one.key: memory_key(self.writer.name, stage, settings, f"{one.page}\x1f{one.ask}") for one in prompts}

    async def recall(self) -> None:
        """Takes over what is remembered."""
        known = await self._clients.database.remembered(list(self._keys.values()))
        for chunk_id, key in self._keys.items():
            if key in known:
                answer = json.loads(known[key])
                if FAILED in answer:
                    self.outcome.failures[chunk_id] = answer.pop(FAILED)
                self.outcome.answers[chunk_id] = answer
        self.outcome.asked = len(self.missing())

    def missing(self) -> list[Prompt]:
        """Prompts without an answer or a failure."""
        done = self.outcome.answers.keys() | self.outcome.failures.keys()
        return [prompt for prompt in self._prompts if prompt.key not in done]

    async def remember(self, answers: Mapping[str, Mapping[str, Any]]) -> None:
        """Keeps answers by content."""
        values = {self._keys[chunk_id]: json.dumps(answer, sort_keys=True).encode() for chunk_id, answer in answers.items()}
        if values:
            await self._clients.database.remember(values, "answer")

    async def one_page(self, prompts: Sequence[Prompt]) -> None:
        """A page's sections one after another, so that the service can read the page from its cache."""
        async with self.writer.page(prompts) as cache:
            for prompt in prompts:
                await self._one_section(prompt, cache)

    async def _one_section(self, prompt: Prompt, cache: str) -> None:
        reason = ""
        for _ in range(2):
            try:
                answer = await self.writer.write(prompt, cache)
            except AnswerError as error:
                reason = str(error)
                continue
            reason = await self._took(prompt.key, answer)
            if not reason:
                return
        self._failed(prompt.key, reason)

    async def _took(self, chunk_id: str, answer: Mapping[str, Any]) -> str:
        """Keeps an answer that can be used; what is wrong with it otherwise."""
        reason = self._check(answer)
        self.outcome.answers[chunk_id] = answer
        if not reason:
            await self.remember({chunk_id: answer})
            done = len(self._prompts) - len(self.missing())
            self._clients.progress(self._stage, done, len(self._prompts))
        return reason

    def _failed(self, chunk_id: str, reason: str) -> None:
        failures = self.outcome.failures
        failures[chunk_id] = reason
        if len(failures) > self._section.max_failed * len(self._prompts):
            reasons = ", ".join(f"{why} {count}" for why, count in Counter(failures.values()).most_common(4))
            raise ProviderError(
                f"{self._stage}: {len(failures)} of {len(self._prompts)} sections have no usable answer of {self.writer.name} "
                f"({reasons}), more than {self._stage}.max_failed={self._section.max_failed:g}; what was answered is kept: look "
                "at the reasons, then run again, with another model or a higher limit"
            )

    async def by_batches(self) -> None:
        """Hands everything in at once and waits; what an earlier run handed in is taken up, not paid for again."""
        batches = Batches(self._stage, self._clients)
        for _ in range(2):
            reasons = await self._one_round(batches)
            if not reasons:
                return
        if batches.lost:  # that says nothing of the sections: they are not left to the rules
            raise batches.lost
        for chunk_id, reason in reasons.items():
            self._failed(chunk_id, reason)

    async def _one_round(self, batches: Batches) -> dict[str, str]:
        """Why sections have no usable answer, after all that are wanted were asked for once more."""
        wanted = {prompt.key for prompt in self.missing()} | self._unusable()
        reasons = dict.fromkeys(wanted, "no answer")
        places: dict[str, list[str]] = defaultdict(list)
        for chunk_id in wanted:
            places[self._keys[chunk_id].hex()].append(chunk_id)  # two sections with the same words are one question
        asked = {self._keys[one.key].hex(): one for one in self._prompts if one.key in wanted}
        async for answers in batches.answers([replace(prompt, key=key) for key, prompt in asked.items()]):
            for key, answer in answers.items():
                for chunk_id in places[key]:
                    reasons[chunk_id] = str(answer) if isinstance(answer, AnswerError) else await self._took(chunk_id, answer)
        return {chunk_id: reason for chunk_id, reason in reasons.items() if reason}

    def _unusable(self) -> set[str]:
        """Sections whose answer is there but was found wanting."""
        return {key for key, answer in self.outcome.answers.items() if key not in self.outcome.failures and self._check(answer)}
