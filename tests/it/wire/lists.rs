//! The v4 wire: lists, login and errors, line by line, through TCP with an ordinary HTTP
//! client, against the example platform.

use serde_json::{Value, json};
use tests::platform::PASSWORD;

use super::platform;

/// Every operator, every kind of literal, in percent-encoded and in plain form.
#[tokio::test]
async fn operators_and_literals() {
    let (platform, _folder) = platform(&[]);
    for (name, timeout) in [("alpha", 5), ("Beta", 10), ("gamma", 20)] {
        let row = json!({"name": name, "url": "https://example.com/", "timeout": timeout});
        platform.make("webhook_urls", row).await;
    }
    for (filter, expected) in [
        ("timeout eq 10", vec!["Beta"]),
        ("timeout ne 10", vec!["alpha", "gamma"]),
        ("timeout gt 10", vec!["gamma"]),
        ("timeout ge 10", vec!["Beta", "gamma"]),
        ("timeout lt 10", vec!["alpha"]),
        ("timeout le 10", vec!["alpha", "Beta"]),
        ("name bw 'al'", vec!["alpha"]),
        ("name ew 'ma'", vec!["gamma"]),
        ("name cs 'eta'", vec!["Beta"]),
        ("name cs 'beta'", vec![]),
        ("name ct 'BETA'", vec!["Beta"]),
        ("name rx '^[a-g]'", vec!["alpha", "gamma"]),
        ("enabled eq true", vec!["alpha", "Beta", "gamma"]),
        ("enabled eq false", vec![]),
        ("name eq null", vec![]),
        ("$key eq '2'", vec!["Beta"]),
        ("owner eq 'users/1' and timeout eq 5", vec!["alpha"]),
        (
            "name eq 'alpha' or name eq 'Beta' and timeout eq 10",
            vec!["Beta"],
        ),
        (
            "name eq 'alpha' or (name eq 'Beta' and timeout eq 10)",
            vec!["alpha", "Beta"],
        ),
    ] {
        let mut url = reqwest::Url::parse("http://x/").unwrap();
        url.query_pairs_mut()
            .append_pair("fields", "name")
            .append_pair("filter", filter);
        let rows = platform
            .rows(&format!("webhook_urls?{}", url.query().unwrap()))
            .await;
        let names: Vec<&str> = rows
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["name"].as_str().unwrap())
            .collect();
        assert_eq!(names, expected, "{filter}");
    }
}

/// `all`, `most` and `summary` are every column; without `fields` a few; sorting by several
/// columns; pages.
#[tokio::test]
async fn fields_words_and_sorting() {
    let (platform, _folder) = platform(&[]);
    for (name, timeout) in [("a", 5), ("b", 10), ("c", 5), ("d", 10)] {
        let row = json!({"name": name, "url": "https://example.com/", "timeout": timeout});
        platform.make("webhook_urls", row).await;
    }
    let every = platform.rows("webhook_urls?fields=all").await;
    for words in ["most", "summary", "most,name", "nosuch,summary"] {
        assert_eq!(
            platform.rows(&format!("webhook_urls?fields={words}")).await,
            every
        );
    }
    for table in [
        "webhook_urls",
        "user_api_keys",
        "tasks",
        "task_events",
        "webhooks",
    ] {
        let _ = platform.rows(table).await;
    }
    let short = platform.rows("webhook_urls").await;
    assert!(short[0]["$key"] == 1 && short[0]["name"] == "a" && short[0].get("headers").is_none());
    let sorted = platform
        .rows("webhook_urls?fields=name&sort=-timeout,%2Bname")
        .await;
    assert_eq!(
        sorted,
        json!([{"name": "b"}, {"name": "d"}, {"name": "a"}, {"name": "c"}])
    );
    // A plus that was not encoded arrives as a space.
    assert_eq!(
        platform
            .rows("webhook_urls?fields=name&sort=+timeout,-name&limit=2&offset=1")
            .await,
        json!([{"name": "a"}, {"name": "d"}])
    );
    assert_eq!(
        platform
            .rows("webhook_urls?fields=$key&limit=0&offset=3")
            .await,
        json!([{"$key": 4}])
    );
    assert_eq!(
        platform
            .rows("webhook_urls?fields=f(a,b)[c,d],name%20as%20n&limit=1")
            .await,
        json!([{"n": "a"}])
    );
    let (status, row) = platform
        .call(
            "GET",
            "webhook_urls/2?fields=$key,owner%23$display%20as%20o",
            None,
        )
        .await;
    assert_eq!((status, row), (200, json!({"$key": 2, "o": "admin"})));
}

/// Each status with its body, its type and, for 401, the challenge.
#[tokio::test]
async fn errors_are_json_with_their_status() {
    let (platform, _folder) = platform(&[]);
    let (_, receipt) = platform
        .call(
            "POST",
            "user_api_keys",
            Some(json!({"user": 1, "name": "far", "ip_allow_list": "10.0.0.0/8"})),
        )
        .await;
    let (_, near) = platform
        .call(
            "POST",
            "user_api_keys",
            Some(json!({"user": 1, "name": "near", "ip_deny_list": "!127.0.0.1,10.0.0.1"})),
        )
        .await;
    let (far, near) = (
        receipt["key"].as_str().unwrap(),
        near["key"].as_str().unwrap(),
    );
    let admin = |request: reqwest::RequestBuilder| request.basic_auth("admin", Some(PASSWORD));
    let get = |path: &str| platform.request("GET", path);
    let post =
        |body: &'static [u8]| admin(platform.request("POST", "/api/v4/webhook_urls")).body(body);
    for (request, status) in [
        (get("/api/v4/system").bearer_auth(near), 200),
        (admin(get("/api/v4/system")), 200),
        (get("/api/v4/system").bearer_auth(far), 403),
        (get("/api/v4/system"), 401),
        (get("/api/v4/system").bearer_auth("wrong"), 401),
        (
            get("/api/v4/system").basic_auth("admin", Some("wrong")),
            401,
        ),
        (get("/api/v4/nosuch"), 401),
        (admin(get("/api/v4/nosuch")), 404),
        (admin(get("/api/v4/")), 404),
        (admin(get("/api/v4/webhook_urls/9")), 404),
        (admin(get("/api/v4/webhook_urls/%ff")), 404),
        (admin(get("/api/v4/webhook_urls/-1")), 404),
        (admin(get("/api/v4/webhook_urls/99999999999999999999")), 404),
        (admin(get("/api/v4/webhook_urls/1/send")), 405),
        (admin(get("/api/v4/webhook_url_actions")), 405),
        (
            admin(platform.request("PATCH", "/api/v4/webhook_urls/1")),
            405,
        ),
        (post(b"{\"name\": "), 400),
        (post(b"\xff\xfe"), 400),
        (post(b"[]"), 400),
        (post(b"null"), 400),
        (post(b"{}"), 422),
        (admin(get("/api/v4/webhook_urls?filter=name+is+'x'")), 422),
        (admin(get("/api/v4/webhook_urls?sort=%C3%A9")), 422),
        (admin(get("/api/v4/webhook_urls?limit=-1")), 422),
        (admin(get("/api/v4/webhook_urls?limit=4000000000")), 422),
        (
            admin(get("/api/v4/webhook_urls?offset=9223372036854775808")),
            422,
        ),
    ] {
        let answer = request.send().await.unwrap();
        let (url, got, head) = (
            answer.url().clone(),
            answer.status().as_u16(),
            answer.headers().clone(),
        );
        let body: Value = serde_json::from_str(&answer.text().await.unwrap()).unwrap_or_default();
        assert_eq!(got, status, "{url}: {body}");
        assert_eq!(
            head.get("content-type").unwrap_or_else(|| panic!("{url}")),
            "application/json",
            "{url}"
        );
        assert!(status == 200 || body["err"].is_string(), "{url}: {body}");
        assert_eq!(
            status == 401,
            head.contains_key("www-authenticate"),
            "{url}"
        );
        assert!(status != 405 || head.contains_key("allow"), "{url}");
        if status == 401 {
            assert_eq!(head["www-authenticate"], "Bearer");
        }
    }
}

/// Guessing ends in 429 for the guesser; a valid key from the same address still works.
#[tokio::test]
async fn guessing_is_answered_429() {
    let (platform, _folder) = platform(&[]);
    let (_, made) = platform
        .call(
            "POST",
            "user_api_keys",
            Some(json!({"user": 1, "name": "k"})),
        )
        .await;
    let good = made["key"].as_str().unwrap();
    let probe = async |key: &str| {
        let request = platform.request("GET", "/api/v4/system").bearer_auth(key);
        request.send().await.unwrap().status().as_u16()
    };
    let mut wrong = Vec::new();
    // Each is another key: a repeated one is a client with an old key, and counts once.
    for n in 0..300 {
        wrong.push(probe(&format!("wrong{n}")).await);
        if wrong.last() == Some(&429) {
            break;
        }
    }
    assert_eq!((wrong[0], wrong.last()), (401, Some(&429)));
    assert_eq!(probe(good).await, 200);
}

/// `HEAD` is handled as `GET` without a body; a content type or none makes no difference to a body
/// of JSON.
#[tokio::test]
async fn head_and_any_content_type_are_accepted() {
    let (platform, _folder) = platform(&[]);
    for (number, kind) in [
        "application/json",
        "text/plain",
        "application/x-www-form-urlencoded",
    ]
    .iter()
    .enumerate()
    {
        let body = json!({"name": format!("w{number}"), "url": "https://example.com/"}).to_string();
        let request = platform
            .request("POST", "/api/v4/webhook_urls")
            .basic_auth("admin", Some(PASSWORD));
        assert_eq!(
            request
                .header("content-type", *kind)
                .body(body)
                .send()
                .await
                .unwrap()
                .status(),
            201
        );
    }
    let head = platform
        .request("HEAD", "/api/v4/webhook_urls")
        .basic_auth("admin", Some(PASSWORD))
        .send()
        .await
        .unwrap();
    assert_eq!(
        (head.status().as_u16(), head.text().await.unwrap()),
        (200, String::new())
    );
    let version = platform
        .request("GET", "/version.json")
        .send()
        .await
        .unwrap();
    assert_eq!(version.text().await.unwrap(), r#"{"version":"26.1.8"}"#);
    assert_eq!(
        platform.rows("system").await,
        json!([{"$key": 1, "yb_version": "26.1.8", "os_version": "26.1.8", "cloud_name": "example"}])
    );
    assert_eq!(
        platform
            .rows("system?fields=yb_version%20as%20v,nosuch")
            .await,
        json!([{"v": "26.1.8"}])
    );
}
