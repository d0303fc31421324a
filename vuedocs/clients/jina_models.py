"""Jina's models behind the protocols: an embedder and a reranker over one JinaClient."""

from __future__ import annotations

import base64
import logging
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from vuedocs.clients.hosted_models import JINA_MODELS
from vuedocs.clients.jina import JinaClient, count_tokens, texts_in_blocks, token_spans
from vuedocs.errors import IncompleteError, ProviderError, VuedocsError
from vuedocs.records import Vector

log = logging.getLogger(__name__)

MOST_TEXTS = 512
"""Of one call, by the API."""
MOST_TOKENS = 32_000
"""Of one call, by us: large enough to be efficient, small enough to lose little."""
CALLS_A_WINDOW = 40
"""A call takes at most this share of the token allowance, so that little of it is left over for being too small for a call."""
ROUNDS = 3
"""How often what was missing or unusable in an answer is asked for, the first time included."""
MOST_DOCUMENTS = 64
"""Of one rerank call: the model sees so many together, and scores of different windows cannot be compared."""
LONGEST = 1000.0
"""A vector's length is about 1, before it is made 1 here; one of bytes that were read in the wrong order is out of all bounds."""
DOCUMENT_TOKENS = 2048
"""The reranker cuts longer documents, silently."""


class JinaEmbedder:
    """An embedding model of Jina's, at a Matryoshka size ``dims``; vectors have unit length."""

    def __init__(self, client: JinaClient, model: str, dims: int) -> None:
        client.ledger.check_price(model)
        self.name = model
        self.dims = dims
        self.max_tokens = JINA_MODELS[model].max_tokens
        self.parallel = client.service.concurrency
        self._client = client
        self._query_form = "base64" if JINA_MODELS[model].base64 else "float"

    def plan(self, texts: Iterable[str]) -> Iterator[list[str]]:
        """The texts in blocks for one call each; made one by one, as answers show how long texts really are."""
        allowed = self._client.service.tokens
        tokens = min(MOST_TOKENS, max(1, allowed // CALLS_A_WINDOW)) if allowed else MOST_TOKENS
        return texts_in_blocks(texts, MOST_TEXTS, lambda: tokens / self._client.billed_share)

    async def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """One vector a text, shape (n, dims), for texts that are stored; ProviderError when Jina gives fewer or other ones.

        Where some are good when it fails, it is an IncompleteError that holds them. A block of :meth:`plan` is one call.
        """
        arrived: dict[int, Vector] = {}
        try:
            for start in range(0, len(texts), MOST_TEXTS):
                places = range(start, min(start + MOST_TEXTS, len(texts)))
                await self._fill(arrived, texts, places, "retrieval.passage", "embed")
        except VuedocsError as error:
            if arrived:
                raise IncompleteError(error, arrived) from error
            raise
        return np.stack([arrived[place] for place in range(len(texts))]) if texts else np.zeros((0, self.dims), np.float32)

    async def embed_query(self, text: str) -> Vector:
        """The vector of a query.

        Where the model may give it as base64 it is asked for so, for somebody waits, and digits are four times as many bytes and
        take a while to read. How the bytes are laid out is not in the contract: where they cannot be used, it is asked for in
        digits, now and from then on.
        """
        arrived: dict[int, Vector] = {}
        await self._fill(arrived, [text], [0], "retrieval.query", "detect", self._query_form)
        return arrived[0]

    def offsets(self, text: str) -> list[tuple[int, int]]:
        """Start and end character of each token, estimated: the model's own tokenizer is not here."""
        return token_spans(text)

    async def aclose(self) -> None:
        """The connections are the client's, which whoever opened it closes."""

    async def _fill(
        self,
        arrived: dict[int, Vector],
        texts: Sequence[str],
        places: Sequence[int],
        task: str,
        stage: str,
        form: str = "float",
    ) -> None:
        """Puts the vectors of the texts at ``places`` into ``arrived``, by place, also where it fails in the end.

        What came is kept; what was missing or unusable in an answer is asked for again, and that alone.
        """
        missing = list(places)
        problem = ""
        for _ in range(ROUNDS):
            asked = [texts[place] for place in missing]
            body = {"model": self.name, "task": task, "dimensions": self.dims, "embedding_type": form, "input": asked}
            answer = await self._client.call("embeddings", body, sum(map(count_tokens, asked)), stage)
            found, problem = usable(answer.get("data"), len(asked), self.dims)
            arrived.update({missing[number]: vector for number, vector in found.items()})
            missing = [place for number, place in enumerate(missing) if number not in found]
            if not missing:
                return
            if form == "base64":
                log.warning("%s: no vector can be read from base64 (%s); it is asked for in digits", self.name, problem)
                form = self._query_form = "float"
        raise ProviderError(
            f"{self.name} answered {ROUNDS} times without {len(missing)} of {len(places)} vectors that can be used ({problem}); "
            f"see that the model gives embed.dims={self.dims} dimensions, or try again later"
        )


def usable(data: Any, asked: int, dims: int) -> tuple[dict[int, Vector], str]:
    """Unit vectors by their place in the request, matched by index; and what is wrong with the rest, in words."""
    found: dict[int, Vector] = {}
    problem = ""
    for item in data if isinstance(data, list) else []:
        index, values = (item.get("index"), item.get("embedding")) if isinstance(item, dict) else (None, None)
        if not isinstance(index, int) or not 0 <= index < asked:
            problem = problem or "an entry without a place in the request"
            continue
        with np.errstate(over="ignore", invalid="ignore"):  # what is out of all bounds is found by its length
            vector = numbers(values)
            length = float(np.linalg.norm(vector))
        if vector.shape != (dims,):
            problem = problem or f"{vector.size} dimensions in place of {dims}"
        elif not 0 < length < LONGEST:
            problem = problem or f"a vector of length {length:g} in place of 1"
        else:
            found[index] = vector / np.float32(length)
    return found, problem or f"{len(found)} vectors for {asked} texts"


def numbers(values: Any) -> Vector:
    """A vector as an answer gives it, in digits or as base64 of float32, the lowest byte first; none for anything else."""
    try:
        if isinstance(values, str):
            return np.frombuffer(base64.b64decode(values), "<f4")
        if isinstance(values, list):
            return np.asarray(values, np.float32)
    except (TypeError, ValueError, OverflowError):  # such as letters that are no base64, half a number, words in a list
        pass
    return np.zeros(0, np.float32)


class JinaReranker:
    """A reranker of Jina's. Scores are cosines in [-1, 1], mostly in [-.2, .6], and compare only within one call."""

    def __init__(self, client: JinaClient, model: str) -> None:
        client.ledger.check_price(model)
        self.name = model
        self._client = client

    async def rerank(self, query: str, documents: Sequence[str]) -> list[float]:
        """One score a document, in the order given, for at most 64 documents. ProviderError when Jina scores fewer."""
        if len(documents) > MOST_DOCUMENTS:
            raise ValueError(f"{len(documents)} documents: scores of more than {MOST_DOCUMENTS} cannot be compared")
        body = {
            "model": self.name,
            "query": query,
            "documents": list(documents),
            "return_documents": False,
            "max_doc_length": DOCUMENT_TOKENS,
        }
        tokens = count_tokens(query) + sum(min(DOCUMENT_TOKENS, count_tokens(text)) for text in documents)
        answer = await self._client.call("rerank", body, tokens, "rerank")
        scores = scores_by_place(answer.get("results"), len(documents))
        if len(scores) < len(documents):
            raise ProviderError(f"{self.name} scored {len(scores)} of {len(documents)} documents; try again later")
        return [scores[place] for place in range(len(documents))]

    async def aclose(self) -> None:
        """The connections are the client's, which whoever opened it closes."""


def scores_by_place(results: Any, documents: int) -> dict[int, float]:
    """Score by place in the request; what has no place or no finite score is left out."""
    scores: dict[int, float] = {}
    for item in results if isinstance(results, list) else []:
        index, score = (item.get("index"), item.get("relevance_score")) if isinstance(item, dict) else (None, None)
        if isinstance(index, int) and 0 <= index < documents and isinstance(score, (int, float)) and np.isfinite(score):
            scores[index] = float(score)
    return scores
