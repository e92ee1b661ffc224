//! `webhook_urls`: the declaration.

use crate::resources::row::{CREATED, MODIFIED};
use crate::resources::unreadable;
use crate::schema::{Access, Action, Column, Kind, Table};

/// The description of the action that creates a signing secret.
const ROLL_SIGNING_SECRET: &str = "Makes a new signing secret, which signs deliveries from now on. It is in the response, this once, as \
    `{\"response\": {\"signing_secret\": \"whsec_…\"}}`. Of the secrets before it, `keep` go on signing, so that the receiver has time to \
    switch. An addition to the v4 wire.";

pub(super) static TABLE: Table = Table {
    name: "webhook_urls",
    singular: "webhook_url",
    doc: "Webhooks: where and how to send.",
    columns: &[
        Column::new("name", Kind::Text(1, 128), "\"chat channel\"").required().short()
            .doc("A descriptive name, unique among the owner's webhooks."),
        Column::new("type", Kind::Word(&["custom"]), "\"custom\"").short()
            .doc("The kind of webhook."),
        Column::new("url", Kind::Text(1, 2048), "\"https://hooks.example.com/in\"").required().short()
            .doc("The endpoint: http or https, without credentials and fragment. Secrets do not follow to another URL, be it another path or query of the same host: authorization_value, client_key, headers with credentials and signing_secrets must be sent again or cleared in the same request."),
        Column::new("headers", Kind::Text(0, 32_768), "\"Content-Type:application/json\\n\"")
            .doc("One `Name:Value` per line, in order; empty for none. A header that may stand once, such as Content-Type, is refused twice. A line `Name: ${APIKEY}` names the header that carries the API key. Whoever manages the webhook reads them all: a secret belongs in authorization_value."),
        Column::new("authorization_type", Kind::Word(&["none", "basic", "bearer", "apikey", "oauth2"]), "\"bearer\"").short()
            .doc("How requests to the target are authenticated. In requests also `Bearer Token` and `API Key`, in any case. `oauth2` is ours: client credentials (RFC 6749 §4.4), by the columns `oauth_…`."),
        Column::new("authorization_value", Kind::Text(0, 8192), "\"3f9a7c\"").access(Access::WriteOnly)
            .doc("`user:password`, the token, the raw key, or the client's secret with `oauth2`. It is in no response."),
        Column::new("oauth_token_url", Kind::Text(0, 2048), "\"\"")
            .doc("Ours. The token endpoint, https; required with `oauth2`, empty with every other type. The secret does not follow to another URL: authorization_value must be sent again in the same request."),
        Column::new("oauth_client_id", Kind::Text(0, 1024), "\"\"")
            .doc("Ours. The client's id; required with `oauth2`, empty with every other type."),
        Column::new("oauth_scope", Kind::Text(0, 2048), "\"\"")
            .doc("Ours. The scopes to ask for, separated by one space; empty for none."),
        Column::new("oauth_client_auth", Kind::Word(&["basic", "body"]), "\"basic\"")
            .doc("Ours. How the client authenticates to the token endpoint: by `Authorization: Basic`, or by fields of the form. Read with `oauth2` only."),
        Column::new("client_certificate", Kind::Text(0, 65_536), "\"\"")
            .doc("Ours. A client certificate in PEM, shown to a target that asks for one (mutual TLS), beside the authorization: its own first, then those that issued it, at most 10. Empty for none; https only."),
        Column::new("client_key", Kind::Text(0, 65_536), "\"\"").access(Access::WriteOnly)
            .doc("Ours. The private key of client_certificate in PEM, not encrypted: RSA, ECDSA P-256 or P-384, Ed25519. A certificate that is sent alone keeps the key that is stored. To another url it must be sent again. It is in no response."),
        Column::new("client_certificate_subject", Kind::Text(0, 1024), "\"\"").read_only()
            .doc("Ours. The subject of client_certificate; empty for none."),
        Column::new("client_certificate_expires", Kind::Time, "0").read_only()
            .doc("Ours. When client_certificate expires; 0 for none. An expired one is still shown to the target, which decides."),
        Column::new("signing_secrets", Kind::Text(0, 1024), "\"\"").access(Access::WriteOnly)
            .doc("Secrets that sign deliveries, newest first, separated by spaces; at most 5; empty for none. They are in no response."),
        Column::new("allow_insecure", Kind::Bool, "false").short()
            .doc("Accepts certificates that cannot be verified; for test and development only. Switching it on for https needs the secrets again, as another url does."),
        Column::new("timeout", Kind::Int(3, 120), "5").short()
            .doc("Seconds to wait for the target's response."),
        Column::new("retries", Kind::Int(0, 100), "3").short()
            .doc("Further attempts after the first. With a retry_schedule as many as it has delays: another number takes its place, unless the request has a schedule, too."),
        Column::new("retry_schedule", Kind::Text(0, 1024), "\"5s, 1m, 10m, 1h\"")
            .doc("The delay before each further attempt: numbers with s, m, h or d, or of seconds, separated by commas or spaces. Empty for the platform's own. An addition to the v4 wire."),
        Column::new("rate", Kind::Int(0, 10_000), "0")
            .doc("The most requests a second that are sent to it; 0 for no limit of its own. An addition to the v4 wire."),
        Column::new("channels", Kind::Text(0, 1024), "\"project-7, billing\"")
            .doc("Of what the platform emits into channels, it receives these: at most 10, separated by commas. Empty for everything, in channels or not. An addition to the v4 wire."),
        Column::new("delivery_mode", Kind::Word(&["push", "fetch"]), "\"push\"")
            .doc("`push`: messages are sent to the url. `fetch`: they wait until the receiver fetches them from `webhook_urls/{key}/messages`, for one behind a firewall; nothing is sent to the url, and authorization, timeout, retries and rate have no effect. What waits follows the mode when it is changed. An addition to the v4 wire."),
        Column::new("enabled", Kind::Bool, "true").short()
            .doc("Whether it sends; deliveries of a disabled webhook wait."),
        Column::new("paused", Kind::Bool, "false").read_only()
            .doc("Whether it was paused; deliveries wait."),
        Column::new("in_order", Kind::Bool, "false")
            .doc("Whether deliveries are sent one at a time, in order."),
        Column::new("owner", Kind::Reference(Some("users")), "\"users/1\"").read_only()
            .doc("The user who owns it."),
        Column::new("user", Kind::User, "1").read_only()
            .doc("The same user, as a row number."),
        CREATED,
        MODIFIED,
        unreadable::COLUMN,
    ],
    joins: &["owner", "user"],
    counts: &[("tasks", "tasks")],
    page: 100,
    actions: &[
        Action {
            params: &[Column::new("message", Kind::Text(0, 1_048_576), "\"{\\\"text\\\":\\\"hello\\\"}\"")
                .doc("The payload.")],
            ..Action::new("send", "Queues a message; without one, the default payload.")
        },
        Action {
            params: &[Column::new("keep", Kind::Int(0, 4), "1")
                .doc("How many of the present secrets go on signing after the new one, the newest first; one, without.")],
            ..Action::new("roll_signing_secret", ROLL_SIGNING_SECRET)
        },
        Action::new("pause", "Holds deliveries until the webhook is resumed."),
        Action::new("resume", "Sends what was held, at a bounded rate."),
        Action {
            params: &[
                Column::new("from", Kind::Time, "1790000000")
                    .doc("Created at or after this; 0 for the beginning."),
                Column::new("before", Kind::Time, "1790003600")
                    .doc("Created before this; 0 for now."),
            ],
            ..Action::new(
                "replay_failed",
                "Queues failed deliveries again that were created in a span of time.",
            )
        },
    ],
    ..Table::EDITABLE
};
