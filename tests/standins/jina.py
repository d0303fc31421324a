"""A stand-in of api.jina.ai: embeddings and rerank, with the errors, limits and silences of the real one as far as known."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
from starlette.requests import Request
from starlette.routing import Route

from .transport import Answer, Provider, endpoint
from .words import count_tokens, vector

MODELS = {
    "jina-embeddings-v3": (1024, 8192),
    "jina-embeddings-v4": (2048, 32768),
    "jina-embeddings-v5-text-small": (1024, 32768),
    "jina-embeddings-v5-text-nano": (768, 8192),
}
"""Dimensions and longest input."""
RERANKERS = ("jina-reranker-v3", "jina-reranker-v3.5")
TASKS = ("retrieval.query", "retrieval.passage", "text-matching", "code.query", "code.passage")
MAX_ITEMS = 512
WINDOW_DOCUMENTS = 64
"""Documents that the reranker sees together: scores of one window cannot be compared with another's."""


def error(status: int, code: str, detail: str, **headers: str) -> Answer:
    """An error in the API's words."""
    return Answer({"detail": detail, "code": code, "request_id": "r-1"}, status, headers=headers)


FAULTS = {
    "429": lambda: error(429, "RATE_REQUEST_LIMIT_EXCEEDED", "Rate limit exceeded."),
    "429-after": lambda: error(429, "RATE_REQUEST_LIMIT_EXCEEDED", "Rate limit exceeded.", **{"Retry-After": "1"}),
    "429-tokens": lambda: error(429, "RATE_TOKEN_LIMIT_EXCEEDED", "Per token rate limit exceeded."),
    "500": lambda: error(500, "INTERNAL_ERROR", "Internal error."),
    "503": lambda: error(503, "SERVICE_UNAVAILABLE", "Service unavailable."),
    "504": lambda: error(504, "SERVICE_TIMEOUT", "Timed out."),
    "no-credit": lambda: error(
        403,
        "AUTHZ_INSUFFICIENT_BALANCE",
        "Insufficient account balance. Top up your account at https://jina.ai/api-dashboard/key-manager.",
    ),
    "bad-key": lambda: error(401, "AUTH_INVALID_API_KEY", "Invalid API key."),
}


def routes(provider: Provider) -> list[Route]:
    """The API, below ``/v1``."""

    async def embeddings(body: dict[str, Any], fault: str, request: Request) -> Answer:
        return _refused(request) or _fault(fault) or _embeddings(body, fault, provider)

    async def rerank(body: dict[str, Any], fault: str, request: Request) -> Answer:
        return _refused(request) or _fault(fault) or _rerank(body, fault, provider)

    return [
        Route("/v1/embeddings", endpoint(provider, "embeddings", embeddings), methods=["POST"]),
        Route("/v1/rerank", endpoint(provider, "rerank", rerank), methods=["POST"]),
    ]


def _refused(request: Request) -> Answer | None:
    key = request.headers.get("authorization", "")
    if not key:
        return error(401, "AUTH_MISSING_API_KEY", "Missing API key.")
    return None if key.startswith("Bearer jina_") else FAULTS["bad-key"]()


def _fault(fault: str) -> Answer | None:
    return FAULTS[fault]() if fault in FAULTS else None


def _limited(provider: Provider, tokens: int) -> Answer | None:
    refusal = provider.limits.refusal(tokens)
    code = {"requests": "RATE_REQUEST_LIMIT_EXCEEDED", "tokens": "RATE_TOKEN_LIMIT_EXCEEDED"}
    return error(429, code.get(refusal, "RATE_CONCURRENCY_LIMIT_EXCEEDED"), f"Per {refusal} limit exceeded.") if refusal else None


def _embeddings(body: dict[str, Any], fault: str, provider: Provider) -> Answer:
    model = body.get("model")
    if model not in MODELS:
        return error(400, "INPUT_MODEL_NOT_FOUND", f"Model {model!r} not found.")
    dims, longest = MODELS[model]
    given = body.get("input")
    texts = [item["text"] if isinstance(item, dict) else item for item in (given if isinstance(given, list) else [given])]
    wanted = body.get("dimensions", dims)
    problem = _validation(texts, model, wanted, dims, body)
    if problem:
        return problem
    counts = [count_tokens(text) for text in texts]
    if (max(counts) > longest or fault == "too-long") and not body.get("truncate", False):
        return error(400, "INPUT_TOKEN_LIMIT_EXCEEDED", f"Input exceeds the limit of {longest} tokens.")
    if refused := _limited(provider, sum(counts)):
        return refused
    task = body.get("task", "text-matching")
    packed = body.get("embedding_type", "float") == "base64"
    data = [_item(index, text, task, wanted, fault, packed) for index, text in enumerate(texts)]
    if fault == "fewer":
        data = data[:-1]
    if fault == "reordered":
        data = data[::-1]
    usage = {"total_tokens": sum(counts), "prompt_tokens": sum(counts)}
    return Answer({"model": model, "object": "list", "usage": usage, "data": data}, tokens=sum(counts), texts=tuple(texts))


def _validation(texts: list[Any], model: str, wanted: Any, dims: int, body: dict[str, Any]) -> Answer | None:
    field = f"body -> {model}"
    if len(texts) > MAX_ITEMS:
        return Answer({"detail": f"Validation error: '{field}' Each input list can contain at most {MAX_ITEMS} items."}, 422)
    if not texts or not all(isinstance(text, str) and text for text in texts):
        return Answer({"detail": f"Validation error: '{field}' Input must be non-empty strings."}, 422)
    if not isinstance(wanted, int) or not 1 <= wanted <= dims:
        return Answer({"detail": f"Validation error: '{field}' dimensions must be from 1 to {dims}."}, 422)
    if body.get("task", "text-matching") not in TASKS:
        return Answer({"detail": f"Validation error: '{field}' task must be one of {', '.join(TASKS)}."}, 422)
    if body.get("embedding_type", "float") not in ("float", "base64"):
        return Answer({"detail": f"'{field}': the stand-in has no such embedding_type."}, 422)
    return None


def _item(index: int, text: str, task: str, dims: int, fault: str, packed: bool) -> dict[str, Any]:
    if fault == "wrong-dims":
        dims //= 2
    family = 1.0 if task.startswith("retrieval") else -1.0  # another adapter: not to be compared with retrieval's vectors
    values = np.round(vector(text, dims) * np.float32(1.02) * np.float32(family), 6).tolist()  # not quite unit length
    if fault == "nan":
        values[0] = float("nan")
    if packed:  # little-endian float32, as far as anybody says
        order = ">f4" if fault == "big-endian" else "<f4"
        return {"object": "embedding", "index": index, "embedding": base64.b64encode(np.asarray(values, order)).decode()}
    return {"object": "embedding", "index": index, "embedding": values}


def _rerank(body: dict[str, Any], fault: str, provider: Provider) -> Answer:
    model, query, documents = body.get("model"), body.get("query"), body.get("documents")
    if model not in RERANKERS:
        return error(400, "INPUT_MODEL_NOT_FOUND", f"Model {model!r} not found.")
    if not isinstance(query, str) or not query or not isinstance(documents, list) or not documents:
        return Answer({"detail": f"Validation error: 'body -> {model}' query and documents are required."}, 422)
    texts = [item["text"] if isinstance(item, dict) else item for item in documents]
    longest = body.get("max_doc_length", 2048)
    tokens = count_tokens(query) + sum(min(longest, count_tokens(text)) for text in texts)
    if refused := _limited(provider, tokens):
        return refused
    results = [{"index": index, "relevance_score": score} for index, score in enumerate(_relevance(query, texts))]
    results.sort(key=lambda result: -result["relevance_score"])
    if body.get("return_documents", True):
        results = [{**result, "document": {"text": texts[int(result["index"])]}} for result in results]
    if fault == "fewer":
        results = results[:-1]
    if fault == "reordered":
        results = results[::-1]
    if fault == "nan":
        results[0]["relevance_score"] = float("nan")
    results = results[: body.get("top_n") or len(results)]
    answer = {"model": model, "object": "list", "usage": {"total_tokens": tokens}, "results": results}
    return Answer(answer, tokens=tokens, texts=(query, *texts))


def _relevance(query: str, texts: list[str]) -> list[float]:
    """Cosines on the reranker's own scale: about .2 to .6 for what answers, about -.15 to .15 for what does not."""
    asked = vector(query, 256)
    scores = []
    for start in range(0, len(texts), WINDOW_DOCUMENTS):
        group = texts[start : start + WINDOW_DOCUMENTS]
        cosines = [float(asked @ vector(text[:4000], 256)) for text in group]
        shift = 0.02 * len(group) / WINDOW_DOCUMENTS  # listwise: a score depends on its company
        scores += [round(0.9 * cosine - 0.13 - shift, 6) for cosine in cosines]
    return scores
