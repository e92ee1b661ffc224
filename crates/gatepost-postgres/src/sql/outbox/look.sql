-- Lists the audiences of rows that were committed since the last look, each row once, whenever it commits: `done` is the newest
-- transaction that was looked at, `open` are those up to it that had not ended or of which not all was looked at: `tenants` and
-- `owners` say up to which audience, and are NULL where nothing was looked at. So what waits is not walked.
-- A loose index scan: a probe for each audience of each transaction, in bites of 2,000.
WITH RECURSIVE was AS MATERIALIZED (
    SELECT l.done, l.open, l.tenants, l.owners FROM :schema.gatepost_outbox_look l
    WHERE
