-- What each version changed in a place may name a task together with its events, and is forgotten by the key. What was logged before is of
-- no use: only the processes of an earlier version know the versions that it begins with, and this version tells them to stop.
COMMENT ON COLUMN :schema.gatepost_change.kind IS
    '0 webhook, 1 task, 2 event, 3 all records of an owner who came, 4 nothing but that an owner left, 5 more than can be told, '
    '6 task with its events';
TRUNCATE :schema.gatepost_change;
