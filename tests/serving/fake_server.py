"""Run as a script: the server over a small index in memory, over stdio or with --http as server.py takes it."""

from __future__ import annotations

import argparse

from serving_fakes import FakeReader, service_over

from vuedocs import config
from vuedocs.serving.http import run_http
from vuedocs.serving.server import build_server
from vuedocs.serving.stdio import protocol_stdout, run_stdio
from vuedocs.settings import Settings

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--http", action="store_true")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0)
    arguments = parser.parse_args()
    server = build_server(service_over(FakeReader()), config.load())
    if arguments.http:
        run_http(server, Settings.from_environment().server, arguments.host, arguments.port)
    else:
        with protocol_stdout() as wire:
            run_stdio(server, wire)
