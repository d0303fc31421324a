-- Version 4: what was asked of the server, where its operator keeps that (VUEDOCS_QUERY_LOG), for research.
CREATE TABLE vuedocs.query (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    asked         timestamptz NOT NULL,
    query         text NOT NULL,
    sources       text[] NOT NULL,           -- empty: all
    scope         text NOT NULL,
    config        text NOT NULL,             -- fingerprint
    generation    text NOT NULL,
    sections      text[] NOT NULL,           -- chunk ids that were served, in their order
    milliseconds  jsonb NOT NULL,            -- {"detect": 4.2, ...}
    client        text NOT NULL              -- a keyed hash of the address; the key is forgotten when the server ends
);
CREATE INDEX query_by_time ON vuedocs.query (asked);
