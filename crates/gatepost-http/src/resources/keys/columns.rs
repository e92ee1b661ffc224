//! `user_api_keys`: the declaration.

use crate::schema::{Action, Column, Kind, Table};

/// A row number, or 0.
const NUMBER: Kind = Kind::Int {
    min: 0,
    max: i64::MAX,
};

/// The description of the table's only action.
const ROLL: &str = "Makes a key that takes the place of this one: all that this one has but its string, under the next name. \
    This one is good for the overlap, and never longer than it would have been. The response is a receipt, with the new key \
    string. An addition to the v4 wire.";

pub(super) static TABLE: Table = Table {
    name: "user_api_keys",
    singular: "user_api_key",
    doc: "API keys: each belongs to one user and has that user's permissions. The key string is shown once, in the receipt of its creation.",
    columns: &[
        Column::new(
            "user",
            Kind::User,
            "1",
            "The user who owns the key; the caller if it is not named. Fixed at creation.",
        )
        .create_only()
        .short(),
        Column::new(
            "name",
            Kind::Text { min: 1, max: 128 },
            "\"ci\"",
            "A descriptive name, unique among the user's keys.",
        )
        .required()
        .short(),
        Column::new(
            "description",
            Kind::Text { min: 0, max: 2048 },
            "\"nightly build\"",
            "Purpose, requester, related systems.",
        )
        .short(),
        Column::new(
            "created",
            Kind::Time,
            "1790000000",
            "When the key was generated.",
        )
        .read_only()
        .short(),
        Column::new(
            "expires_type",
            Kind::Word(&["date", "never"]),
            "\"date\"",
            "Whether the key expires. In requests also `Set Date` and `Never Expire`, in any case.",
        )
        .short(),
        Column::new(
            "expires",
            Kind::Time,
            "1797798662",
            "When the key stops being valid; 0 for never. Must be in the future when it is set.",
        )
        .short(),
        Column::new(
            "lastlogin_stamp",
            Kind::Time,
            "1790000300",
            "The most recent authentication; 0 for none.",
        )
        .recorded()
        .short(),
        Column::new(
            "lastlogin_ip",
            Kind::Text { min: 0, max: 64 },
            "\"10.1.2.3\"",
            "The address it came from; empty for none.",
        )
        .recorded()
        .short(),
        Column::new(
            "ip_allow_list",
            Kind::Text {
                min: 0,
                max: 65_536,
            },
            "\"10.0.0.0/8,192.168.1.5\"",
            "Addresses and CIDR ranges, comma-joined; when set, only these may use the key. A leading `!` disables an entry.",
        ),
        Column::new(
            "ip_deny_list",
            Kind::Text {
                min: 0,
                max: 65_536,
            },
            "\"\"",
            "Addresses and CIDR ranges, comma-joined, that may not use the key; the allow list takes precedence.",
        ),
        Column::new(
            "enabled",
            Kind::Bool,
            "true",
            "Whether the key is accepted; a disabled one answers as one that was deleted, until it is enabled again. An addition to the v4 wire.",
        )
        .short(),
        Column::new(
            "read_only",
            Kind::Bool,
            "false",
            "Whether the key may only read. An addition to the v4 wire.",
        ),
        Column::new(
            "tables",
            Kind::Text { min: 0, max: 4_096 },
            "\"tasks,webhook_urls\"",
            "Tables, comma-joined, at most 32: when tables or scopes are named, the key may use these and nothing else. An addition to the v4 wire.",
        ),
        Column::new(
            "scopes",
            Kind::Text { min: 0, max: 4_096 },
            "\"\"",
            "Scopes of the platform's own routes, likewise. An addition to the v4 wire.",
        ),
        Column::new(
            "requests_per_minute",
            Kind::Int {
                min: 0,
                max: 1_000_000,
            },
            "0",
            "How many requests a minute the key may make in each process of the platform; 0 for no limit of its own. One too many is answered with 429. An addition to the v4 wire.",
        ),
        Column::new(
            "rolled_from",
            NUMBER,
            "0",
            "The key whose place this one took; 0 for none. It may have been deleted since. An addition to the v4 wire.",
        )
        .read_only(),
        Column::new(
            "rolled_to",
            NUMBER,
            "0",
            "The key that took the place of this one; likewise. An addition to the v4 wire.",
        )
        .read_only(),
    ],
    joins: &[("user", "name"), ("user", "$display")],
    counts: &[],
    page: 50,
    actions: &[Action {
        params: &[Column::new(
            "overlap",
            Kind::Int {
                min: 0,
                max: 2_592_000,
            },
            "86400",
            "For how many seconds this key is still good: at most 30 days; a day, without.",
        )],
        makes: true,
        ..Action::new("roll", ROLL)
    }],
    shown_once: true,
    creatable: true,
    updatable: true,
    deletable: true,
};
