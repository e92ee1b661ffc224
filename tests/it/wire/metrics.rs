//! The example platform's metrics and statistics, and the users who may read them.

use std::path::Path;

use serde_json::{Value, json};
use tempfile::tempdir;
use tests::platform::{PASSWORD, PlatformProcess};

const PROGRAM: &str = env!("CARGO_BIN_EXE_host");

async fn asked(
    platform: &PlatformProcess,
    path: &str,
    login: Option<(&str, &str)>,
) -> (u16, String) {
    let mut request = platform.request("GET", path);
    if let Some((user, password)) = login {
        request = request.basic_auth(user, Some(password));
    }
    let answer = request.send().await.unwrap();
    (answer.status().as_u16(), answer.text().await.unwrap())
}

#[tokio::test]
async fn health_says_yes_and_nothing_else() {
    let platform = PlatformProcess::start(PROGRAM, Path::new("memory"), &[]);
    assert_eq!(
        asked(&platform, "/health", None).await,
        (200, String::new())
    );
    let admin = Some(("admin", PASSWORD));
    assert_eq!(
        asked(&platform, "/health", admin).await,
        (200, String::new())
    );
}

/// Metrics and statistics cover all users.
#[tokio::test]
async fn metrics_are_only_for_system_administrators() {
    let platform = PlatformProcess::start(PROGRAM, Path::new("memory"), &[]);
    for path in ["/metrics", "/status"] {
        assert_eq!(asked(&platform, path, None).await.0, 401, "{path}");
        for (user, status) in [
            ("vera", 403),
            ("tina", 403),
            ("ulf", 403),
            ("uma", 403),
            ("wanda", 200),
        ] {
            let password = platform.password_of(user).unwrap();
            let (got, body) = asked(&platform, path, Some((user, &password))).await;
            assert_eq!(got, status, "{user} {path}: {body}");
            assert_eq!(
                body.contains("For system administrators only"),
                status == 403,
                "{body}"
            );
        }
    }
    let (_, status) = asked(&platform, "/status", Some(("admin", PASSWORD))).await;
    let status: Value = serde_json::from_str(&status).unwrap();
    for name in [
        "queued",
        "running",
        "oldest_due",
        "in_flight",
        "error_rate",
        "recording",
    ] {
        assert!(status.get(name).is_some(), "{name}: {status}");
    }
}

#[tokio::test]
async fn metrics_can_have_a_separate_address() {
    let own = ["--metrics-listen", "127.0.0.1:0"];
    let platform = PlatformProcess::start(PROGRAM, Path::new("memory"), &own);
    let line = platform
        .said
        .iter()
        .find(|line| line.starts_with("metrics at "))
        .unwrap();
    let urls: Vec<&str> = line
        .split(' ')
        .filter(|word| word.starts_with("http"))
        .collect();
    assert_eq!(urls.len(), 2, "{line}");
    for url in urls {
        let answer = reqwest::get(url).await.unwrap();
        assert_eq!(answer.status(), 200, "{url}");
    }
    for path in ["/metrics", "/status"] {
        let (status, _) = asked(&platform, path, Some(("admin", PASSWORD))).await;
        assert_eq!(status, 404, "{path} is at the other address only");
    }
}

/// The metrics that the crates document are there once something happened.
#[tokio::test]
async fn the_metrics_are_those_that_are_documented() {
    let folder = tempdir().unwrap();
    let platform = PlatformProcess::start(PROGRAM, folder.path(), &[]);
    assert_eq!(
        platform
            .request("GET", "/metrics")
            .send()
            .await
            .unwrap()
            .status(),
        401
    );
    platform.call("GET", "system", None).await;
    platform.call("GET", "nosuch-table-of-a-client", None).await;
    let hook = json!({"name": "w", "url": "http://127.0.0.1:9/", "retries": 0});
    platform.call("POST", "webhook_urls", Some(hook)).await;
    platform.call("POST", "webhook_urls/1/send", None).await;
    let figures = async || {
        let request = platform
            .request("GET", "/metrics")
            .basic_auth("admin", Some(PASSWORD));
        request.send().await.unwrap().text().await.unwrap()
    };
    let mut text = figures().await;
    for _ in 0..100 {
        if text.contains("gatepost_attempts_total") {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        text = figures().await;
    }
    for line in [
        r#"gatepost_http_requests_total{table="system",method="GET",status="200"} 1"#,
        r#"gatepost_http_requests_total{table="other",method="GET",status="404"} 1"#,
        r#"gatepost_http_requests_total{table="webhook_urls",method="POST",status="201"} 1"#,
        "gatepost_http_request_seconds",
        "gatepost_auth_total{outcome=\"missing\"}",
        "gatepost_attempts_total{class=",
        "gatepost_attempt_seconds",
        r#"gatepost_queue_deliveries{state="queued"} "#,
        r#"gatepost_queue_deliveries{state="running"} "#,
        "gatepost_queue_oldest_seconds ",
        "gatepost_outbox_rows 0",
        "gatepost_recording 1",
        "gatepost_clock_is_right 1",
        "gatepost_unplaced_owners ",
        "gatepost_log_partitions_missing 0",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    assert!(
        !text.contains("nosuch-table"),
        "labels are not the client's to choose"
    );
}
