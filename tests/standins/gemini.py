"""A stand-in of the Gemini API: generateContent, explicit caches and batches, below ``/v1`` and ``/v1beta``."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from starlette.requests import Request
from starlette.routing import Route

from .transport import Answer, Provider, endpoint
from .words import count_tokens, words

MODELS = (
    "gemini-2.5-flash-lite",
    "gemini-3.1-flash-lite",
    "gemini-3.5-flash-lite",
    "gemini-3.5-flash",
    "gemini-3.8-flash",
)
CACHE_MINIMUM = 1024
"""Tokens below which nothing can be cached explicitly."""


def error(code: int, status: str, message: str, *details: dict[str, Any]) -> Answer:
    """An error in the API's words."""
    return Answer({"error": {"code": code, "status": status, "message": message, "details": list(details)}}, code)


def _quota(period: str, delay: str) -> Answer:
    violation = {"quotaId": f"GenerateRequestsPer{period}PerProjectPerModel-FreeTier", "quotaValue": "10"}
    return error(
        429,
        "RESOURCE_EXHAUSTED",
        f"You exceeded your current quota. Please retry in {delay}.",
        {"@type": "type.googleapis.com/google.rpc.Help", "links": []},
        {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [violation]},
        {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay},
    )


BAD_KEY = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID", "domain": "googleapis.com"}
FAULTS = {
    "429": lambda: _quota("Minute", "0.25s"),
    "429-day": lambda: _quota("Day", "40000s"),
    "500": lambda: error(500, "INTERNAL", "An internal error has occurred."),
    "503": lambda: error(503, "UNAVAILABLE", "The model is overloaded. Please try again later."),
    "504": lambda: error(504, "DEADLINE_EXCEEDED", "The request timed out."),
    "bad-key": lambda: error(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", BAD_KEY),
    "no-permission": lambda: error(403, "PERMISSION_DENIED", "Your project has been denied access."),
}


@dataclass
class Kept:
    """Caches and batches that were made."""

    caches: dict[str, dict[str, Any]] = field(default_factory=dict)
    deleted: list[str] = field(default_factory=list)
    batches: dict[str, dict[str, Any]] = field(default_factory=dict)
    polls: dict[str, int] = field(default_factory=dict)
    numbers: Any = field(default_factory=count)


def routes(provider: Provider, kept: Kept, pending_polls: int = 1) -> list[Route]:
    """The API; a batch is done after so many polls."""

    async def model(body: dict[str, Any], fault: str, request: Request) -> Answer:
        if refused := _refused(request, fault):
            return refused
        name, _, method = request.path_params["call"].partition(":")
        if name not in MODELS:
            return error(404, "NOT_FOUND", f"models/{name} is not found for API version v1.")
        if method == "generateContent":
            return generate(name, body, fault, provider, kept)
        if method == "countTokens":
            return Answer({"totalTokens": count_tokens(_text(body.get("contents", [])))})
        if method == "batchGenerateContent":
            return _batch(name, body, fault, kept)
        return error(404, "NOT_FOUND", f"{method} is unknown.")

    async def caches(body: dict[str, Any], fault: str, request: Request) -> Answer:
        return _refused(request, fault) or _cache(body, kept)

    async def cache(body: dict[str, Any], fault: str, request: Request) -> Answer:
        name = f"cachedContents/{request.path_params['id']}"
        kept.caches.pop(name, None)
        kept.deleted.append(name)
        return Answer({})

    async def batch(body: dict[str, Any], fault: str, request: Request) -> Answer:
        if refused := _refused(request, fault):
            return refused
        name = f"batches/{request.path_params['id']}"
        if name not in kept.batches:
            return error(404, "NOT_FOUND", f"{name} is not found.")
        if fault == "batch-failed":
            return Answer({"name": name, "done": True, "metadata": {"state": "BATCH_STATE_FAILED"}})
        kept.polls[name] = kept.polls.get(name, 0) + 1
        if kept.polls[name] <= pending_polls:
            return Answer({"name": name, "metadata": {"state": "BATCH_STATE_RUNNING"}})
        return _finished(name, fault, provider, kept)

    async def batches(body: dict[str, Any], fault: str, request: Request) -> Answer:
        known = [{"name": name, "metadata": {"displayName": one["label"]}} for name, one in kept.batches.items()]
        return _refused(request, fault) or Answer({"operations": known})

    return [
        Route("/{version}/models/{call}", endpoint(provider, "generate", model), methods=["POST"]),
        Route("/{version}/cachedContents", endpoint(provider, "caches", caches), methods=["POST"]),
        Route("/{version}/cachedContents/{id}", endpoint(provider, "caches", cache), methods=["DELETE"]),
        Route("/{version}/batches", endpoint(provider, "batches", batches), methods=["GET"]),
        Route("/{version}/batches/{id}", endpoint(provider, "batches", batch), methods=["GET"]),
    ]


def _refused(request: Request, fault: str) -> Answer | None:
    key = request.headers.get("x-goog-api-key", "")
    if not key or key.startswith("bad"):
        return FAULTS["bad-key"]()
    return FAULTS[fault]() if fault in FAULTS else None


def generate(model: str, body: dict[str, Any], fault: str, provider: Provider, kept: Kept) -> Answer:
    """One answer, or the way in which it fails."""
    settings = body.get("generationConfig", {})
    if problem := _validation(model, body, settings, kept):
        return problem
    cached = kept.caches.get(body.get("cachedContent", ""))
    prompt = _text(body.get("contents", [])) + _text([body.get("systemInstruction", {})])
    cached_tokens = cached["tokens"] if cached else 0
    asked = count_tokens(prompt) + cached_tokens
    if refusal := provider.limits.refusal(asked):
        return _quota("Minute", f"{provider.limits.window:.3f}s") if refusal else error(500, "INTERNAL", "")
    schema = settings.get("responseJsonSchema") or settings.get("responseSchema") or {}
    answer = json.dumps(_written(schema, _last_part(body), fault))
    reply: dict[str, Any] = {"modelVersion": "gemini-3.8-flash" if fault == "other-model" else model, "responseId": "r-1"}
    written = count_tokens(answer)
    if fault == "blocked":
        reply["promptFeedback"] = {"blockReason": "PROHIBITED_CONTENT"}
        written = 0
    elif fault == "max-tokens":
        reply["candidates"] = [{"index": 0, "finishReason": "MAX_TOKENS", "content": {"role": "model"}}]
    else:
        cut = fault == "cut"
        text = answer[: len(answer) // 2] if cut else "" if fault == "empty" else answer
        content = {"role": "model", "parts": [{"text": text}]}
        reply["candidates"] = [{"index": 0, "finishReason": "MAX_TOKENS" if cut else "STOP", "content": content}]
    thoughts = 7 if settings.get("thinkingConfig", {}).get("thinking_level") else 0
    usage = {"promptTokenCount": asked, "candidatesTokenCount": written, "thoughtsTokenCount": thoughts}
    reply["usageMetadata"] = usage | {"totalTokenCount": asked + written + thoughts}
    if cached:
        reply["usageMetadata"]["cachedContentTokenCount"] = cached_tokens
    return Answer(reply, tokens=asked + written + thoughts, texts=(_last_part(body),))


def _validation(model: str, body: dict[str, Any], settings: dict[str, Any], kept: Kept) -> Answer | None:
    thinking = settings.get("thinkingConfig", {})
    level, budget = "thinking_level" in thinking, "thinking_budget" in thinking
    if level and budget:
        return error(400, "INVALID_ARGUMENT", "You can only set one of thinking budget and thinking level.")
    if level and "2.5" in model:
        return error(400, "INVALID_ARGUMENT", "Thinking level is not supported for this model.")
    if level and model == "gemini-3.8-flash" and str(thinking["thinking_level"]).lower() == "minimal":
        return error(400, "INVALID_ARGUMENT", "Thinking level MINIMAL is not supported for this model.")
    if "cachedContent" in body:
        if body["cachedContent"] not in kept.caches:
            return error(403, "PERMISSION_DENIED", "CachedContent not found (or permission denied)")
        if "systemInstruction" in body:
            return error(400, "INVALID_ARGUMENT", "CachedContent can not be used with system_instruction.")
    return None


def _parts(contents: list[dict[str, Any]]) -> list[str]:
    return [part.get("text", "") for content in contents for part in content.get("parts", [])]


def _text(contents: list[dict[str, Any]]) -> str:
    return "\n".join(_parts(contents))


def _last_part(body: dict[str, Any]) -> str:
    return (_parts(body.get("contents", [])) or [""])[-1]


def _written(schema: dict[str, Any], text: str, fault: str) -> dict[str, Any]:
    """What the schema asks for, made of the words of the prompt's last part."""
    properties = schema.get("properties", {})
    heading = next(iter(re.findall(r"^#+ (.+)$", text, re.MULTILINE)), "this")
    said = [word for word in dict.fromkeys(words(text)) if len(word) > 4]
    answer: dict[str, Any] = {}
    if "context" in properties:
        answer["context"] = f"This section of the documentation is about {heading}: {', '.join(said[:12])}."
    if "questions" in properties:
        wanted = int(properties["questions"].get("minItems") or properties["questions"].get("min_items") or 5)
        asked = [f"How do I use {' '.join(said[n : n + 3])} for {heading}?" for n in range(wanted)]
        answer["questions"] = asked[:3] if fault == "few" else asked
    return answer


def _cache(body: dict[str, Any], kept: Kept) -> Answer:
    tokens = count_tokens(_text(body.get("contents", [])) + _text([body.get("systemInstruction", {})]))
    if tokens < CACHE_MINIMUM:
        return error(400, "INVALID_ARGUMENT", f"Cached content is too small. total_token_count={tokens}, min={CACHE_MINIMUM}")
    name = f"cachedContents/c{next(kept.numbers)}"
    kept.caches[name] = {**body, "tokens": tokens}
    answer = {"name": name, "model": body.get("model"), "usageMetadata": {"totalTokenCount": tokens}}
    return Answer(answer | {"expireTime": "2030-01-01T00:00:00Z"}, tokens=tokens)


def _batch(model: str, body: dict[str, Any], fault: str, kept: Kept) -> Answer:
    name, batch = f"batches/b{next(kept.numbers)}", body["batch"]
    requests = batch["inputConfig"]["requests"]["requests"]
    kept.batches[name] = {"model": model, "requests": requests, "label": batch.get("displayName", "")}
    if fault == "answer-lost":  # it is made, but nobody is told
        return FAULTS["504"]()
    return Answer({"name": name, "metadata": {"state": "BATCH_STATE_PENDING"}})


def _finished(name: str, fault: str, provider: Provider, kept: Kept) -> Answer:
    batch = kept.batches[name]
    responses: list[dict[str, Any]] = []
    tokens, texts = 0, []
    for number, entry in enumerate(batch["requests"]):
        one = fault if number == 0 else ""
        answer = generate(batch["model"], entry["request"], one, provider, kept)
        outcome = {"error": {"code": 13, "message": "internal"}} if one == "entry-error" else {"response": dict(answer.body)}
        responses.append({"metadata": entry.get("metadata", {}), **outcome})
        tokens += answer.tokens
        texts += answer.texts
    done = {"state": "BATCH_STATE_SUCCEEDED", "output": {"inlinedResponses": {"inlinedResponses": responses[::-1]}}}
    first = kept.polls[name] == 2
    return Answer(
        {"name": name, "done": True, "metadata": done, "response": {"inlinedResponses": {"inlinedResponses": responses[::-1]}}},
        tokens=tokens if first else 0,
        texts=tuple(texts) if first else (),
    )
