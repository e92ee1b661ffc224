-- Lists the audiences of rows that were committed after the last call, each row once, in whatever
-- order they commit.
-- `done` is the newest transaction that was read; `open` are earlier ones that had not ended or
-- were not read completely: `tenants` and `owners` are the last audience that was read of each, and
-- NULL if there was none. So waiting rows are not scanned again.
-- A loose index scan: a probe for each audience of each transaction, in batches of 2,000.
WITH RECURSIVE was AS MATERIALIZED (
    SELECT l.done, l.open, l.tenants, l.owners FROM :schema.gatepost_outbox_look l
    WHERE
