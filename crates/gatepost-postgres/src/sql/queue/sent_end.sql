), done AS (
    INSERT INTO :schema.gatepost_outcome (delivery, token, attempts, tries, state, lost, status, started, duration_us,
        class, status_info, kept_bytes, detail)
    SELECT delivery, token, attempts, tries, state, lost, status, started, duration_us,
        class, status_info, kept_bytes, detail
    FROM valid WHERE (SELECT count(*) FROM valid) = cardinality($2)
    RETURNING delivery, token
)
