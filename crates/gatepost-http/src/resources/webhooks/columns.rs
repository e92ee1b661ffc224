//! `webhook_urls`: the declaration.

use crate::resources::unreadable;
use crate::schema::{Action, Column, Kind, Table};

/// The description of the action that creates a signing secret.
const ROLL_SIGNING_SECRET: &str = "Makes a new signing secret, which signs deliveries from now on. It is in the response, this once, as \
    `{\"response\": {\"signing_secret\": \"whsec_…\"}}`. Of the secrets before it, `keep` go on signing, so that the receiver has time to \
    switch. An addition to the v4 wire.";

pub(super) static TABLE: Table = Table {
    name: "webhook_urls",
    singular: "webhook_url",
    doc: "Webhooks: where and how to send.",
    columns: &[
        Column::new(
            "name",
            Kind::Text { min: 1, max: 128 },
            "\"chat channel\"",
            "A descriptive name, unique among the owner's webhooks.",
        )
        .required()
        .short(),
        Column::new(
            "type",
            Kind::Word(&["custom"]),
            "\"custom\"",
            "The kind of webhook.",
        )
        .short(),
        Column::new(
            "url",
            Kind::Text { min: 1, max: 2048 },
            "\"https://hooks.example.com/in\"",
            "The endpoint: http or https, without credentials and fragment. Secrets do not follow to another URL, be it another path or query of the same host: authorization_value, client_key, headers with credentials and signing_secrets must be sent again or cleared in the same request.",
        )
        .required()
        .short(),
        Column::new(
            "headers",
            Kind::Text {
                min: 0,
                max: 32_768,
            },
            "\"Content-Type:application/json\\n\"",
            "One `Name:Value` per line, in order; empty for none. A header that may stand once, such as Content-Type, is refused twice. A line `Name: ${APIKEY}` names the header that carries the API key. Whoever manages the webhook reads them all: a secret belongs in authorization_value.",
        ),
        Column::new(
            "authorization_type",
            Kind::Word(&["none", "basic", "bearer", "apikey", "oauth2"]),
            "\"bearer\"",
            "How requests to the target are authenticated. In requests also `Bearer Token` and `API Key`, in any case. `oauth2` is ours: client credentials (RFC 6749 §4.4), by the columns `oauth_…`.",
        )
        .short(),
        Column::new(
            "authorization_value",
            Kind::Text { min: 0, max: 8192 },
            "\"3f9a7c\"",
            "`user:password`, the token, the raw key, or the client's secret with `oauth2`. It is in no response.",
        )
        .write_only(),
        Column::new(
            "oauth_token_url",
            Kind::Text { min: 0, max: 2048 },
            "\"\"",
            "Ours. The token endpoint, https; required with `oauth2`, empty with every other type. The secret does not follow to another URL: authorization_value must be sent again in the same request.",
        ),
        Column::new(
            "oauth_client_id",
            Kind::Text { min: 0, max: 1024 },
            "\"\"",
            "Ours. The client's id; required with `oauth2`, empty with every other type.",
        ),
        Column::new(
            "oauth_scope",
            Kind::Text { min: 0, max: 2048 },
            "\"\"",
            "Ours. The scopes to ask for, separated by one space; empty for none.",
        ),
        Column::new(
            "oauth_client_auth",
            Kind::Word(&["basic", "body"]),
            "\"basic\"",
            "Ours. How the client authenticates to the token endpoint: by `Authorization: Basic`, or by fields of the form. Read with `oauth2` only.",
        ),
        Column::new(
            "client_certificate",
            Kind::Text {
                min: 0,
                max: 65_536,
            },
            "\"\"",
            "Ours. A client certificate in PEM, shown to a target that asks for one (mutual TLS), beside the authorization: its own first, then those that issued it, at most 10. Empty for none; https only.",
        ),
        Column::new(
            "client_key",
            Kind::Text {
                min: 0,
                max: 65_536,
            },
            "\"\"",
            "Ours. The private key of client_certificate in PEM, not encrypted: RSA, ECDSA P-256 or P-384, Ed25519. A certificate that is sent alone keeps the key that is stored. To another url it must be sent again. It is in no response.",
        )
        .write_only(),
        Column::new(
            "client_certificate_subject",
            Kind::Text { min: 0, max: 1024 },
            "\"\"",
            "Ours. The subject of client_certificate; empty for none.",
        )
        .read_only(),
        Column::new(
            "client_certificate_expires",
            Kind::Time,
            "0",
            "Ours. When client_certificate expires; 0 for none. An expired one is still shown to the target, which decides.",
        )
        .read_only(),
        Column::new(
            "signing_secrets",
            Kind::Text { min: 0, max: 1024 },
            "\"\"",
            "Secrets that sign deliveries, newest first, separated by spaces; at most 5; empty for none. They are in no response.",
        )
        .write_only(),
        Column::new(
            "allow_insecure",
            Kind::Bool,
            "false",
            "Accepts certificates that cannot be verified; for test and development only. Switching it on for https needs the secrets again, as another url does.",
        )
        .short(),
        Column::new(
            "timeout",
            Kind::Int { min: 3, max: 120 },
            "5",
            "Seconds to wait for the target's response.",
        )
        .short(),
        Column::new(
            "retries",
            Kind::Int { min: 0, max: 100 },
            "3",
            "Further attempts after the first. With a retry_schedule as many as it has delays: another number takes its place, unless the request has a schedule, too.",
        )
        .short(),
        Column::new(
            "retry_schedule",
            Kind::Text { min: 0, max: 1024 },
            "\"5s, 1m, 10m, 1h\"",
            "The delay before each further attempt: numbers with s, m, h or d, or of seconds, separated by commas or spaces. Empty for the platform's own. An addition to the v4 wire.",
        ),
        Column::new(
            "rate",
            Kind::Int {
                min: 0,
                max: 10_000,
            },
            "0",
            "The most requests a second that are sent to it; 0 for no limit of its own. An addition to the v4 wire.",
        ),
        Column::new(
            "channels",
            Kind::Text { min: 0, max: 1024 },
            "\"project-7, billing\"",
            "Of what the platform emits into channels, it receives these: at most 10, separated by commas. Empty for everything, in channels or not. An addition to the v4 wire.",
        ),
        Column::new(
            "delivery_mode",
            Kind::Word(&["push", "fetch"]),
            "\"push\"",
            "`push`: messages are sent to the url. `fetch`: they wait until the receiver fetches them from `webhook_urls/{key}/messages`, for one behind a firewall; nothing is sent to the url, and authorization, timeout, retries and rate have no effect. What waits follows the mode when it is changed. An addition to the v4 wire.",
        ),
        Column::new(
            "enabled",
            Kind::Bool,
            "true",
            "Whether it sends; deliveries of a disabled webhook wait.",
        )
        .short(),
        Column::new(
            "paused",
            Kind::Bool,
            "false",
            "Whether it was paused; deliveries wait.",
        )
        .read_only(),
        Column::new(
            "in_order",
            Kind::Bool,
            "false",
            "Whether deliveries are sent one at a time, in order.",
        ),
        Column::new(
            "owner",
            Kind::Reference(Some("users")),
            "\"users/1\"",
            "The user who owns it.",
        )
        .read_only(),
        Column::new(
            "user",
            Kind::User,
            "1",
            "The same user, as a row number.",
        )
        .read_only(),
        Column::new("created", Kind::Time, "1790000000", "When it was created.")
            .read_only()
            .rising(),
        Column::new(
            "modified",
            Kind::Time,
            "1790000000",
            "When it was last changed.",
        )
        .read_only(),
        unreadable::COLUMN,
    ],
    joins: &[
        ("owner", "name"),
        ("owner", "$display"),
        ("user", "name"),
        ("user", "$display"),
    ],
    counts: &[("tasks", "tasks")],
    page: 100,
    actions: &[
        Action {
            params: &[Column::new(
                "message",
                Kind::Text {
                    min: 0,
                    max: 1_048_576,
                },
                "\"{\\\"text\\\":\\\"hello\\\"}\"",
                "The payload.",
            )],
            ..Action::new("send", "Queues a message; without one, the default payload.")
        },
        Action {
            params: &[Column::new(
                "keep",
                Kind::Int { min: 0, max: 4 },
                "1",
                "How many of the present secrets go on signing after the new one, the newest first; one, without.",
            )],
            ..Action::new("roll_signing_secret", ROLL_SIGNING_SECRET)
        },
        Action::new("pause", "Holds deliveries until the webhook is resumed."),
        Action::new("resume", "Sends what was held, at a bounded rate."),
        Action {
            params: &[
                Column::new(
                    "from",
                    Kind::Time,
                    "1790000000",
                    "Created at or after this; 0 for the beginning.",
                ),
                Column::new(
                    "before",
                    Kind::Time,
                    "1790003600",
                    "Created before this; 0 for now.",
                ),
            ],
            ..Action::new(
                "replay_failed",
                "Queues failed deliveries again that were created in a span of time.",
            )
        },
    ],
    shown_once: false,
    creatable: true,
    updatable: true,
    deletable: true,
};
