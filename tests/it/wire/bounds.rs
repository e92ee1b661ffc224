//! Limits of one request, and headers of every response.

use serde_json::{Value, json};
use tests::platform::PASSWORD;

use super::platform;

const MIB: usize = 1024 * 1024;

/// 199 aliases of one column asked for 2 GB in a line.
#[tokio::test]
async fn a_column_is_in_a_response_once() {
    let (platform, _folder) = platform(&["--unlimited"]);
    let aliases: Vec<_> = (0..199).map(|n| format!("message%20as%20m{n}")).collect();
    for (path, column) in [
        (format!("webhooks?fields={}", aliases.join(",")), "message"),
        ("webhooks?fields=all,message%20as%20m".to_owned(), "message"),
        (
            "tasks?fields=owner%23name,owner%23name%20as%20n".to_owned(),
            "owner#name",
        ),
        (
            "tasks?fields=count(events),count(events)%20as%20n".to_owned(),
            "count(events)",
        ),
        (
            "system?fields=yb_version,yb_version%20as%20v".to_owned(),
            "yb_version",
        ),
    ] {
        let (status, answer) = platform.call("GET", &path, None).await;
        let text = answer["err"].as_str().unwrap_or_default();
        assert_eq!(status, 422, "{path}: {answer}");
        let twice = format!("field: 'fields' - 'names the column '{column}' twice'");
        assert!(text.contains(&twice), "{path}: {text}");
    }
    for once in ["most,name", "all,most", "user,user%23name%20as%20user_name"] {
        platform.rows(&format!("webhook_urls?fields={once}")).await;
    }
    // The same entry twice is one part of the response.
    let row = json!({"name": "w", "url": "https://example.com/"});
    platform.make("webhook_urls", row).await;
    let again = ["$key", "name"].repeat(200).join(",");
    let rows = platform.rows(&format!("webhook_urls?fields={again}")).await;
    assert_eq!(rows, json!([{"$key": 1, "name": "w"}]));
}

/// A list of more than 16 MiB is refused with a `limit` that fits; a list that fits is complete,
/// and its length is sent before it.
#[tokio::test]
async fn oversized_list_is_refused_with_fitting_limit() {
    let (platform, _folder) = platform(&["--unlimited"]);
    let webhook = json!({"name": "w", "url": "https://example.com/", "enabled": false});
    let owner = format!(
        "webhook_urls/{}",
        platform.make("webhook_urls", webhook).await
    );
    let message = "m".repeat(MIB - 1);
    for at in 0..20 {
        let task = json!({
            "name": format!("t{}", at % 7), "owner": owner, "settings_args": {"message": message},
        });
        platform.make("tasks", task).await;
    }
    for path in [
        "tasks?fields=$key,settings_args",
        "tasks?fields=all",
        "tasks?fields=$key,settings_args&sort=-$key",
        "tasks?fields=$key,settings_args&sort=name",
        "tasks?fields=$key,settings_args&filter=settings_args%20ne%20null",
    ] {
        let (status, answer) = platform.call("GET", path, None).await;
        let text = answer["err"].as_str().unwrap_or_default().to_owned();
        assert_eq!(status, 413, "{path}: {text}");
        let limit = text.split("limit=").nth(1).unwrap();
        let limit = limit.split(' ').next().unwrap();
        assert_eq!(limit, "15", "{path}: {text}");
        let rows = platform.rows(&format!("{path}&limit={limit}")).await;
        let rows = rows.as_array().unwrap();
        assert_eq!(rows.len(), 15, "{path}");
        let whole = |row: &Value| row["settings_args"]["message"] == message.as_str();
        assert!(rows.iter().all(whole), "{path}");
    }
    let last = platform
        .rows("tasks?fields=$key,settings_args&offset=19")
        .await;
    assert_eq!(last[0]["$key"], 20);
    let names = platform.rows("tasks?fields=$key,name&sort=name").await;
    let keys = names.as_array().unwrap().iter().map(|row| &row["$key"]);
    let sorted = [
        1, 8, 15, 2, 9, 16, 3, 10, 17, 4, 11, 18, 5, 12, 19, 6, 13, 20, 7, 14,
    ];
    assert!(keys.eq(sorted.map(Value::from).iter()), "{names}");
}

/// Successful and refused responses, to a key, a password, a session token or nothing: no cache
/// stores them, and they are JSON and nothing else.
#[tokio::test]
async fn every_response_is_private() {
    let (platform, _folder) = platform(&["--unlimited"]);
    let login = json!({"login": "admin", "password": PASSWORD}).to_string();
    let tokens = |body: &str| {
        let request = platform.request("POST", "/api/sys/tokens");
        request.body(body.to_owned())
    };
    let with = |method: &str, path: &str| {
        let request = platform.request(method, &format!("/api/v4/{path}"));
        request.basic_auth("admin", Some(PASSWORD))
    };
    let long = "a".repeat(2 * MIB);
    let token = tokens(&login).send().await.unwrap();
    let token: Value = serde_json::from_str(&token.text().await.unwrap()).unwrap();
    let token = token["$key"].as_str().unwrap().to_owned();
    for (request, status) in [
        (with("GET", "tasks"), 200),
        (with("GET", "system"), 200),
        (with("GET", "openapi.json"), 200),
        (
            with("POST", "user_api_keys").body(r#"{"user":1,"name":"k"}"#),
            201,
        ),
        (with("POST", "tasks").body("{"), 400),
        (platform.request("GET", "/api/v4/tasks"), 401),
        (
            platform
                .request("GET", "/api/v4/tasks")
                .bearer_auth("nothing"),
            401,
        ),
        (with("GET", "nothing"), 404),
        (with("DELETE", "system"), 405),
        (with("GET", "tasks?sort=nothing"), 422),
        (tokens(&login), 201),
        (tokens("{"), 400),
        (tokens("{}"), 401),
        (
            platform
                .request("GET", "/api/v4/tasks")
                .header("x-yottabyte-token", &token),
            200,
        ),
        (
            platform
                .request("GET", "/api/v4/tasks")
                .header("x-yottabyte-token", "nothing"),
            401,
        ),
        (
            platform.request("DELETE", &format!("/api/sys/tokens/{token}")),
            200,
        ),
        // The last one: its connection is closed, because its body is not read.
        (with("POST", "tasks").body(long), 413),
    ] {
        let answer = request.send().await.unwrap();
        let header = |name: &str| {
            let value = answer.headers().get(name);
            value.map_or("", |value| value.to_str().unwrap()).to_owned()
        };
        let said = (
            answer.status().as_u16(),
            header("cache-control"),
            header("x-content-type-options"),
        );
        let wanted = (status, "no-store".to_owned(), "nosniff".to_owned());
        assert_eq!(said, wanted, "{}", answer.url());
    }
}

/// A body of a million values would take a hundred times its size.
#[tokio::test]
async fn a_body_of_too_many_values_is_refused() {
    let (platform, _folder) = platform(&["--unlimited"]);
    let body: Value = json!({"name": "t", "settings_args": vec![0; 200_000]});
    let (status, answer) = platform.call("POST", "tasks", Some(body)).await;
    assert_eq!(
        (status, &answer["err"]),
        (413, &json!("The request is too large"))
    );
}

/// `ct` ignores case, in any script, also in a long text.
#[tokio::test]
async fn contains_folds_case_in_every_script() {
    let (platform, _folder) = platform(&["--unlimited"]);
    for name in ["ΟΔΟΣ", "ÉCOLE", "plain"] {
        let row = json!({"name": name, "url": "https://example.com/"});
        platform.make("webhook_urls", row).await;
    }
    for (part, found) in [
        ("οδος", "ΟΔΟΣ"),
        ("οδοσ", "ΟΔΟΣ"),
        ("école", "ÉCOLE"),
        ("PLA", "plain"),
    ] {
        let mut url = reqwest::Url::parse("http://x/").unwrap();
        let filter = format!("name ct '{part}'");
        url.query_pairs_mut().append_pair("filter", &filter);
        let path = format!("webhook_urls?fields=name&{}", url.query().unwrap());
        assert_eq!(
            platform.rows(&path).await,
            json!([{"name": found}]),
            "{part}"
        );
    }
}
