-- Version 5: an answer of a batch, which a run that was stopped fetches again, is entered in the ledger once.

ALTER TABLE vuedocs.spending ADD COLUMN reference text;  -- batch and prompt; NULL for a call that cannot be met twice
CREATE UNIQUE INDEX spending_by_reference ON vuedocs.spending (reference);
