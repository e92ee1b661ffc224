//! `webhooks`: the delivery log's declaration.

use crate::schema::{Action, Column, Kind, Table};

pub(super) static TABLE: Table = Table {
    name: "webhooks",
    singular: "webhook",
    doc: "The delivery log: what was sent, what will be, and what came of it.",
    columns: &[
        Column::new("webhook_url", Kind::Key("webhook_urls"), "2").read_only().short()
            .doc("The webhook."),
        Column::new("message", Kind::Text(0, 16_777_216), "\"{\\\"text\\\":\\\"Webhook\\\"}\"").read_only()
            .doc("The payload, as it is sent; `not kept` where message_kept says so."),
        Column::new("message_kept", Kind::Bool, "true").read_only()
            .doc("Whether the payload is still there. Not of deliveries that ended while the owner's log was at its limit; they cannot be replayed."),
        Column::new("status", Kind::Word(&["queued", "running", "sent", "error"]), "\"sent\"").read_only().short()
            .doc("The state of the delivery."),
        Column::new("status_info", Kind::Text(0, 4096), "\"200 OK\"").read_only().short()
            .doc("Why it is in that state."),
        Column::new("class", Kind::Text(0, 64), "\"ok\"").read_only()
            .doc("How the last attempt ended: ok, status, timeout, dns, tls, …; empty before the first."),
        Column::new("last_attempt", Kind::Time, "1790000000").read_only().short()
            .doc("When the last attempt began; 0 for none."),
        Column::new("created", Kind::Time, "1790000000").read_only().rising().short()
            .doc("When it was queued."),
        Column::new("attempts", Kind::Int(0, i64::MAX), "1").read_only().short()
            .doc("Attempts ever made, those before a replay included."),
        Column::new("next_attempt", Kind::Time, "0").read_only().short()
            .doc("When the next attempt is due; 0 for none."),
        Column::new("task", Kind::Int(0, i64::MAX), "3").read_only().short()
            .doc("The task that created it; 0 for a message sent manually."),
        Column::new("cause_type", Kind::Text(0, 64), "\"vms\"").read_only()
            .doc("The type of the event that ran the task; `tasks` for one that was run manually. Empty for a message sent manually. An addition of Gatepost's, as are the columns cause_* and request."),
        Column::new("cause_event", Kind::Text(0, 64), "\"poweron\"").read_only()
            .doc("What happened; `execute` for a task that was run manually."),
        Column::new("cause_object", Kind::Int(i64::MIN, i64::MAX), "3").read_only()
            .doc("The object it happened to: its row number; 0 for none."),
        Column::new("cause_user", Kind::Int(i64::MIN, i64::MAX), "0").read_only()
            .doc("The user who ran the task, or triggered its event, manually; 0 for none."),
        Column::new("cause_occurrence", Kind::Text(0, 128), "\"order-4711\"").read_only()
            .doc("The platform's own ID of the occurrence; empty for none."),
        Column::new("cause_trace", Kind::Text(0, 32), "\"4bf92f3577b34da6a3ce929d0e0e4736\"").read_only()
            .doc("The ID of the trace that its requests go on with (W3C Trace Context); empty for none."),
        Column::new("cause_data", Kind::Text(0, 1024), "\"{\\\"severity\\\":\\\"critical\\\"}\"").read_only()
            .doc("The data of the occurrence as JSON text, at most 1,024 bytes: longer data are cut and end with `…`. Empty for none."),
        Column::new("request", Kind::Text(0, 32_768), "\"POST https://example.com/hook HTTP/1.1\\r\\nWebhook-Id: msg_2KWPBgLlAfxdpx2AI54pPJ85f4W\\r\\n\"").read_only()
            .doc("The last attempt's request as it was sent: its first line and its headers, with `(hidden)` in place of credentials; the body is `message`. Empty where nothing was sent or kept."),
        Column::new("response_status", Kind::Int(0, 999), "200").read_only()
            .doc("The status code of the last response; 0 for none."),
        Column::new("response_body", Kind::Text(0, 65_536), "\"ok\"").read_only()
            .doc("The body of the last response, truncated; `not kept` where response_kept says so."),
        Column::new("response_kept", Kind::Bool, "true").read_only()
            .doc("Whether the last response was kept: not while the owner's log is at its limit."),
        Column::new("duration_ms", Kind::Int(0, i64::MAX), "41").read_only()
            .doc("How long the last attempt took."),
        Column::new("message_id", Kind::Text(1, 64), "\"msg_2KWPBgLlAfxdpx2AI54pPJ85f4W\"").read_only()
            .doc("The message ID (webhook-id header)."),
    ],
    joins: &["webhook_url"],
    actions: &[
        Action::new("replay", "Sends it again: the same bytes under the same ID."),
        Action::new(
            "retry",
            "Sends it now, if it is waiting for its next attempt. An addition of Gatepost's.",
        ),
        Action::new("cancel", "Cancels it, if it is still waiting."),
    ],
    deletable: true,
    ..Table::READ_ONLY
};
