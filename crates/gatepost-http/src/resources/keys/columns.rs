//! `user_api_keys`: the declaration.

use crate::schema::{Access, Action, Column, Kind, Table};

/// A row number, or 0.
const NUMBER: Kind = Kind::Int(0, i64::MAX);

/// The description of the table's only action.
const ROLL: &str = "Makes a key that takes the place of this one: all that this one has but its string, under the next name. \
    This one is good for the overlap, and never longer than it would have been. The response is a receipt, with the new key \
    string. An addition to the v4 wire.";

/// The members of a request to `leaked_keys`.
pub(crate) static LEAKED: [Column; 2] = [
    Column::new("text", Kind::Text(1, 1_048_576), "").required()
        .doc("The text; at most 1 MiB and 1,000 keys."),
    Column::new("action", Kind::Word(&["report", "disable", "delete"]), "")
        .doc("What becomes of the keys; their owners receive `api_keys/leaked` in any case. Without, nothing else."),
];

pub(super) static TABLE: Table = Table {
    name: "user_api_keys",
    singular: "user_api_key",
    doc: "API keys: each belongs to one user and has that user's permissions. The key string is shown once, in the receipt of its creation.",
    columns: &[
        Column::new("user", Kind::User, "1").access(Access::CreateOnly).short()
            .doc("The user who owns the key; the caller if it is not named. Fixed at creation."),
        Column::new("name", Kind::Text(1, 128), "\"ci\"").required().short()
            .doc("A descriptive name, unique among the user's keys."),
        Column::new("description", Kind::Text(0, 2048), "\"nightly build\"").short()
            .doc("Purpose, requester, related systems."),
        Column::new("created", Kind::Time, "1790000000").read_only().short()
            .doc("When the key was generated."),
        Column::new("expires_type", Kind::Word(&["date", "never"]), "\"date\"").short()
            .doc("Whether the key expires. In requests also `Set Date` and `Never Expire`, in any case."),
        Column::new("expires", Kind::Time, "1797798662").short()
            .doc("When the key stops being valid; 0 for never. Must be in the future when it is set."),
        Column::new("lastlogin_stamp", Kind::Time, "1790000300").access(Access::Recorded).short()
            .doc("The most recent authentication; 0 for none."),
        Column::new("lastlogin_ip", Kind::Text(0, 64), "\"10.1.2.3\"").access(Access::Recorded).short()
            .doc("The address it came from; empty for none."),
        Column::new("ip_allow_list", Kind::Text(0, 65_536), "\"10.0.0.0/8,192.168.1.5\"")
            .doc("Addresses and CIDR ranges, comma-joined; when set, only these may use the key. A leading `!` disables an entry."),
        Column::new("ip_deny_list", Kind::Text(0, 65_536), "\"\"")
            .doc("Addresses and CIDR ranges, comma-joined, that may not use the key; the allow list takes precedence."),
        Column::new("enabled", Kind::Bool, "true").short()
            .doc("Whether the key is accepted; a disabled one answers as one that was deleted, until it is enabled again. An addition to the v4 wire."),
        Column::new("read_only", Kind::Bool, "false")
            .doc("Whether the key may only read. An addition to the v4 wire."),
        Column::new("tables", Kind::Text(0, 4_096), "\"tasks,webhook_urls\"")
            .doc("Tables, comma-joined, at most 32: when tables or scopes are named, the key may use these and nothing else. An addition to the v4 wire."),
        Column::new("scopes", Kind::Text(0, 4_096), "\"\"")
            .doc("Scopes of the platform's own routes, likewise. An addition to the v4 wire."),
        Column::new("requests_per_minute", Kind::Int(0, 1_000_000), "0")
            .doc("How many requests a minute the key may make in each process of the platform; 0 for no limit of its own. One too many is answered with 429. An addition to the v4 wire."),
        Column::new("rolled_from", NUMBER, "0").read_only()
            .doc("The key whose place this one took; 0 for none. It may have been deleted since. An addition to the v4 wire."),
        Column::new("rolled_to", NUMBER, "0").read_only()
            .doc("The key that took the place of this one; likewise. An addition to the v4 wire."),
    ],
    joins: &["user"],
    page: 50,
    actions: &[Action {
        params: &[Column::new("overlap", Kind::Int(0, 2_592_000), "86400")
            .doc("For how many seconds this key is still good: at most 30 days; a day, without.")],
        makes: true,
        ..Action::new("roll", ROLL)
    }],
    shown_once: true,
    ..Table::EDITABLE
};
