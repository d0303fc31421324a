"""Retrieval over the documentation of the Vue ecosystem: ingest, query, bench and an MCP server."""

__version__ = "0.1.0"
