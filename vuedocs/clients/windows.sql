-- Version 6: the windows of a few chunks are read by every search.

CREATE INDEX window_of_chunk ON vuedocs.point (snapshot, chunk_id) WHERE kind = 'window';
