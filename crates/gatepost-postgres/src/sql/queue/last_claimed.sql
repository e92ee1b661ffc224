-- The same of what claim.sql before it in the transaction has claimed.
WITH asked AS MATERIALIZED (SELECT unnest(nullif(current_setting('gatepost.claimed', true), '')::bigint[]) AS id)
