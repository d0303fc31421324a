"""A Qdrant server over real HTTP: what is sent to it, what of its troubles is waited for, and in which words others are told."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace

import pytest
from engines import DIMS, POINTS, stream, unit
from standins.faults import parse
from standins.server import Standin, running

from vuedocs.clients import qdrant, qdrant_server
from vuedocs.clients.qdrant import QdrantBuilder
from vuedocs.clients.qdrant_server import QdrantServer, address_of
from vuedocs.errors import ConfigError, IndexDamagedError, IndexServerError
from vuedocs.settings import QdrantSettings, Settings

KEY = "s3cr3t-key-of-the-server"


@pytest.fixture
def standin() -> Iterator[Standin]:
    with running() as serving:
        serving.qdrant.slow = 4.0
        yield serving


@pytest.fixture
async def builder(standin: Standin) -> AsyncIterator[QdrantBuilder]:
    made = QdrantBuilder(QdrantServer(QdrantSettings(url=standin.qdrant_url)), "0123abcd")
    yield made
    await made.aclose()


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is waited for."""
    for name, value in {"BUILD_SECONDS": 3.0, "QUERY_SECONDS": 3.0, "BUILD_PATIENCE": 0.0, "QUERY_PATIENCE": 0.0}.items():
        monkeypatch.setattr(qdrant, name, value)


async def test_a_collection_is_made_for_a_cluster_as_the_settings_say(standin: Standin) -> None:
    settings = QdrantSettings(standin.qdrant_url, shards=3, replicas=2, write_consistency=2, on_disk=True, collection="docs")
    builder = QdrantBuilder(QdrantServer(settings), "0123abcd", "int8")
    await builder.build("g000001", stream(POINTS), DIMS, 100)
    made = standin.index.made["docs-0123abcd-g000001"]
    assert (made["shard_number"], made["replication_factor"], made["write_consistency_factor"]) == (3, 2, 2)
    assert made["sparse_vectors"] == {"sparse": {"modifier": "idf"}}
    int8 = {"scalar": {"type": "int8", "memory": "pinned"}}
    assert made["vectors"]["question"] == {"size": DIMS, "distance": "Cosine", "memory": "cold", "quantization_config": int8}
    assert standin.index.indexes["docs-0123abcd-g000001"]["source"] == {"type": "keyword", "is_tenant": True}
    order = [call.endpoint for call in standin.qdrant.calls.seen]
    assert order.index("index") < order.index("upsert") < order.index("finish")
    await builder.aclose()


async def test_without_quantisation_no_graph_is_built_since_searches_are_exact(builder: QdrantBuilder, standin: Standin) -> None:
    await builder.build("g000001", stream(POINTS), DIMS, 100)
    (made,) = standin.index.made.values()
    assert made["vectors"]["dense"] == {"size": DIMS, "distance": "Cosine", "hnsw_config": {"m": 0}}


async def test_vectors_of_one_byte_need_a_server_that_has_them(standin: Standin) -> None:
    builder = QdrantBuilder(QdrantServer(QdrantSettings(url=standin.qdrant_url)), "0123abcd", "turbo8")
    await builder.build("g000001", stream(POINTS), DIMS, 100)
    (made,) = standin.index.made.values()
    assert made["vectors"]["dense"] == {"size": DIMS, "distance": "Cosine", "datatype": "turbo8", "hnsw_config": {"m": 0}}
    standin.index.version = "1.19.2"
    with pytest.raises(IndexServerError, match=r"is Qdrant 1\.19\.2; upgrade it to 1\.20 or newer, or set store\.quant"):
        await builder.ready()
    await builder.aclose()


async def test_the_alias_goes_to_what_is_published(builder: QdrantBuilder, standin: Standin) -> None:
    for generation in ("g000001", "g000002"):
        await builder.build(generation, stream(POINTS), DIMS, 100)
        await builder.published(generation)
    await builder.published("g000002")
    (alias,) = (await builder.server.client.get_aliases()).aliases
    assert (alias.alias_name, alias.collection_name) == ("vuedocs-0123abcd", "vuedocs-0123abcd-g000002")


async def test_another_databases_collections_are_left_alone(builder: QdrantBuilder, standin: Standin) -> None:
    other = QdrantBuilder(builder.server, "4567cdef")
    for one in (builder, other):
        await one.build("g000001", stream(POINTS), DIMS, 100)
    assert await builder.remove([]) == ["g000001"]
    assert await other.exists("g000001")


async def test_what_a_killed_build_left_is_refused_removed_or_built_over(builder: QdrantBuilder, standin: Standin) -> None:
    standin.qdrant.faults.waiting.append(parse("finish:401:2"))
    for generation in ("g000001", "g000002"):
        with pytest.raises(IndexServerError, match="refuses the key"):
            await builder.build(generation, stream(POINTS), DIMS, 100)
    assert not await builder.exists("g000001")
    with pytest.raises(IndexDamagedError, match="is not complete; run `vuedocs ingest` again"):
        await builder.open("g000001")
    await builder.build("g000001", stream(POINTS), DIMS, 100)
    assert await (await builder.open("g000001", DIMS)).count() == len(POINTS)
    assert await builder.remove(["g000001"]) == ["g000002"]


@pytest.mark.parametrize("fault", ["503", "429", "html", "closed", "timeout"])
async def test_what_passes_is_waited_for_and_nothing_is_lost(
    builder: QdrantBuilder, standin: Standin, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(qdrant, "BUILD_SECONDS", 3.0)
    struck = ("upsert",) if fault == "timeout" else ("root", "create", "upsert", "query")
    standin.qdrant.faults.waiting.extend(parse(f"{name}:{fault}:1") for name in struck)
    await builder.ready()
    await builder.build("g000001", stream(POINTS), DIMS, 2)
    index = await builder.open("g000001", DIMS)
    assert len((await index.legs(unit(1), None, (), "all", 10))["dense"]) == 3
    assert await index.count() == len(POINTS)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("503", r"is not ready \(503: Service Unavailable\); wait until it has started"),
        ("429", r"limits how often it may be asked .*Write rate limit"),
        ("timeout", "did not answer within 3 s; see that the server of QDRANT_URL is well"),
        ("401", r"refuses the key .*; set QDRANT_API_KEY"),
        ("500", "answers 500: .*No space left on device; see the server's log"),
        ("html", r"is not ready \(502: no reason given\)"),
        ("no-json", "does not answer as Qdrant does .*; see that QDRANT_URL names a Qdrant server"),
        ("413", "refuses a single point as too large .*max_request_size_mb"),
    ],
)
@pytest.mark.usefixtures("hasty")
async def test_what_stays_is_told_with_the_remedy(builder: QdrantBuilder, standin: Standin, fault: str, words: str) -> None:
    standin.qdrant.faults.waiting.append(parse(f"upsert:{fault}:always"))
    with pytest.raises(IndexServerError, match=rf"points cannot be written to collection .*{standin.url}.*{words}"):
        await builder.build("g000001", stream(POINTS), DIMS, 100)


async def test_an_upload_is_kept_under_the_servers_limit_and_halved_where_a_proxy_takes_less(
    builder: QdrantBuilder, standin: Standin, monkeypatch: pytest.MonkeyPatch
) -> None:
    points = [replace(one, id=f"00000000-0000-0000-0000-{n:012}", text="x" * 500) for n, one in enumerate(POINTS * 16)]
    monkeypatch.setattr(qdrant, "BATCH_BYTES", 20_000)
    await builder.build("g000001", stream(points), DIMS, 1000)
    assert 2 < len(standin.index.sizes) < 20
    assert max(standin.index.sizes) < 20_000
    standin.index.largest = 3_000
    await builder.build("g000002", stream(points), DIMS, 1000)
    assert await (await builder.open("g000002")).count() == 64


async def test_a_key_is_sent_and_never_shown(standin: Standin, capfd: pytest.CaptureFixture[str]) -> None:
    standin.index.key = KEY
    good = QdrantBuilder(QdrantServer(QdrantSettings(standin.qdrant_url, KEY)), "0123abcd")
    await good.ready()
    bad = QdrantBuilder(QdrantServer(QdrantSettings(standin.qdrant_url, KEY + "!")), "0123abcd")
    with pytest.raises(IndexServerError, match="refuses the key") as caught:
        await bad.ready()
    assert KEY not in f"{caught.value} {caught.value.__cause__} {bad.server.settings} {capfd.readouterr()}"
    with pytest.raises(ConfigError, match="QDRANT_API_KEY holds spaces") as refused:
        QdrantServer(QdrantSettings(standin.qdrant_url, f'"{KEY} "'))
    assert KEY not in str(refused.value)
    await good.aclose()
    await bad.aclose()


async def test_an_old_server_is_refused_before_anything_is_spent(builder: QdrantBuilder, standin: Standin) -> None:
    standin.index.version = "1.16.3"
    with pytest.raises(IndexServerError, match=r"is Qdrant 1\.16\.3; upgrade it to 1\.19 or newer"):
        await builder.ready()


async def test_a_filter_needs_its_index_as_in_strict_mode(builder: QdrantBuilder, standin: Standin) -> None:
    await builder.build("g000001", stream(POINTS), DIMS, 100)
    index = await builder.open("g000001")
    assert (await index.legs(unit(1), None, ("pinia",), "guide", 10))["dense"]
    del standin.index.indexes["vuedocs-0123abcd-g000001"]["source"]
    with pytest.raises(IndexServerError, match=r"answers 400: .*Index required but not found"):
        await index.legs(unit(1), None, ("pinia",), "guide", 10)


async def test_a_generation_that_was_removed_under_a_reader_is_named(builder: QdrantBuilder, standin: Standin) -> None:
    await builder.build("g000001", stream(POINTS), DIMS, 100)
    index = await builder.open("g000001")
    await builder.remove([])
    with pytest.raises(IndexDamagedError, match="not found; run `vuedocs ingest` again"):
        await index.legs(unit(1), None, (), "all", 10)


async def test_many_searches_share_few_connections(builder: QdrantBuilder, standin: Standin) -> None:
    await builder.build("g000001", stream(POINTS), DIMS, 1)
    index = await builder.open("g000001")
    for _ in range(20):
        await index.legs(unit(1), None, (), "all", 10)
    assert standin.qdrant.calls.connections() == 1


@pytest.mark.usefixtures("hasty")
async def test_a_url_without_a_port_that_leads_nowhere_says_which_port_was_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as held:  # bound, not listening: connections are refused
        held.bind(("127.0.0.1", 0))
        monkeypatch.setattr(qdrant_server, "PORT", held.getsockname()[1])
        builder = QdrantBuilder(QdrantServer(QdrantSettings("http://127.0.0.1")), "0123abcd")
        with pytest.raises(
            IndexServerError, match=r"cannot be reached .*QDRANT_URL has no port, so \d+ was used: write the port"
        ):
            await builder.ready()
        await builder.aclose()


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("http://localhost:6333", ("http://localhost:6333", True)),
        (" https://x.cloud.example.org/ ", ("https://x.cloud.example.org:6333", False)),
        ("https://proxy.example.org:443/qdrant/", ("https://proxy.example.org:443/qdrant", True)),
        ("http://[::1]:6333", ("http://[::1]:6333", True)),
    ],
)
def test_a_url_is_read(url: str, address: tuple[str, bool]) -> None:
    assert address_of(url) == address


@pytest.mark.parametrize(
    "url", ["localhost:6333", "qdrant", "ftp://host", "http://", "http://host:port", f"http://me:{KEY}@host", f"http://h?k={KEY}"]
)
def test_what_is_no_url_is_refused_without_repeating_secrets(url: str) -> None:
    with pytest.raises(ConfigError, match=r"QDRANT_URL .*write http://host:6333") as caught:
        address_of(url)
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("QDRANT_SHARDS", "0"),
        ("QDRANT_REPLICAS", "two"),
        ("QDRANT_WRITE_CONSISTENCY", "2"),
        ("QDRANT_ON_DISK", "maybe"),
        ("QDRANT_COLLECTION", "a/b"),
    ],
)
def test_settings_that_cannot_be_used_are_named(name: str, value: str) -> None:
    with pytest.raises(ConfigError, match=name):
        Settings.from_environment({name: value})
