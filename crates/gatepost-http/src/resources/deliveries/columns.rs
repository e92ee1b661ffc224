//! `webhooks`: the delivery log's declaration.

use crate::schema::{Action, Column, Kind, Table};

pub(super) static TABLE: Table = Table {
    name: "webhooks",
    singular: "webhook",
    doc: "The delivery log: what was sent, what will be, and what came of it.",
    columns: &[
        Column::new(
            "webhook_url",
            Kind::Key("webhook_urls"),
            "2",
            "The webhook.",
        )
        .read_only()
        .short(),
        Column::new(
            "message",
            Kind::Text {
                min: 0,
                max: 16_777_216,
            },
            "\"{\\\"text\\\":\\\"Webhook\\\"}\"",
            "The payload, as it is sent; `not kept` where message_kept says so.",
        )
        .read_only(),
        Column::new(
            "message_kept",
            Kind::Bool,
            "true",
            "Whether the payload is still there. Not of deliveries that ended while the owner's log was at its limit; they cannot be replayed.",
        )
        .read_only(),
        Column::new(
            "status",
            Kind::Word(&["queued", "running", "sent", "error"]),
            "\"sent\"",
            "The state of the delivery.",
        )
        .read_only()
        .short(),
        Column::new(
            "status_info",
            Kind::Text { min: 0, max: 4096 },
            "\"200 OK\"",
            "Why it is in that state.",
        )
        .read_only()
        .short(),
        Column::new(
            "class",
            Kind::Text { min: 0, max: 64 },
            "\"ok\"",
            "How the last attempt ended: ok, status, timeout, dns, tls, …; empty before the first.",
        )
        .read_only(),
        Column::new(
            "last_attempt",
            Kind::Time,
            "1790000000",
            "When the last attempt began; 0 for none.",
        )
        .read_only()
        .short(),
        Column::new("created", Kind::Time, "1790000000", "When it was queued.")
            .read_only()
            .rising()
            .short(),
        Column::new(
            "attempts",
            Kind::Int {
                min: 0,
                max: i64::MAX,
            },
            "1",
            "Attempts ever made, those before a replay included.",
        )
        .read_only()
        .short(),
        Column::new(
            "next_attempt",
            Kind::Time,
            "0",
            "When the next attempt is due; 0 for none.",
        )
        .read_only()
        .short(),
        Column::new(
            "task",
            Kind::Int {
                min: 0,
                max: i64::MAX,
            },
            "3",
            "The task that created it; 0 for a message sent manually.",
        )
        .read_only()
        .short(),
        Column::new(
            "cause_type",
            Kind::Text { min: 0, max: 64 },
            "\"vms\"",
            "The type of the event that ran the task; `tasks` for one that was run manually. Empty for a message sent manually. An addition of Gatepost's, as are the columns cause_* and request.",
        )
        .read_only(),
        Column::new(
            "cause_event",
            Kind::Text { min: 0, max: 64 },
            "\"poweron\"",
            "What happened; `execute` for a task that was run manually.",
        )
        .read_only(),
        Column::new(
            "cause_object",
            Kind::Int {
                min: i64::MIN,
                max: i64::MAX,
            },
            "3",
            "The object it happened to: its row number; 0 for none.",
        )
        .read_only(),
        Column::new(
            "cause_user",
            Kind::Int {
                min: i64::MIN,
                max: i64::MAX,
            },
            "0",
            "The user who ran the task, or triggered its event, manually; 0 for none.",
        )
        .read_only(),
        Column::new(
            "cause_occurrence",
            Kind::Text { min: 0, max: 128 },
            "\"order-4711\"",
            "The platform's own ID of the occurrence; empty for none.",
        )
        .read_only(),
        Column::new(
            "cause_trace",
            Kind::Text { min: 0, max: 32 },
            "\"4bf92f3577b34da6a3ce929d0e0e4736\"",
            "The ID of the trace that its requests go on with (W3C Trace Context); empty for none.",
        )
        .read_only(),
        Column::new(
            "cause_data",
            Kind::Text { min: 0, max: 1024 },
            "\"{\\\"severity\\\":\\\"critical\\\"}\"",
            "The data of the occurrence as JSON text, at most 1,024 bytes: longer data are cut and end with `…`. Empty for none.",
        )
        .read_only(),
        Column::new(
            "request",
            Kind::Text {
                min: 0,
                max: 32_768,
            },
            "\"POST https://example.com/hook HTTP/1.1\\r\\nWebhook-Id: msg_2KWPBgLlAfxdpx2AI54pPJ85f4W\\r\\n\"",
            "The last attempt's request as it was sent: its first line and its headers, with `(hidden)` in place of credentials; the body is `message`. Empty where nothing was sent or kept.",
        )
        .read_only(),
        Column::new(
            "response_status",
            Kind::Int { min: 0, max: 999 },
            "200",
            "The status code of the last response; 0 for none.",
        )
        .read_only(),
        Column::new(
            "response_body",
            Kind::Text {
                min: 0,
                max: 65_536,
            },
            "\"ok\"",
            "The body of the last response, truncated; `not kept` where response_kept says so.",
        )
        .read_only(),
        Column::new(
            "response_kept",
            Kind::Bool,
            "true",
            "Whether the last response was kept: not while the owner's log is at its limit.",
        )
        .read_only(),
        Column::new(
            "duration_ms",
            Kind::Int {
                min: 0,
                max: i64::MAX,
            },
            "41",
            "How long the last attempt took.",
        )
        .read_only(),
        Column::new(
            "message_id",
            Kind::Text { min: 1, max: 64 },
            "\"msg_2KWPBgLlAfxdpx2AI54pPJ85f4W\"",
            "The message ID (webhook-id header).",
        )
        .read_only(),
    ],
    joins: &[("webhook_url", "name"), ("webhook_url", "$display")],
    counts: &[],
    page: 500,
    actions: &[
        Action::new("replay", "Sends it again: the same bytes under the same ID."),
        Action::new(
            "retry",
            "Sends it now, if it is waiting for its next attempt. An addition of Gatepost's.",
        ),
        Action::new("cancel", "Cancels it, if it is still waiting."),
    ],
    shown_once: false,
    creatable: false,
    updatable: false,
    deletable: true,
};
