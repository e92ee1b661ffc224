//! Everything that REST can set can be set in a form, and the other way round: the columns of each
//! table against the fields of its form, and a row of REST whose form is saved unchanged.

use examples::client::call;
use serde_json::{Value, json};
use tests::browser::{Browser, Look, Site, Visitor};
use tests::world::HERE;

/// The fields of forms that set no column: events of a new webhook are separate rows.
const OTHERS: [&str; 7] = [
    "csrf",
    "ticket",
    "began",
    "do",
    "when",
    "client_remove",
    "unsign",
];
/// The tables of records.
const KINDS: [Kind; 4] = [
    Kind {
        table: "user_api_keys",
        new: "/console/keys/new",
        edit: "/console/keys/2/edit",
        columns: &[
            ("user", &["user"]),
            ("name", &["name"]),
            ("description", &["description"]),
            ("expires_type", &["expires_type"]),
            ("expires", &["expires", "expires_zone"]),
            ("ip_allow_list", &["allow"]),
            ("ip_deny_list", &["deny"]),
            ("enabled", &[]),
            ("read_only", &["read_only"]),
            ("tables", &["tables"]),
            ("scopes", &["scopes"]),
            ("requests_per_minute", &["requests_per_minute"]),
        ],
        row: || {
            json!({
                "name": "all", "description": "two\nlines", "expires_type": "date", "expires": 4_000_000_000_u64,
                "ip_allow_list": "10.0.0.0/8,!192.168.1.5/32", "ip_deny_list": "10.1.0.0/16", "read_only": true, "tables": "tasks,webhook_urls", "scopes": "machines:power", "requests_per_minute": 7,
            })
        },
    },
    Kind {
        table: "webhook_urls",
        new: "/console/webhooks/new",
        edit: "/console/webhooks/1/edit",
        columns: &[
            ("name", &["name"]),
            ("type", &[]),
            ("url", &["url"]),
            ("headers", &["header_mode", "header", "headers_text"]),
            ("authorization_type", &["auth"]),
            (
                "authorization_value",
                &["token", "key", "user", "password", "oauth_secret"],
            ),
            ("oauth_token_url", &["oauth_token_url"]),
            ("oauth_client_id", &["oauth_client_id"]),
            ("oauth_scope", &["oauth_scope"]),
            ("oauth_client_auth", &["oauth_client_auth"]),
            ("client_certificate", &["client_certificate"]),
            ("client_key", &["client_key"]),
            ("signing_secrets", &["sign"]),
            ("allow_insecure", &["insecure"]),
            ("timeout", &["timeout"]),
            ("retries", &["retries"]),
            ("retry_schedule", &["retry_schedule"]),
            ("rate", &["rate"]),
            ("channels", &["channels"]),
            ("delivery_mode", &["delivery_mode"]),
            ("enabled", &["enabled"]),
            ("in_order", &["in_order"]),
        ],
        row: || {
            json!({
                "name": "all", "url": "https://example.com/in", "headers": "X-A:1\nX-B:2\n", "authorization_type": "oauth2",
                "authorization_value": "s3cret", "oauth_token_url": "https://example.com/token", "oauth_client_id": "me",
                "oauth_scope": "a b", "oauth_client_auth": "body", "allow_insecure": true, "timeout": 7, "retries": 2,
                "retry_schedule": "5s, 1m", "rate": 3, "channels": "billing, project-7", "delivery_mode": "fetch",
                "enabled": false, "in_order": true,
            })
        },
    },
    Kind {
        table: "tasks",
        new: "/console/tasks/new",
        edit: "/console/tasks/1/edit",
        columns: &[
            ("name", &["name"]),
            ("description", &["description"]),
            ("enabled", &["enabled"]),
            ("owner", &["webhook"]),
            ("table", &["object_type"]),
            ("action", &["action"]),
            ("delete_after_run", &["once"]),
            ("settings_args", &["message"]),
        ],
        row: || {
            json!({
                "name": "all", "description": "two\nlines", "enabled": false, "owner": "webhook_urls/1",
                "delete_after_run": true, "settings_args": {"message": "a\n b"},
            })
        },
    },
    Kind {
        table: "task_events",
        new: "/console/events/new?type=vms",
        edit: "/console/events/1/edit",
        columns: &[
            ("task", &["task"]),
            ("table", &["type"]),
            ("event", &["event"]),
            ("event_name", &["label"]),
            ("owner", &["target", "instance"]),
            ("tag", &["tag"]),
            ("enabled", &["enabled"]),
            ("table_event_filters", &["filter"]),
            ("context", &["context"]),
        ],
        row: || {
            json!({
                "task": 1, "table": "vms", "event": "poweron", "event_name": "Night watch", "owner": "vms/1", "enabled": false,
                "table_event_filters": {"severity": {"$in": ["high"]}}, "context": {"a": 1.50},
            })
        },
    },
];

/// A table, the addresses of its forms, and the fields of each column; a column without fields is
/// set by a button, or has only one value.
struct Kind {
    table: &'static str,
    new: &'static str,
    edit: &'static str,
    columns: &'static [(&'static str, &'static [&'static str])],
    /// A row with another value than the default one in each column.
    row: fn() -> Value,
}

/// Returns the names of the fields of a form, each once; of a row only the list.
async fn fields(b: &Browser) -> Vec<String> {
    let names = "return [...new Set([...document.querySelector('form.main[method=post]').elements].map(field => field.name.split('.')[0]))].filter(name => name)";
    let names = b.script(names).await;
    let names = names.as_array().unwrap().iter();
    names
        .map(|name| name.as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn forms_and_rest_set_the_same_fields() {
    let site = Site::start().await;
    let admin = Visitor::login(&site, "admin").await;
    let rest = [("name", "rest"), ("expires_type", "never")];
    let key = admin.submit("/console/keys/new", &rest).await.secret();
    let key = key.unwrap();
    let addr = site.addr;
    let ask = async move |method: &str, path: &str, body: Option<&Value>| {
        let path = format!("/api/v4/{path}");
        let answer = call(addr, HERE, method, &path, Some(&key), body)
            .await
            .unwrap();
        assert!(answer.status < 300, "{path}: {}", answer.body);
        answer.json()
    };
    let document = ask("GET", "openapi.json", None).await;
    Browser::run(&site, Look::default(), async move |b: Browser| {
        b.login("admin").await;
        for kind in KINDS {
            let schema = format!(
                "/paths/~1{}/post/requestBody/content/application~1json/schema/$ref",
                kind.table
            );
            let schema = document.pointer(&schema).unwrap().as_str().unwrap();
            let schema = document.pointer(&schema[1..]).unwrap();
            let columns = schema["properties"].as_object().unwrap().keys();
            let known: Vec<_> = kind.columns.iter().map(|(name, _)| *name).collect();
            let unknown: Vec<_> = columns
                .filter(|name| !known.contains(&name.as_str()))
                .collect();
            assert!(
                unknown.is_empty(),
                "{}: no field for {unknown:?}",
                kind.table
            );
            b.goto(kind.new).await;
            let fields = fields(&b).await;
            for (column, own) in kind.columns {
                let missing: Vec<_> = own
                    .iter()
                    .filter(|own| !fields.iter().any(|field| field == *own))
                    .collect();
                assert!(
                    missing.is_empty(),
                    "{}: {column} without {missing:?}",
                    kind.table
                );
            }
            let of_columns = |field: &String| {
                kind.columns
                    .iter()
                    .any(|(_, own)| own.contains(&field.as_str()))
            };
            let others: Vec<_> = fields
                .iter()
                .filter(|field| !of_columns(field) && !OTHERS.contains(&field.as_str()))
                .collect();
            assert!(
                others.is_empty(),
                "{}: no column for {others:?}",
                kind.table
            );

            ask("POST", kind.table, Some(&(kind.row)())).await;
            let number = if kind.table == "user_api_keys" { 2 } else { 1 };
            let path = format!("{}/{number}?fields=all", kind.table);
            let read = async || {
                let mut row = ask("GET", &path, None).await;
                row.as_object_mut().unwrap().remove("modified");
                row
            };
            let before = read().await;
            b.goto(kind.edit).await;
            b.turn("form.main .submit .primary").await;
            b.until(".note", "was saved").await;
            assert_eq!(read().await, before, "{}", kind.table);
        }
    })
    .await;
}
