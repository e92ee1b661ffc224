//! Webhook, task and event records: validation, matching, message templates.
