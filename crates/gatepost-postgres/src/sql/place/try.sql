-- The locks of a shared batch, tried and never waited for: the places in it shared, webhooks in order alone, so that
-- the row numbers of their deliveries rise in the order of commits. What was had is said to the next statement, whose
-- view begins after it: of a place that is had there, nothing changes until the commit.
-- Put together of what a batch needs: most name places alone, and each part costs, used or not.
-- $1: number of the schema. $2: places.
WITH needed AS MATERIALIZED (
    SELECT :slot(p) AS slot FROM unnest($2::text[]) AS p
