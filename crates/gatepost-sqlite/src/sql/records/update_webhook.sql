UPDATE gatepost_webhook SET revision = revision + 1, modified = ?1, owner = ?2, name = ?3, url = ?4,
    authorization_kind = ?5, authorization_data = ?6, headers = ?7, allow_insecure = ?8, timeout_s = ?9,
    retries = ?10, activity = ?11, in_order = ?12, signing = ?13, rate = ?14, bytes = ?15,
    channels = ?16, retry_schedule = ?17, client_identity = ?18,
    ordered_to = CASE WHEN ?12 THEN ordered_to END
WHERE id = ?19
RETURNING id, revision, created, modified, owner, name, url, authorization_kind, authorization_data, headers,
    allow_insecure, timeout_s, retries, activity, in_order, signing, rate, channels, retry_schedule, client_identity
