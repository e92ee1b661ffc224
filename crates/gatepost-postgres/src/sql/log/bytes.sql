-- Bytes of the log: the partitions, and the deliveries that had not ended when theirs were dropped.
SELECT coalesce(sum(pg_total_relation_size(t.oid)), 0)::bigint AS bytes
FROM (SELECT i.inhrelid AS oid FROM pg_inherits i WHERE i.inhparent IN (':schema.gatepost_delivery'::regclass, ':schema.gatepost_outcome'::regclass)
      UNION ALL SELECT ':schema.gatepost_delivery_old'::regclass::oid UNION ALL SELECT ':schema.gatepost_outcome_old'::regclass::oid) t
