-- Version 1 of the database. Everything is in a schema of its own, so that a server may be shared with other programs.
-- A later version is another file beside this one, named in vuedocs.clients.connections.MIGRATIONS; applied files never change.

CREATE SCHEMA IF NOT EXISTS vuedocs;

-- The files that were applied.
CREATE TABLE vuedocs.migration (
    version  integer PRIMARY KEY,
    applied  timestamptz NOT NULL DEFAULT now()
);

-- What costs money or minutes, remembered by content: vectors, answers of models.
CREATE TABLE vuedocs.memory (
    key      bytea PRIMARY KEY,              -- sha256 of model, task, parameters and text
    kind     text NOT NULL,                  -- what the value is, for people: "embedding"
    value    bytea NOT NULL,
    created  timestamptz NOT NULL DEFAULT now()
);
ALTER TABLE vuedocs.memory ALTER COLUMN value SET STORAGE EXTERNAL;  -- vectors do not compress

-- One source's content at one time, immutable. Generations share snapshots; one that no kept generation names is deleted.
CREATE TABLE vuedocs.snapshot (
    id        integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    digest    text NOT NULL UNIQUE,          -- of content and ingest settings
    source    text NOT NULL,
    manifest  jsonb NOT NULL,                -- SourceManifest
    bm25      jsonb NOT NULL,                -- Bm25Model
    created   timestamptz NOT NULL DEFAULT now()
);

-- Records of a snapshot. Columns are the records' fields (vuedocs.records), put into rows by vuedocs.clients.rows.
CREATE TABLE vuedocs.page (
    snapshot      integer NOT NULL REFERENCES vuedocs.snapshot ON DELETE CASCADE,
    source        text NOT NULL,
    path          text NOT NULL,
    route         text NOT NULL,
    url           text NOT NULL,
    title         text NOT NULL,
    section       text NOT NULL,
    position      integer NOT NULL,
    description   text NOT NULL,
    text          text NOT NULL,
    content_hash  text NOT NULL,
    PRIMARY KEY (snapshot, path)
);

CREATE TABLE vuedocs.chunk (
    snapshot       integer NOT NULL REFERENCES vuedocs.snapshot ON DELETE CASCADE,
    id             text NOT NULL,
    source         text NOT NULL,
    path           text NOT NULL,
    route          text NOT NULL,
    kind           text NOT NULL,            -- page, section, subsection, code
    anchor         text NOT NULL,
    url            text NOT NULL,
    title          text NOT NULL,
    heading_path   text[] NOT NULL,
    page_position  integer NOT NULL,
    place          integer NOT NULL,         -- on the page
    text           text NOT NULL,
    content_hash   text NOT NULL,
    api_style      text NOT NULL,
    since          text NOT NULL,
    links          jsonb NOT NULL,           -- [[target, text, priority], ...]
    entities       text[] NOT NULL,
    context        text NOT NULL,
    PRIMARY KEY (snapshot, id)
);
CREATE INDEX chunk_by_page ON vuedocs.chunk (snapshot, path);

CREATE TABLE vuedocs.entity (
    snapshot     integer NOT NULL REFERENCES vuedocs.snapshot ON DELETE CASCADE,
    number       integer NOT NULL,           -- as written, from 0
    name         text NOT NULL,
    type         text NOT NULL,
    source       text NOT NULL,
    chunk_id     text NOT NULL,
    aliases      text[] NOT NULL,
    signature    text NOT NULL,
    since        text NOT NULL,
    deprecated   boolean NOT NULL,
    description  text NOT NULL,
    PRIMARY KEY (snapshot, number)
);

-- Points with their vectors, from which an index is built again without asking a model.
CREATE TABLE vuedocs.point (
    snapshot        integer NOT NULL REFERENCES vuedocs.snapshot ON DELETE CASCADE,
    place           integer NOT NULL,        -- as written, from 0
    id              text NOT NULL,
    chunk_id        text NOT NULL,
    source          text NOT NULL,
    kind            text NOT NULL,           -- window, code, question
    number          integer NOT NULL,
    text            text NOT NULL,
    scopes          text[] NOT NULL,
    dense           bytea,                   -- float32, little-endian
    sparse_indices  bytea,                   -- uint32, little-endian
    sparse_values   bytea,                   -- float64, little-endian
    PRIMARY KEY (snapshot, place)
);
ALTER TABLE vuedocs.point ALTER COLUMN dense SET STORAGE EXTERNAL;

-- Published generations. A row is the publication: there is none before the commit that publishes, and the newest one counts.
CREATE TABLE vuedocs.generation (
    name          text PRIMARY KEY,          -- g000001
    ordinal       bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
    published_at  timestamptz NOT NULL DEFAULT now(),
    manifest      jsonb NOT NULL,            -- Manifest
    digests       text[] NOT NULL            -- of its snapshots
);

-- Names are given once, also to generations that were never published.
CREATE SEQUENCE vuedocs.generation_number;
