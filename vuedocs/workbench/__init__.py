"""What notebooks call: the state up to a stage, and tables, plots and findings about it, one module a notebook.

    config, settings = configure("hype.rules=never")
    async with ingest_clients(config, settings) as clients:
        before = await up_to("entities", "vue", config, settings, clients)
        state = await enrich(before, config.enrich, clients)

Tables and findings show themselves in a notebook and as plain text; plots are matplotlib figures.
"""

from vuedocs.workbench.session import configure, golden, placed, progress, up_to
from vuedocs.workbench.tables import Cards, Findings, Table

__all__ = ["Cards", "Findings", "Table", "configure", "golden", "placed", "progress", "up_to"]
