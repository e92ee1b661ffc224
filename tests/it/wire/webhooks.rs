//! The v4 wire: columns, defaults and limits of keys, webhooks and their log, through TCP with an
//! ordinary HTTP client, against the example platform.

use serde_json::{Value, json};
use tests::world::with;

use super::{hook, platform};

#[tokio::test]
async fn keys_and_their_limits() {
    let (platform, _folder) = platform(&[]);
    let key = |more: Value| with(json!({"user": 1, "name": "k"}), &more);
    platform.judge("POST", "user_api_keys", vec![
        (json!({"name": "own"}), 201, ""),
        (json!({"user": 1}), 422, "'name'"),
        (key(json!({"user": 99})), 422, "'user'"),
        (key(json!({"name": ""})), 422, "'name'"),
        (key(json!({"name": "x".repeat(129)})), 422, "'name'"),
        (key(json!({"description": "x".repeat(2049)})), 422, "'description'"),
        (key(json!({"expires_type": "soon"})), 422, "'expires_type'"),
        (key(json!({"expires_type": "date"})), 422, "'expires'"),
        (key(json!({"expires_type": "date", "expires": 1})), 422, "'expires'"),
        (key(json!({"expires_type": "never", "expires": 4102444800i64})), 422, "'expires'"),
        (key(json!({"ip_allow_list": "10.0.0.0/33"})), 422, "'ip_allow_list'"),
        (key(json!({"ip_deny_list": "here"})), 422, "'ip_deny_list'"),
        (key(json!({"created": 1})), 422, "'created'"),
        (key(json!({"lastlogin_stamp": 1})), 422, "'lastlogin_stamp'"),
        (key(json!({"nosuch": 1})), 422, "'nosuch'"),
        (key(json!({"name": "x".repeat(128), "description": "y".repeat(2048)})), 201, ""),
        (key(json!({"expires": 4102444800i64})), 201, ""),
        (key(json!({})), 409, "exists"),
        (key(json!({"user": "2"})), 201, ""),
        (key(json!({"name": "n", "expires_type": "never", "expires": 0, "ip_allow_list": " 10.1.2.3/8 , !::1 "})), 201, ""),
    ]).await;
    let rows = platform.rows("user_api_keys?fields=user,expires_type,expires,ip_allow_list,lastlogin_ip&filter=$key%20ne%202").await;
    assert_eq!(
        rows,
        json!([
            // The caller's own key: no user was named.
            {"user": 1, "expires_type": "never", "expires": 0, "ip_allow_list": "", "lastlogin_ip": ""},
            {"user": 1, "expires_type": "date", "expires": 4102444800i64, "ip_allow_list": "", "lastlogin_ip": ""},
            {"user": 2, "expires_type": "never", "expires": 0, "ip_allow_list": "", "lastlogin_ip": ""},
            {"user": 1, "expires_type": "never", "expires": 0, "ip_allow_list": "10.0.0.0/8,!::1", "lastlogin_ip": ""},
        ])
    );
    assert_eq!(
        platform
            .rows("user_api_keys?filter=user%20eq%201")
            .await
            .as_array()
            .unwrap()
            .len(),
        4
    );
}

#[tokio::test]
async fn webhooks_and_their_limits() {
    let (platform, _folder) = platform(&[]);
    let row = json!({"name": "w", "url": "https://example.com/"});
    let refused = vec![
        ("url", json!("ftp://example.com/")),
        ("url", json!("example.com")),
        ("name", json!("x".repeat(129))),
        ("type", json!("other")),
        ("headers", json!("no colon\n")),
        ("headers", json!("A:1\r\nHost: evil\n")),
        ("authorization_type", json!("digest")),
        ("timeout", json!(121)),
        ("timeout", json!("soon")),
        ("retries", json!(-1)),
        ("retries", json!(101)),
        ("allow_insecure", json!("perhaps")),
    ];
    platform.refuses("webhook_urls", &row, refused).await;
    let row = |column: &str, value: Value| with(row.clone(), &json!({column: value}));
    let (bearer, most) = (json!("bearer"), json!("x".repeat(128)));
    let cases = vec![
        (json!({"name": "w"}), 422, "'url'"),
        (json!({"url": "https://example.com/"}), 422, "'name'"),
        (
            row("authorization_type", bearer),
            422,
            "'authorization_value'",
        ),
        (row("timeout", json!(2)), 422, "'must be 3 or greater'"),
        (row("timeout", json!(3.0)), 201, ""),
        (row("name", most), 201, ""),
        (row("timeout", json!(120)), 409, "exists"),
    ];
    platform.judge("POST", "webhook_urls", cases).await;
    platform
        .judge(
            "PUT",
            "webhook_urls/1",
            vec![
                (json!({"name": "x".repeat(128)}), 409, "exists"),
                (
                    json!({"timeout": 120, "retries": 100, "url": "http://example.com:8080/a?b=c"}),
                    200,
                    "",
                ),
                (json!({"retries": 0, "headers": "A: 1\nB:2"}), 200, ""),
                (json!({"created": 1}), 422, "'created'"),
            ],
        )
        .await;
    let (_, row) = platform.call("GET", "webhook_urls/1", None).await;
    assert_eq!(
        (&row["headers"], &row["timeout"], &row["retries"]),
        (&json!("A:1\nB:2\n"), &json!(120), &json!(0))
    );
}

/// Deleting a webhook deletes its delivery log; deliveries of others stay.
#[tokio::test]
async fn a_deleted_webhook_takes_its_log_along() {
    let (platform, _folder) = platform(&[]);
    let (one, two) = (hook(&platform, "one").await, hook(&platform, "two").await);
    for key in [one, two] {
        platform
            .call(
                "PUT",
                &format!("webhook_urls/{key}"),
                Some(json!({"url": "http://127.0.0.1:9/", "retries": 0})),
            )
            .await;
        let (status, answer) = platform
            .call("POST", &format!("webhook_urls/{key}/send"), Some(json!({})))
            .await;
        assert_eq!((status, answer), (200, json!({})));
    }
    assert_eq!(platform.rows("webhooks").await.as_array().unwrap().len(), 2);
    let (status, body) = platform
        .call("DELETE", &format!("webhook_urls/{one}"), None)
        .await;
    assert_eq!((status, body), (200, Value::Null));
    assert_eq!(
        platform.rows("webhooks?fields=webhook_url").await,
        json!([{"webhook_url": two}])
    );
}

/// Every column of the log, with `0` and `""` for missing values.
#[tokio::test]
async fn the_columns_of_the_log() {
    let (platform, _folder) = platform(&[]);
    let key = hook(&platform, "w").await;
    platform
        .call(
            "PUT",
            &format!("webhook_urls/{key}"),
            Some(json!({"enabled": true, "url": "http://127.0.0.1:9/", "retries": 0})),
        )
        .await;
    platform
        .call(
            "POST",
            &format!("webhook_urls/{key}/send"),
            Some(json!({"message": "m"})),
        )
        .await;
    let mut row = Value::Null;
    for _ in 0..200 {
        row = platform
            .rows("webhooks?fields=all&filter=status%20eq%20'error'")
            .await[0]
            .clone();
        if !row.is_null() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(25)).await;
    }
    assert!(
        row["last_attempt"].as_i64() > Some(1_700_000_000)
            && row["created"].as_i64() > Some(1_700_000_000),
        "{row}"
    );
    assert!(
        !row["status_info"].as_str().unwrap().is_empty() && row["duration_ms"].is_u64(),
        "{row}"
    );
    for (column, value) in [
        ("$key", json!(1)),
        ("webhook_url", json!(key)),
        ("message", json!("m")),
        ("status", json!("error")),
        ("class", json!("connect")),
        ("attempts", json!(1)),
        ("next_attempt", json!(0)),
        ("task", json!(0)),
        ("response_status", json!(0)),
        ("response_body", json!("")),
    ] {
        assert_eq!(row[column], value, "{column}: {row}");
    }
    for (class, count) in [("connect", 1), ("timeout", 0)] {
        let path = format!("webhooks?filter=class%20eq%20'{class}'");
        let listed = platform.rows(&path).await;
        assert_eq!(listed.as_array().unwrap().len(), count, "{class}");
    }
    for method in ["POST", "PUT"] {
        let path = if method == "POST" {
            "webhooks"
        } else {
            "webhooks/1"
        };
        assert_eq!(
            platform
                .call(method, path, Some(json!({"message": "n"})))
                .await
                .0,
            405
        );
    }
}
