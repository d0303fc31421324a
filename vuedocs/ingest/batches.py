"""Prompts that are answered by batches, hours later and at half the price: each is handed in once, whatever happens meanwhile.

A prompt's content leads to the batch that it is in. That is remembered before a batch is handed in (by a label, under which it is
found again where the answer was lost), as soon as its name is known, and when its answers were taken. So a run that was stopped
at any moment takes up what is under way, for the prompts that are still wanted, and hands in only the rest.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from functools import partial
from typing import Any

from vuedocs.clients import Prompt
from vuedocs.clients.parallel import in_parallel
from vuedocs.errors import AnswerError, BatchLostError, ProviderError, ProviderRefusedError
from vuedocs.ingest.clients import IngestClients
from vuedocs.ingest.memory import memory_key

log = logging.getLogger(__name__)

KIND = "batch"
OUTAGES = 40
"""Polls in a row that may fail, each of several attempts, before the run is given up; the batch goes on."""

Answers = Mapping[str, Mapping[str, Any] | AnswerError]
"""By the prompts' keys."""


class Batches:
    """The batches of one stage. A prompt's key is that of its content: its answer comes under it."""

    def __init__(self, stage: str, clients: IngestClients) -> None:
        self.lost: BatchLostError | None = None
        """Why prompts of the last :meth:`answers` have none, where a whole batch was lost."""
        self._writer = clients.writers[stage]
        self._stage = stage
        self._database = clients.database
        self._ledger = clients.ledger

    async def answers(self, prompts: Sequence[Prompt]) -> AsyncIterator[Answers]:
        """The answers of one batch after the other; each counts as taken when the next is asked for."""
        self.lost = None
        under_way, turns = await self._under_way(prompts)
        for name, inside in under_way.items():
            self._writer.resume(name, inside)
        groups = self._writer.batches([prompt for prompt in prompts if prompt.key in turns])
        await in_parallel((partial(self._hand_in, group, turns, under_way) for group in groups), 1)
        for name, inside in under_way.items():
            try:
                found = await self._ended(name)
            except BatchLostError as error:
                log.warning("%s", error)
                self.lost = error
            else:
                wanted = {prompt.key for prompt in inside}
                yield {key: answer for key, answer in found.items() if key in wanted}
            if self._ledger is not None:
                await self._ledger.flush()
            await self._database.remember({_over(name): b"1"}, KIND)

    async def _under_way(self, prompts: Sequence[Prompt]) -> tuple[dict[str, list[Prompt]], dict[str, int]]:
        """The batches whose answers were not taken yet, with their prompts; and which turn it is for each of the others."""
        found: dict[str, list[Prompt]] = {}
        turns: dict[str, int] = {}
        waiting, turn = list(prompts), 0
        while waiting:
            marks = {self._mark(prompt, turn): prompt for prompt in waiting}
            names = {mark: name.decode() for mark, name in (await self._database.remembered(list(marks))).items()}
            over = await self._database.remembered([_over(name) for name in set(names.values())])
            turns |= {prompt.key: turn for mark, prompt in marks.items() if mark not in names}
            waiting = [marks[mark] for mark, name in names.items() if _over(name) in over]
            for mark, name in names.items():
                if _over(name) not in over:
                    found.setdefault(name, []).append(marks[mark])
            turn += 1
        return found, turns

    async def _hand_in(self, group: Sequence[Prompt], turns: Mapping[str, int], under_way: dict[str, list[Prompt]]) -> None:
        marks = sorted(self._mark(prompt, turns[prompt.key]) for prompt in group)
        label = f"vuedocs-{hashlib.sha256(b''.join(marks)).hexdigest()[:40]}"
        intent = memory_key("", "batch intent", {}, label)
        perhaps = bool(await self._database.remembered([intent]))
        await self._database.remember({intent: b"1"}, KIND)
        name = await self._writer.submit(group, label, perhaps=perhaps)
        await self._database.remember(dict.fromkeys(marks, name.encode()), KIND)
        under_way[name] = list(group)

    async def _ended(self, name: str) -> Answers:
        failed = 0
        while True:
            try:
                answers = await self._writer.collect(name)
                failed = 0
            except ProviderRefusedError:
                raise
            except ProviderError as error:
                answers, failed = None, failed + 1
                if failed == OUTAGES:
                    raise ProviderError(f"{error}. {name} goes on: the next ingest takes it up and pays nothing again") from error
                log.warning("%s is asked for again: %s", name, error)
            if answers is not None:
                return answers
            await asyncio.sleep(self._writer.poll_seconds)

    def _mark(self, prompt: Prompt, turn: int) -> bytes:
        """Under which the name of the batch is remembered that a prompt was in when it was asked for the n-th time."""
        return memory_key(self._writer.name, f"{self._stage} batch", {"turn": turn}, prompt.key)


def _over(name: str) -> bytes:
    """Under which it is remembered that a batch's answers were taken, or that it has none."""
    return memory_key("", "batch over", {}, name)
