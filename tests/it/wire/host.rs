//! The example platform as a program: what it prints works, it does what its options say, and it
//! ends when it is asked to.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use tempfile::tempdir;
use tests::platform::{PASSWORD, PlatformProcess};

const PROGRAM: &str = env!("CARGO_BIN_EXE_host");

/// Pastes a line into a shell.
fn paste(line: &str) -> Value {
    let output = Command::new("sh").args(["-c", line]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{line}\n{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_str(&text).unwrap_or_else(|_| panic!("{line}\n{text}"))
}

fn pasted(platform: &PlatformProcess) -> Vec<Value> {
    let lines = platform.said.iter().map(|line| line.trim());
    lines
        .filter(|line| line.starts_with("curl "))
        .map(paste)
        .collect()
}

fn check(answers: &[Value]) {
    assert_eq!(answers.len(), 3, "{answers:?}");
    assert!(answers[0]["key"].as_str().unwrap().len() > 20);
    assert_eq!(answers[1]["location"], "/v4/webhook_urls/1");
    assert_eq!(answers[2], json!({}));
}

#[test]
fn a_first_run_prints_lines_that_work_when_pasted() {
    let folder = tempdir().unwrap();
    let platform = PlatformProcess::start(PROGRAM, &folder.path().join("data"), &[]);
    check(&pasted(&platform));
    assert!(
        platform.said.iter().any(|line| line.contains(PASSWORD)),
        "a login"
    );
    assert_eq!(
        platform.said.last().unwrap(),
        &format!("listening on {}", platform.base)
    );
    assert!(platform.base.starts_with("http://127.0.0.1:"));
    assert!(folder.path().join("data/gatepost.db").is_file());
    assert!(platform.stop(), "SIGTERM ends it well");
}

/// A password may hold anything that a shell would make something of; a folder too.
#[test]
fn over_tls_with_a_password_and_a_folder_that_need_quoting() {
    let folder = tempdir().unwrap();
    let data = folder.path().join("it's $HOME");
    let platform = PlatformProcess::start(
        PROGRAM,
        &data,
        &["--tls-self-signed", "--admin-password", "it's `me` $0"],
    );
    assert!(platform.base.starts_with("https://127.0.0.1:"));
    check(&pasted(&platform));
    let pem = std::fs::read_to_string(data.join("cert.pem")).unwrap();
    assert!(pem.starts_with("-----BEGIN CERTIFICATE-----"));
    let by_name = platform.base.replace("127.0.0.1", "localhost");
    let line = format!(
        "curl -sS --cacert \"{}/it's \\$HOME/cert.pem\" {by_name}/version.json",
        folder.path().display()
    );
    assert_eq!(paste(&line)["version"], "26.1.8");
}

/// What was made is there at the next start, and the printed lines work again.
#[test]
fn a_second_run_finds_what_the_first_one_left() {
    let folder = tempdir().unwrap();
    let first = PlatformProcess::start(PROGRAM, folder.path(), &[]);
    let key = pasted(&first)[0]["key"].as_str().unwrap().to_owned();
    assert!(first.stop());
    let second = PlatformProcess::start(PROGRAM, folder.path(), &[]);
    let line = format!(
        "curl -sS -H 'Authorization: Bearer {key}' {}/api/v4/user_api_keys?fields=name,lastlogin_ip",
        second.base
    );
    let rows = paste(&line);
    assert_eq!(rows.as_array().unwrap().len(), 1, "{rows}");
    assert_eq!(pasted(&second)[1]["location"], "/v4/webhook_urls/2");
}

/// The same on PostgreSQL, by its URL.
#[test]
fn a_second_run_finds_what_the_first_one_left_on_postgres() {
    let server = tests::postgres::TestPostgres::start();
    let data = Path::new(server.url());
    let first = PlatformProcess::start(PROGRAM, data, &[]);
    let key = pasted(&first)[0]["key"].as_str().unwrap().to_owned();
    assert!(first.stop());
    let second = PlatformProcess::start(PROGRAM, data, &[]);
    let line = format!(
        "curl -sS -H 'Authorization: Bearer {key}' {}/api/v4/user_api_keys?fields=name",
        second.base
    );
    let rows = paste(&line);
    assert_eq!(rows.as_array().unwrap().len(), 1, "{rows}");
    assert_eq!(pasted(&second)[1]["location"], "/v4/webhook_urls/2");
}

/// With a key file no byte of a webhook's secret is in the folder in plaintext; without one it is.
/// Another key does not open it.
#[tokio::test]
async fn the_sealing_key_seals() {
    for sealed in [true, false] {
        let folder = tempdir().unwrap();
        let (data, file) = (folder.path().join("data"), folder.path().join("key"));
        let option = ["--seal-key-file", file.to_str().unwrap()];
        let options: &[&str] = if sealed { &option } else { &[] };
        let secret = "correct-horse-battery-staple";
        let hook = json!({"name": "w", "url": "https://example.com/", "authorization_type": "bearer", "authorization_value": secret});
        let platform = PlatformProcess::start(PROGRAM, &data, options);
        assert_eq!(
            platform.call("POST", "webhook_urls", Some(hook)).await.0,
            201
        );
        assert!(platform.stop());
        assert_eq!(holds(&data, secret), !sealed);
        let platform = PlatformProcess::start(PROGRAM, &data, options);
        assert_eq!(
            platform
                .rows("webhook_urls?fields=authorization_type")
                .await,
            json!([{"authorization_type": "bearer"}])
        );
        drop(platform);
        if sealed {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
            std::fs::write(&file, "not a key").unwrap();
            let mut again = Command::new(PROGRAM);
            let again = again.args(option).arg("--data").arg(&data);
            let refused = again.args(["--listen", "127.0.0.1:0"]).output().unwrap();
            assert!(!refused.status.success());
            assert!(String::from_utf8_lossy(&refused.stderr).contains("64 hexadecimal digits"));
        }
    }
}

/// Whether a file in the folder holds these bytes.
fn holds(folder: &Path, text: &str) -> bool {
    let files = std::fs::read_dir(folder).unwrap();
    files
        .map(|entry| std::fs::read(entry.unwrap().path()).unwrap())
        .any(|bytes| {
            bytes
                .windows(text.len())
                .any(|window| window == text.as_bytes())
        })
}

/// What cannot be understood is said, and nothing is started.
#[test]
fn wrong_options_are_refused_with_the_usage() {
    for wrong in [&["--nosuch"][..], &["--listen"], &["--listen", "here"]] {
        let output = Command::new(PROGRAM).args(wrong).output().unwrap();
        assert!(!output.status.success(), "{wrong:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains(wrong[0]));
    }
    let help = Command::new(PROGRAM).arg("--help").output().unwrap();
    assert!(String::from_utf8_lossy(&help.stdout).contains("--seal-key-file"));
}

/// WIRE: users, machines and tags are lists like all others; what is done to a machine is an event.
#[tokio::test]
async fn the_platforms_own_tables() {
    let folder = tempdir().unwrap();
    let platform = PlatformProcess::start(PROGRAM, folder.path(), &[]);
    assert_eq!(
        platform
            .rows("users?fields=name&filter=type%20eq%20'normal'&sort=-name")
            .await,
        json!([{"name": "vera"}, {"name": "ulf"}])
    );
    assert_eq!(
        platform
            .rows("users?filter=name%20eq%20'admin'&fields=most")
            .await[0],
        json!({"$key": 1, "name": "admin", "displayname": "admin", "email": "admin@example.com", "type": "admin", "enabled": true, "created": 0, "last_login": 0})
    );
    assert_eq!(
        platform
            .rows("vms?fields=$key,name%20as%20vm&limit=1&offset=1")
            .await,
        json!([{"$key": 2, "vm": "db-1"}])
    );
    assert_eq!(
        platform.rows("tags?filter=$key%20gt%201").await,
        json!([{"$key": 2, "name": "database"}])
    );
    assert_eq!(
        platform.rows("tags/1").await,
        json!({"$key": 1, "name": "production"})
    );
    for (method, path, status) in [
        ("GET", "tags/9", 404),
        ("GET", "nosuch", 404),
        ("GET", "vms?filter=nosuch%20eq%201", 422),
        ("POST", "vms", 405),
        ("DELETE", "vms/1", 405),
        ("PUT", "vms/1", 405),
        ("PUT", "vms/1?action=poweron", 200),
        ("POST", "vms/1/poweroff", 200),
        ("POST", "vms/9/poweroff", 404),
        ("POST", "vms/1/explode", 422),
    ] {
        let (got, body) = platform.call(method, path, Some(json!({}))).await;
        assert_eq!(got, status, "{method} {path}: {body}");
    }
}

/// The session token of the platform: given for a password, sent back in its header, over when it
/// is given back.
#[tokio::test]
async fn session_tokens() {
    let folder = tempdir().unwrap();
    let platform = PlatformProcess::start(PROGRAM, folder.path(), &[]);
    let login = |password: &str| {
        let body = json!({"login": "admin", "password": password}).to_string();
        platform
            .request("POST", "/api/sys/tokens")
            .body(body)
            .send()
    };
    assert_eq!(login("wrong").await.unwrap().status(), 401);
    let made: Value =
        serde_json::from_str(&login(PASSWORD).await.unwrap().text().await.unwrap()).unwrap();
    let token = made["$key"].as_str().unwrap();
    let probe = async |token: &str| {
        let request = platform
            .request("GET", "/api/v4/users")
            .header("x-yottabyte-token", token);
        request.send().await.unwrap().status().as_u16()
    };
    assert_eq!((probe(token).await, probe("other").await), (200, 401));
    let end = platform.request("DELETE", &format!("/api/sys/tokens/{token}"));
    assert_eq!(end.send().await.unwrap().status(), 200);
    assert_eq!(probe(token).await, 401);
}

/// The metrics that the crates document are there once something happened; nobody reads them
/// without a login.
#[tokio::test]
async fn figures_and_health() {
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
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    assert!(
        !text.contains("nosuch-table"),
        "labels are not the client's to choose"
    );
    let health = platform.request("GET", "/health").send().await.unwrap();
    let health: Value = serde_json::from_str(&health.text().await.unwrap()).unwrap();
    for name in [
        "queued",
        "running",
        "oldest_due",
        "in_flight",
        "error_rate",
        "recording",
    ] {
        assert!(health.get(name).is_some(), "{name}: {health}");
    }
}
