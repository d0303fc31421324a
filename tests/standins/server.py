"""Jina, Gemini and a Qdrant server on one port, over real HTTP, with an address to switch faults on and to read the counts.

with running() as standin:
    standin.jina.faults.waiting.append(parse("embeddings:429-tokens:2"))
    ... JINA_BASE_URL=standin.jina_url, GEMINI_BASE_URL=standin.gemini_url ...
    standin.jina.calls.statuses("embeddings")
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route

from . import gemini as gemini_api
from . import jina as jina_api
from . import qdrant as qdrant_api
from .calls import Calls
from .faults import parse
from .transport import Provider


@dataclass
class Standin:
    """All providers; their state may be read and changed while they serve."""

    jina: Provider = field(default_factory=Provider)
    gemini: Provider = field(default_factory=Provider)
    qdrant: Provider = field(default_factory=Provider)
    kept: gemini_api.Kept = field(default_factory=gemini_api.Kept)
    index: qdrant_api.Kept = field(default_factory=qdrant_api.Kept)
    url: str = ""

    @property
    def jina_url(self) -> str:
        """What JINA_BASE_URL is set to."""
        return f"{self.url}/jina/v1"

    @property
    def gemini_url(self) -> str:
        """What GEMINI_BASE_URL is set to."""
        return f"{self.url}/gemini"

    @property
    def qdrant_url(self) -> str:
        """What QDRANT_URL is set to."""
        return f"{self.url}/qdrant"

    def providers(self) -> dict[str, Provider]:
        """By name."""
        return {"jina": self.jina, "gemini": self.gemini, "qdrant": self.qdrant}

    def app(self) -> Starlette:
        """The ASGI application: ``/jina``, ``/gemini``, ``/qdrant`` and ``/admin``."""
        return Starlette(
            routes=[
                Mount("/jina", routes=jina_api.routes(self.jina)),
                Mount("/gemini", routes=gemini_api.routes(self.gemini, self.kept)),
                Mount("/qdrant", routes=qdrant_api.routes(self.qdrant, self.index)),
                Route("/admin/counts", self._counts, methods=["GET"]),
                Route("/admin/calls", self._calls, methods=["GET"]),
                Route("/admin/faults", self._faults, methods=["POST"]),
                Route("/admin/limits", self._limits, methods=["POST"]),
                Route("/admin/reset", self._reset, methods=["POST"]),
            ]
        )

    async def _counts(self, request: Request) -> Response:
        return JSONResponse({name: provider.calls.summary() for name, provider in self.providers().items()})

    async def _calls(self, request: Request) -> Response:
        """Milliseconds that each call took here, in order."""
        return JSONResponse({name: [c.own_milliseconds for c in one.calls.seen] for name, one in self.providers().items()})

    async def _faults(self, request: Request) -> Response:
        """``{"jina": ["embeddings:429:2"], "gemini": ["generate:blocked:always"]}`` replaces what is switched on."""
        for name, texts in (await request.json()).items():
            self.providers()[name].faults.waiting[:] = [parse(text) for text in texts]
        return JSONResponse({"ok": True})

    async def _limits(self, request: Request) -> Response:
        """``{"jina": {"requests": 100, "tokens": 100000, "window": 0.6}}``."""
        for name, values in (await request.json()).items():
            for key, value in values.items():
                setattr(self.providers()[name].limits, key, value)
        return JSONResponse({"ok": True})

    async def _reset(self, request: Request) -> Response:
        for provider in self.providers().values():
            provider.calls = Calls()
            provider.faults.waiting.clear()
            provider.limits.accepted.clear()
        return JSONResponse({"ok": True})


class _Server(uvicorn.Server):
    def install_signal_handlers(self) -> None:
        """Signals belong to the program around it."""


@contextmanager
def running(port: int = 0, **settings: Any) -> Iterator[Standin]:
    """A stand-in that serves on this machine, in a thread, until the context ends; ``url`` is set by then."""
    standin = Standin(**settings)
    quiet: dict[str, Any] = {"log_level": "critical", "lifespan": "off"}
    config = uvicorn.Config(standin.app(), port=port, timeout_keep_alive=60, timeout_graceful_shutdown=1, **quiet)
    server = _Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    deadline = time.monotonic() + 10
    while not server.started:
        assert thread.is_alive(), f"the stand-in cannot listen on port {port}"
        assert time.monotonic() < deadline, "the stand-in does not start"
        time.sleep(0.01)
    standin.url = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    try:
        yield standin
    finally:
        server.should_exit = True
        thread.join(timeout=10)
