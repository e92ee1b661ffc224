-- Removes settled deliveries from their claims. It uses the numbers of `held`, which are those of
-- the locked row: the snapshot of this statement may be older.
, counts AS MATERIALIZED (
    SELECT h.id, h.open - count(*) AS left FROM done d JOIN held h ON h.id = d.token GROUP BY h.id, h.open
), less AS (
    UPDATE :schema.gatepost_running r SET open = c.left FROM counts c WHERE r.id = c.id AND c.left > 0
), closed AS (
    DELETE FROM :schema.gatepost_running r USING counts c WHERE r.id = c.id AND c.left <= 0
)
SELECT ARRAY(SELECT delivery FROM done) AS done
