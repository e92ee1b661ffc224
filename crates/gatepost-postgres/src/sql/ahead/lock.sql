-- What the steps change, in the order in which processes of those versions use it: an emit the routes, then the webhook; a
-- settlement the delivery, then the webhook. Whoever has the rest of it waits for us, so we wait for a moment only, and
-- begin again.
SET LOCAL lock_timeout = '100ms';
DO $$
DECLARE
    one text;
BEGIN
    FOREACH one IN ARRAY ARRAY['routes', 'attempt', 'delivery', 'webhook', 'task', 'event', 'key_generation', 'key', 'key_change',
        'owner', 'seen', 'occurrence']
    LOOP
        one := format(':schema.gatepost_%s', one);
        IF to_regclass(one) IS NOT NULL THEN
            EXECUTE format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', one);
        END IF;
    END LOOP;
END $$;
SET LOCAL lock_timeout = '60s';
