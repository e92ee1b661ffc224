-- In another server, after a restore from a dump, transactions have other numbers: all rows are
-- read again, and rows with a number that is still in the future on this server count as new.
-- Otherwise the search would continue from that number, and miss new rows.
WITH moved AS (
    UPDATE :schema.gatepost_outbox_look l SET done = '0', open = '{}', tenants = '{}', owners = '{}', server = s.system_identifier::text
    FROM pg_control_system() s WHERE l.server <> s.system_identifier::text OR l.done > pg_current_xact_id()
    RETURNING l.server
)
UPDATE :schema.gatepost_occurrence o SET arrived = pg_current_xact_id()
WHERE o.rejected IS NULL AND o.arrived > pg_current_xact_id() AND EXISTS (SELECT FROM moved)
