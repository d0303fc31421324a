-- Version 2: the ledger. One row a paid call to a hosted service; nothing here is ever changed.

CREATE TABLE vuedocs.spending (
    id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at      timestamptz NOT NULL DEFAULT now(),
    run     text NOT NULL,                   -- ingest-20261130-140501-1f3a
    provider text NOT NULL,                  -- jina, gemini
    model   text NOT NULL,
    stage   text NOT NULL,                   -- enrich, hype, embed, detect, rerank
    input   bigint NOT NULL,                 -- tokens sent, cached ones included
    output  bigint NOT NULL,                 -- tokens written and thought
    cached  bigint NOT NULL,                 -- of input, read from a cache
    batch   boolean NOT NULL,                -- by the batch interface
    retries integer NOT NULL,                -- attempts that failed before
    usd     double precision,                -- NULL where the model had no price
    prices  text NOT NULL                    -- date of the price list
);
CREATE INDEX spending_by_run ON vuedocs.spending (run);
