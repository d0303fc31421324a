"""Views of the query log: what the server was asked and seems not to have answered well, and drafts of questions from it."""

from __future__ import annotations

from collections.abc import Sequence

from vuedocs.bench import GoldenQuestion
from vuedocs.bench.drafts import write_drafts
from vuedocs.bench.mining import Asked, asked_drafts, counted, mine
from vuedocs.query.reader import Reader
from vuedocs.workbench.session import placed
from vuedocs.workbench.tables import Findings, Table

NO_LOG = "The query log of the last {days} days holds no question of {sources}: the server keeps one with VUEDOCS_QUERY_LOG=1."


class Mined:
    """What was asked of some sources in some days, and whose answer is suspected."""

    def __init__(self, found: Sequence[Asked], asked: int, days: int, sources: Sequence[str]) -> None:
        self.found = list(found)
        self.asked = asked
        self.days = days
        self.sources = list(sources)

    @classmethod
    async def read(cls, reader: Reader, questions: Sequence[GoldenQuestion], days: int) -> Mined:
        """Of the sources that ``questions`` are about."""
        sources = sorted({question.source for question in questions})
        found: list[Asked] = []
        total = 0
        for source in sources:
            own = [question for question in questions if question.source == source]
            count, suspected = await mine(reader, reader.database.queries, source, own, days)
            total, found = total + count, found + suspected
        return cls(found, total, days, sources)

    def table(self, top: int) -> Table:
        """The questions, worst first, with what was served."""
        rows = [
            (asked.query, asked.times, f"{asked.last:%Y-%m-%d}", asked.reasons, _near(asked), "\n".join(asked.served[:3]))
            for asked in self.found[:top]
        ]
        columns = ("asked", "times", "last", "suspected because", "nearness", "served first")
        return Table(columns, rows, f"Asked in the last {self.days} days and, it seems, not answered well", height=640)

    def draft(self, path: str) -> Findings:
        """Writes the questions as drafts into ``path``, to be judged in 11_judge; ``""`` writes nothing.

        Raises StorageError where the file is there already.
        """
        if not self.asked:
            return Findings([NO_LOG.format(days=self.days, sources=" and ".join(self.sources))])
        why = ", ".join(f"{reason} {count}" for reason, count in counted(self.found).items()) or "none"
        said = [f"{self.asked} different questions were asked; the answers to {len(self.found)} are suspected ({why})."]
        if path and self.found:
            write_drafts(asked_drafts(self.found), placed(path))
            said.append(f"Written to {placed(path)}: delete what nobody should have asked, and judge the rest in 11_judge.")
        return Findings(said)


def _near(asked: Asked) -> str:
    return "" if asked.nearness is None else f"{asked.nearness:.2f}"
