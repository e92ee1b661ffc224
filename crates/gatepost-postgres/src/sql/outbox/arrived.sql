-- There are rows that have not been read, according to `l`.
        EXISTS (SELECT FROM :schema.gatepost_occurrence o WHERE o.rejected IS NULL AND o.arrived > l.done)
       OR EXISTS (SELECT FROM unnest(l.open, l.tenants, l.owners) AS x (arrived, tenant, owner) CROSS JOIN LATERAL (
            SELECT FROM :schema.gatepost_occurrence o
            WHERE o.rejected IS NULL AND o.arrived = x.arrived
              AND (o.arrived, :schema.gatepost_id(o.tenant), :schema.gatepost_id(o.owner)) > (x.arrived, x.tenant, x.owner) LIMIT 1) m)
       OR EXISTS (SELECT FROM unnest(l.open, l.tenants) AS x (arrived, tenant) CROSS JOIN LATERAL (
            SELECT FROM :schema.gatepost_occurrence o WHERE o.rejected IS NULL AND o.arrived = x.arrived LIMIT 1) m WHERE x.tenant IS NULL)
