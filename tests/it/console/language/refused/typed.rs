//! The values that forms refuse, field by field.

const LONG: &str = concat!(
    "0123456789012345678901234567890123456789012345678901234567890123456789",
    "0123456789012345678901234567890123456789012345678901234567890123456789"
);
const KEY: &str = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";
const CERTIFICATE: &str = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";

/// The field with the error, and the typed values of fields.
pub(super) type Refused = (&'static str, &'static [(&'static str, &'static str)]);

pub(super) const KEYS: &[Refused] = &[
    ("name", &[("name", "")]),
    ("name", &[("name", "a\u{7}")]),
    ("name", &[("name", "a\u{202e}b")]),
    ("name", &[("name", LONG)]),
    ("description", &[("description", "a\u{7}")]),
    ("description", &[("description", "a\u{202e}b")]),
    ("expires", &[("expires_type", "date"), ("expires", "")]),
    ("expires", &[("expires_type", "date"), ("expires", "soon")]),
    (
        "expires",
        &[("expires_type", "date"), ("expires", "2001-01-01T00:00")],
    ),
    ("expires", &[("expires_type", "then")]),
    ("allow", &[("allow.0.net", "nowhere")]),
    ("allow", &[("allow.0.net", "10.0.0.010")]),
    ("allow", &[("allow.0.net", "10.0.0.0/255.0.0.0")]),
    ("allow", &[("allow.0.net", "10.0.0.0/33")]),
    ("deny", &[("deny.0.net", "10.0.0. 1")]),
    ("deny", &[("deny.0.net", "fe80::1%eth0")]),
    ("deny", &[("deny.0.net", "::ffff:10.0.0.0/8")]),
    ("tables", &[("tables", "No table")]),
    ("tables", &[("tables", "no_table")]),
    ("scopes", &[("scopes", "no scope")]),
    ("scopes", &[("scopes", "no_scope")]),
    ("requests_per_minute", &[("requests_per_minute", "0")]),
    ("user", &[("user", "99")]),
];

pub(super) const WEBHOOKS: &[Refused] = &[
    ("name", &[("name", "")]),
    ("name", &[("name", " ")]),
    ("name", &[("name", "a\u{7}")]),
    ("name", &[("name", "a\u{202e}b")]),
    ("name", &[("name", LONG)]),
    ("url", &[("url", "")]),
    ("url", &[("url", "example.com")]),
    ("url", &[("url", "ftp://example.com/")]),
    ("url", &[("url", "http://")]),
    ("url", &[("url", "http://example.com:99999/")]),
    ("url", &[("url", "http://[::g]/")]),
    ("url", &[("url", "http://a b/")]),
    ("url", &[("url", "http://me:mine@example.com/")]),
    ("url", &[("url", "http://example.com/#here")]),
    ("auth", &[("auth", "magic")]),
    ("token", &[("auth", "bearer"), ("token", "Bearer abc")]),
    ("token", &[("auth", "bearer"), ("token", "a b")]),
    ("token", &[("auth", "bearer"), ("token", "")]),
    ("key", &[("auth", "apikey"), ("key", "ApiKey abc")]),
    ("key", &[("auth", "apikey"), ("key", "")]),
    (
        "user",
        &[("auth", "basic"), ("user", ""), ("password", "x")],
    ),
    (
        "user",
        &[("auth", "basic"), ("user", "a:b"), ("password", "x")],
    ),
    (
        "password",
        &[("auth", "basic"), ("user", "a\u{202e}b"), ("password", "x")],
    ),
    (
        "password",
        &[("auth", "basic"), ("user", "a"), ("password", "x\u{7}")],
    ),
    (
        "oauth_token_url",
        &[
            ("auth", "oauth2"),
            ("oauth_token_url", "http://example.com/token"),
            ("oauth_client_id", "a"),
            ("oauth_secret", "b"),
        ],
    ),
    (
        "oauth_token_url",
        &[
            ("auth", "oauth2"),
            ("oauth_token_url", ""),
            ("oauth_client_id", "a"),
            ("oauth_secret", "b"),
        ],
    ),
    (
        "oauth_client_id",
        &[
            ("auth", "oauth2"),
            ("oauth_token_url", "https://example.com/token"),
            ("oauth_client_id", ""),
            ("oauth_secret", "b"),
        ],
    ),
    (
        "oauth_scope",
        &[
            ("auth", "oauth2"),
            ("oauth_token_url", "https://example.com/token"),
            ("oauth_client_id", "a"),
            ("oauth_secret", "b"),
            ("oauth_scope", "a \"b"),
        ],
    ),
    (
        "client_certificate",
        &[("client_certificate", "none"), ("client_key", KEY)],
    ),
    (
        "client_certificate",
        &[("client_certificate", KEY), ("client_key", KEY)],
    ),
    (
        "client_key",
        &[("client_certificate", CERTIFICATE), ("client_key", "none")],
    ),
    (
        "client_certificate",
        &[("client_certificate", CERTIFICATE), ("client_key", KEY)],
    ),
    (
        "headers_text",
        &[("header_mode", "text"), ("headers_text", "no colon")],
    ),
    (
        "headers_text",
        &[("header_mode", "text"), ("headers_text", "A b: c")],
    ),
    (
        "headers_text",
        &[("header_mode", "text"), ("headers_text", "Host: here")],
    ),
    (
        "headers_text",
        &[("header_mode", "text"), ("headers_text", "X-A: ä")],
    ),
    (
        "headers_text",
        &[("header_mode", "text"), ("headers_text", "X-A: ${APIKEY}")],
    ),
    (
        "header",
        &[("header.0.name", "A b"), ("header.0.value", "c")],
    ),
    ("timeout", &[("timeout", "2")]),
    ("timeout", &[("timeout", "121")]),
    ("timeout", &[("timeout", "some")]),
    ("retries", &[("retries", "-1")]),
    ("retries", &[("retries", "101")]),
    ("retry_schedule", &[("retry_schedule", "often")]),
    ("retry_schedule", &[("retry_schedule", "2d")]),
    ("retry_schedule", &[("retry_schedule", ",")]),
    ("channels", &[("channels", "a, b!")]),
    ("rate", &[("rate", "0")]),
    ("delivery_mode", &[("delivery_mode", "carry")]),
];

pub(super) const TASKS: &[Refused] = &[
    ("name", &[("name", "")]),
    ("name", &[("name", LONG)]),
    ("description", &[("description", "a\u{7}")]),
    ("webhook", &[("webhook", "99")]),
    ("webhook", &[("webhook", "")]),
];

pub(super) const EVENTS: &[Refused] = &[
    ("event", &[("event", "explode")]),
    ("event", &[("event", "")]),
    ("target", &[("target", "all")]),
    (
        "instance",
        &[("target", "instance"), ("instance", "no one")],
    ),
    ("tag", &[("target", "tag"), ("tag", "0")]),
    ("task", &[("task", "99")]),
    ("label", &[("label", "a\u{202e}b")]),
    ("label", &[("label", LONG)]),
    ("filter", &[("filter", "[]")]),
    ("filter", &[("filter", "{\"a\":[1]}")]),
    ("filter", &[("filter", "{\"a\":{\"$in\":1}}")]),
    ("filter", &[("filter", "{\"a\":{\"$near\":1}}")]),
    ("filter", &[("filter", "{\"a\":{\"$gt\":null}}")]),
    ("filter", &[("filter", "{\"a\":{\"$exists\":1}}")]),
    ("filter", &[("filter", "{\"$or\":1}")]),
    ("filter", &[("filter", "{\"$in\":[1]}")]),
    ("filter", &[("filter", "{\"a\":{\"$eq\":[]}}")]),
    ("filter", &[("filter", "{\"a..b\":1}")]),
];
