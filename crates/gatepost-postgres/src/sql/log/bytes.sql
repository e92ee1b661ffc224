-- Bytes of the log: the partitions and what had not ended when theirs left.
SELECT coalesce(sum(pg_total_relation_size(t.oid)), 0)::bigint AS bytes
FROM (SELECT i.inhrelid AS oid FROM pg_inherits i WHERE i.inhparent IN ('gatepost_delivery'::regclass, 'gatepost_outcome'::regclass)
      UNION ALL SELECT 'gatepost_delivery_old'::regclass::oid UNION ALL SELECT 'gatepost_outcome_old'::regclass::oid) t
