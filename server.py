"""The MCP server of vuedocs: over stdio, or over HTTP with --http."""

from __future__ import annotations

import argparse
import sys

from vuedocs.errors import VuedocsError
from vuedocs.serving import DEFAULT_HOST, DEFAULT_PORT, serve
from vuedocs.settings import Settings

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--http", action="store_true", help="serve over HTTP at /mcp and /health instead of stdio")
    parser.add_argument("--host", default=DEFAULT_HOST, help="address to bind to with --http (%(default)s)")
    parser.add_argument("--port", type=int, default=DEFAULT_PORT, help="port to bind to with --http (%(default)s)")
    arguments = parser.parse_args()
    try:
        serve(Settings.from_environment(), http=arguments.http, host=arguments.host, port=arguments.port)
    except VuedocsError as error:
        print(error, file=sys.stderr)
        sys.exit(error.exit_code)
