"""vuedocs: the command line.

Exit codes: 0 done, 1 something failed, 2 the request was wrong and nothing was changed, 130 and 143 stopped (Ctrl-C, SIGTERM).
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

from vuedocs import __version__
from vuedocs.errors import VuedocsError


def parser() -> argparse.ArgumentParser:
    """The whole command line; each subcommand sets ``command``, a coroutine function over the parsed arguments."""
    root = argparse.ArgumentParser(prog="vuedocs", description="Retrieval over the documentation of the Vue ecosystem.")
    root.add_argument("--version", action="version", version=__version__)
    commands = root.add_subparsers(metavar="COMMAND", required=True)
    _add_ingest(commands)
    _add_watch(commands)
    _add_reading(commands)
    _add_inspection(commands)
    _add_bench(commands)
    _add_judging(commands)
    _add_run(commands)
    _add_serve(commands)
    return root


def _configured(command: argparse.ArgumentParser) -> None:
    command.add_argument("--config", type=Path, metavar="FILE", help="a TOML file laid over the base config")
    command.add_argument(
        "--set", dest="overrides", action="append", default=[], metavar="SECTION.KEY=VALUE", help="override one value"
    )


def _costed(command: argparse.ArgumentParser) -> None:
    command.add_argument("--max-cost", type=_usd, metavar="USD", help="stop before paid services cost more; what is paid is kept")


def _usd(text: str) -> float:
    amount = float(text)
    if not 0 <= amount < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is no amount of US dollars")
    return amount


def _add_ingest(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    ingest = commands.add_parser("ingest", help="read, embed and publish sources")
    ingest.add_argument("sources", nargs="+", metavar="SOURCE")
    ingest.add_argument("--docs", type=Path, metavar="DIR", help="a folder of checkouts or exports named by source")
    ingest.add_argument("--dry-run", action="store_true", help="say what it would cost; ask no paid service, publish nothing")
    _costed(ingest)
    _configured(ingest)
    ingest.set_defaults(command="ingest")


def _add_watch(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    watch = commands.add_parser("watch", help="fetch, ingest and publish what is new, again and again")
    watch.add_argument("sources", nargs="*", metavar="SOURCE", help="all that are indexed, by default")
    watch.add_argument("--every", default="24h", metavar="TIME", help="such as 30m, 24h (the default) or 7d")
    watch.add_argument("--once", action="store_true", help="one round now; exit code 1 when a source failed or is held back")
    watch.add_argument("--accept", action="append", metavar="SOURCE", help="publish docs of a source that were held back")
    watch.add_argument("--docs", type=Path, metavar="DIR", help="a folder of checkouts or exports named by source")
    _configured(watch)
    watch.set_defaults(command="watch")
    rollback = commands.add_parser("rollback", help="publish the previous generation again")
    rollback.set_defaults(command="rollback")
    backup = commands.add_parser("backup", help="write all that the database knows into a new folder")
    restore = commands.add_parser("restore", help="restore a backup into an empty data folder or database")
    for command, name in ((backup, "backup"), (restore, "restore")):
        command.add_argument("folder", type=Path, metavar="DIR")
        _configured(command)
        command.set_defaults(command=name)


def _add_reading(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    search = commands.add_parser("search", help="answer a question from the docs")
    search.add_argument("query")
    search.add_argument("--source", default="vue", help="one source, several with commas, or all (default: vue)")
    search.add_argument("--scope", default="all", help="a folder of the site, such as guide/components")
    search.add_argument("--max-results", type=int, metavar="N")
    search.add_argument("--max-tokens", type=int, metavar="N")
    search.add_argument("--explain", action="store_true", help="show what each stage did")
    search.add_argument("--json", action="store_true")
    _configured(search)
    search.set_defaults(command="search")
    api = commands.add_parser("api", help="look an API name up")
    api.add_argument("name")
    related = commands.add_parser("related", help="what an API is used with")
    related.add_argument("name")
    for command in (api, related):
        command.add_argument("--source", default="all")
        _configured(command)
    api.set_defaults(command="api")
    related.set_defaults(command="related")
    page = commands.add_parser("page", help="print a page as Markdown")
    page.add_argument("page", metavar="SOURCE/PATH", help="path, route or URL of a page")
    _configured(page)
    page.set_defaults(command="page")


def _add_inspection(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    chunks = commands.add_parser("chunks", help="list what the index holds of a source")
    chunks.add_argument("source")
    chunks.add_argument("--path", help="one page: path, route or URL")
    chunks.add_argument("--json", action="store_true", help="one JSON object a line")
    _configured(chunks)
    chunks.set_defaults(command="chunks")
    sources = commands.add_parser("sources", help="the sources that are known, and what of each is indexed")
    sources.add_argument("sources", nargs="*", metavar="SOURCE", help="with --check: only these")
    sources.add_argument("--check", action="store_true", help="read the docs themselves: counts, dead links, renderers' output")
    sources.add_argument(
        "--docs", type=Path, metavar="DIR", help="with --check: a folder of checkouts or exports named by source"
    )
    _configured(sources)
    sources.set_defaults(command="sources")
    packs = commands.add_parser("packs", help="how far the question packs cover the docs, and which are stale")
    packs.add_argument("sources", nargs="*", metavar="SOURCE", help="all of which there are docs, by default")
    packs.add_argument("--docs", type=Path, metavar="DIR", help="a folder of checkouts or exports named by source")
    packs.add_argument("--add", type=Path, metavar="FILE", help="take in packs that were written for one source")
    _configured(packs)
    packs.set_defaults(command="packs")
    status = commands.add_parser("status", help="what is in use, where, and whether it works")
    _configured(status)
    status.set_defaults(command="status")


def _add_bench(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    bench = commands.add_parser("bench", help="measure retrieval against golden questions")
    which = bench.add_mutually_exclusive_group()
    which.add_argument(
        "--source",
        help="whose questions (evals/questions/<source>.jsonl), several with commas, or all; default vue, --check: all",
    )
    which.add_argument("--questions", type=Path, metavar="FILE", help="a question file of your own")
    bench.add_argument("--check", action="store_true", help="check the question files themselves; exit code 1 for a fault")
    bench.add_argument("--docs", type=Path, metavar="DIR", help="with --check: a folder of docs named by source; else the index")
    bench.add_argument("--level", choices=("section", "page"), default="section")
    bench.add_argument("--split", choices=("test", "dev", "all"), default="test")
    bench.add_argument("--explain", metavar="ID", help="one question: each stage, and where its golden sections were lost")
    bench.add_argument("--unscoped", action="store_true", help="search all sources at once")
    bench.add_argument("--variants", action="store_true", help="compare with BM25 alone, dense alone, and their RRF")
    _add_outside(bench)
    bench.add_argument("--baseline", type=Path, metavar="DIR", help="what an earlier --out wrote, to compare with")
    bench.add_argument("--gate", action="store_true", help="exit code 1 when the baseline is better by more than noise")
    bench.add_argument("--out", type=Path, metavar="DIR", help="where the run is written (default: evals/runs/<run id>)")
    _costed(bench)
    _configured(bench)
    bench.set_defaults(command="bench")
    runs = commands.add_parser("runs", help="the benchmarks that are kept; with two or more, which is better")
    runs.add_argument("runs", nargs="*", metavar="RUN", help="id, its beginning, latest, or a folder; the first is the baseline")
    runs.add_argument("--top", type=int, default=10, metavar="N", help="questions listed that moved most, each way")
    runs.set_defaults(command="runs")
    promote = commands.add_parser("promote", help="make a run's config the default, where it holds on the test split")
    promote.add_argument("run", nargs="?", metavar="RUN", help="a run on the test split with another config than the default")
    promote.add_argument("--against", metavar="RUN", help="what it must beat (default: the newest run of the present default)")
    promote.add_argument("--undo", action="store_true", help="take the last promotion back")
    promote.set_defaults(command="promote")
    baseline = commands.add_parser("baseline", help="make a run the baseline that the gate holds others against")
    baseline.add_argument("run", metavar="RUN", help="a run of the whole pipeline on the test split")
    baseline.add_argument("--to", type=Path, metavar="DIR", help="default: evals/baselines/<source>")
    baseline.set_defaults(command="baseline")


def _add_outside(bench: argparse.ArgumentParser) -> None:
    outside = bench.add_argument_group("outside systems, in the same table")
    outside.add_argument("--run", action="append", default=[], metavar="NAME=FILE", help="a TREC run over our ids and keys")
    outside.add_argument("--mcp", metavar="NAME=SERVER", help="an MCP server: its URL, or the command that starts it")
    outside.add_argument("--tool", metavar="TOOL", help="the tool of that server that answers questions")
    outside.add_argument("--arguments", metavar="JSON", help="what the tool takes; {question} and {source} are filled in")
    outside.add_argument("--urls", default="", metavar="PATH", help="where addresses are: passages[].url (default: in the text)")


def _add_judging(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    draft = commands.add_parser("draft", help="ideas for golden questions of a source, to be reworded and judged")
    draft.add_argument("source")
    draft.add_argument(
        "--log",
        type=int,
        metavar="DAYS",
        help="instead of headings and names: what the server was asked in these days and seems to have answered badly",
    )
    draft.add_argument("--count", type=int, default=40, metavar="N", help="drafts, spread over the pages (default: 40)")
    draft.add_argument("--out", type=Path, metavar="FILE", required=True, help="JSON lines, each marked as a draft")
    _configured(draft)
    draft.set_defaults(command="draft")
    pool = commands.add_parser("pool", help="which sections to judge: the best of five systems, blind and shuffled")
    pool.add_argument("ids", nargs="*", metavar="ID", help="questions; all of the file and split by default")
    pool.add_argument("--split", choices=("test", "dev", "all"), default="all")
    pool.add_argument("--depth", type=int, default=10, metavar="N", help="sections that each system adds (default: 10)")
    pool.add_argument("--unjudged", action="store_true", help="leave out what has a grade in the question file already")
    pool.add_argument("--out", type=Path, metavar="FILE", required=True, help="JSON lines: question and candidates")
    _configured(pool)
    pool.set_defaults(command="pool")
    grade = commands.add_parser("grade", help="take grades into a question file; says how far the judges agree")
    grade.add_argument("grades", nargs="+", type=Path, metavar="FILE", help='one a judge: {"id", "section", "grade"} a line')
    grade.add_argument("--dry-run", action="store_true", help="say what would change, and change nothing")
    grade.set_defaults(command="grade")
    for command in (pool, grade):
        which = command.add_mutually_exclusive_group()
        which.add_argument("--source", default="vue", help="whose questions (evals/questions/<source>.jsonl)")
        which.add_argument("--questions", type=Path, metavar="FILE", help="a question file of your own")


def _add_run(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    run = commands.add_parser("run", help="execute notebooks by papermill")
    run.add_argument("notebooks", nargs="*", metavar="NOTEBOOK", help="such as 01_parse; all of 01 to 07 by default")
    run.add_argument("-p", dest="parameters", action="append", default=[], metavar="NAME=VALUE")
    run.set_defaults(command="run")


def _add_serve(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    serve = commands.add_parser("serve", help="the MCP server: stdio, or --http")
    serve.add_argument("--http", action="store_true")
    serve.add_argument("--host", default="127.0.0.1")
    serve.add_argument("--port", type=int, default=8000)
    _configured(serve)
    serve.set_defaults(command="serve")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; the exit code."""
    options = parser().parse_args(arguments)
    from vuedocs.commands import command  # after parsing, so that --help and a wrong argument cost no imports

    try:
        return command(options.command)(options)
    except VuedocsError as error:
        print(f"vuedocs {options.command}: {error}", file=sys.stderr)
        return error.exit_code
    except (KeyboardInterrupt, asyncio.CancelledError):
        print("stopped", file=sys.stderr)
        return 130
    except BrokenPipeError:
        return 0


if __name__ == "__main__":
    sys.exit(main())
