-- In another server than before, restored from a dump, transactions have other numbers: all rows are looked at once more, and those
-- with a number that is still to come here have arrived now. Else a look would go on from that number, and see nothing that comes.
WITH moved AS (
    UPDATE :schema.gatepost_outbox_look l SET done = '0', open = '{}', tenants = '{}', owners = '{}', server = s.system_identifier::text
    FROM pg_control_system() s WHERE l.server <> s.system_identifier::text OR l.done > pg_current_xact_id()
    RETURNING l.server
)
UPDATE :schema.gatepost_occurrence o SET arrived = pg_current_xact_id()
WHERE o.rejected IS NULL AND o.arrived > pg_current_xact_id() AND EXISTS (SELECT FROM moved)
