-- What was picked, with its outcomes; and from the queue, if it came back there meanwhile.
WITH picked AS MATERIALIZED (SELECT p.id FROM unnest(current_setting('gatepost.picked')::bigint[]) AS p (id)
), unqueued AS (DELETE FROM :schema.gatepost_queue WHERE id = ANY (ARRAY(SELECT id FROM picked))
), idle AS (DELETE FROM :schema.gatepost_running WHERE open <= 0
), outcomes AS (DELETE FROM :schema.gatepost_outcome WHERE delivery = ANY (ARRAY(SELECT id FROM picked))
), outcomes_old AS (DELETE FROM :schema.gatepost_outcome_old WHERE delivery = ANY (ARRAY(SELECT id FROM picked))
), here AS (DELETE FROM :schema.gatepost_delivery WHERE id = ANY (ARRAY(SELECT id FROM picked)) RETURNING id
), old AS (DELETE FROM :schema.gatepost_delivery_old WHERE id = ANY (ARRAY(SELECT id FROM picked)) RETURNING id)
SELECT (SELECT count(*) FROM here) + (SELECT count(*) FROM old) AS removed
