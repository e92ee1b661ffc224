//! The fields of the forms of records (SPEC 2.1–2.4), in the groups in which they are shown. What
//! is stored of a record has a table of its own, `Record::FIELDS` of the storage: a column there
//! may have several fields here.

use crate::sheet::{Field, Kind};

/// Of API keys; addresses and permissions are lists.
pub(crate) mod key {
    use super::{Field, Kind};

    pub(crate) const WHAT: &[Field] = &[
        Field::text("name", 128),
        Field::of("description", Kind::Area("")),
    ];
    pub(crate) const EXPIRES: Field = Field::date("expires").when("date");
    pub(crate) const READ_ONLY: Field = Field::of("read_only", Kind::Check);
}

/// Of webhooks; headers are also a list.
pub(crate) mod webhook {
    use super::{Field, Kind};

    pub(crate) const TARGET: &[Field] = &[Field::text("name", 128), Field::text("url", 2048)];
    pub(crate) const MODE: Field = Field::of("delivery_mode", Kind::Choice(&["push", "fetch"]));
    /// The kinds of authorization, and the fields of each.
    pub(crate) const AUTH: [(&str, &[Field]); 5] = [
        ("none", &[]),
        ("bearer", &[Field::secret("token")]),
        ("apikey", &[Field::secret("key")]),
        (
            "basic",
            &[Field::text("user", 4096), Field::secret("password")],
        ),
        (
            "oauth2",
            &[
                Field::text("oauth_token_url", 2048),
                Field::text("oauth_client_id", 1024),
                Field::secret("oauth_secret"),
                Field::text("oauth_scope", 2048),
                Field::of("oauth_client_auth", Kind::Choice(&["basic", "body"])),
            ],
        ),
    ];
    pub(crate) const HEADER_MODE: Field = Field::of("header_mode", Kind::Choice(&["rows", "text"]));
    pub(crate) const HEADERS_TEXT: Field =
        Field::of("headers_text", Kind::Area("code")).when("text");
    pub(crate) const DELIVERY: &[Field] = &[
        Field::number("timeout", 3, 120),
        Field::number("retries", 0, 100),
        Field::text("retry_schedule", 1024),
        Field::text("channels", 1024),
        Field::number("rate", 1, 10_000),
        Field::of("enabled", Kind::Check),
        Field::of("in_order", Kind::Check),
        Field::of("insecure", Kind::Check),
    ];
    pub(crate) const UNSIGN: Field = Field::of("unsign", Kind::Check);
    pub(crate) const SIGN: Field = Field::of("sign", Kind::Check);
    pub(crate) const CERTIFICATE: Field = Field::of("client_certificate", Kind::Secrets);
    pub(crate) const CLIENT_KEY: Field = Field::of("client_key", Kind::Secrets);
    pub(crate) const CLIENT_REMOVE: Field = Field::of("client_remove", Kind::Check);
}

/// Of tasks; the webhook is chosen from a list.
pub(crate) mod task {
    use super::{Field, Kind};

    pub(crate) const WHAT: &[Field] = &[
        Field::text("name", 64),
        Field::of("description", Kind::Area("")),
    ];
    pub(crate) const RUNS: &[Field] = &[
        Field::of("enabled", Kind::Check),
        Field::of("once", Kind::Check),
    ];
    pub(crate) const MESSAGE: Field = Field::of("message", Kind::Area("code tall"));
}

/// Of events; event, object, tag and task are chosen from lists.
pub(crate) mod event {
    use super::{Field, Kind};

    pub(crate) const FILTER: Field = Field::of("filter", Kind::Area("code"));
    pub(crate) const MORE: &[Field] = &[
        Field::of("context", Kind::Area("code")),
        Field::text("label", 128),
        Field::of("enabled", Kind::Check),
    ];
}

/// Whether a field holds a secret, or may by mistake: no page repeats it.
pub(crate) fn is_secret(name: &str) -> bool {
    let of_auth = webhook::AUTH.iter().flat_map(|(_, fields)| *fields);
    let of_client = [&webhook::CERTIFICATE, &webhook::CLIENT_KEY];
    let mut secrets = of_auth.chain(of_client).filter(|field| field.is_secret());
    secrets.any(|field| field.name == name)
}
