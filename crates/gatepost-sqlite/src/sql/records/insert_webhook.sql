INSERT INTO gatepost_webhook (revision, created, modified, owner, name, url, authorization_kind, authorization_data,
    headers, allow_insecure, timeout_s, retries, activity, in_order, signing, rate, bytes,
    channels, retry_schedule, client_identity)
VALUES (1, ?1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)
RETURNING id, revision, created, modified, owner, name, url, authorization_kind, authorization_data, headers,
    allow_insecure, timeout_s, retries, activity, in_order, signing, rate, channels, retry_schedule, client_identity
