-- Version 3: what `vuedocs watch` knows of each source, so that every machine and `vuedocs status` see the same.

CREATE TABLE vuedocs.watch (
    source     text PRIMARY KEY,
    round      timestamptz,                  -- when the scheduled round began that looked at it last
    attempted  timestamptz,
    succeeded  timestamptz,
    failures   integer NOT NULL DEFAULT 0,   -- since the last success
    error      text NOT NULL DEFAULT '',     -- of the last attempt; '' when it succeeded
    held       jsonb                         -- why its new docs are not published: {"by", "commit", "reasons", "since"}
);

-- One row: the watcher that gave a sign of life last.
CREATE TABLE vuedocs.watcher (
    id        integer PRIMARY KEY DEFAULT 1 CHECK (id = 1),
    machine   text NOT NULL,                 -- host and process, for people
    every     double precision NOT NULL,     -- seconds
    seen      timestamptz NOT NULL,          -- its last sign of life, every 15 minutes at least
    next      timestamptz NOT NULL           -- when the next source's turn comes
);
