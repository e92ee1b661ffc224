-- The cause of a delivery ends with the beginning of the data of its occurrence, after a line feed, where that had any. No row is
-- written again. The version tells processes of an earlier one, which cannot read such a cause, to stop.
COMMENT ON COLUMN :schema.gatepost_delivery.cause IS
    'type, event, object, user and occurrence id, then a trace after a blank and data after a line feed';
