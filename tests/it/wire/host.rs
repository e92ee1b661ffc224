//! The example platform as a program: its printed lines work, its options take effect, and it ends
//! on request.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use tempfile::tempdir;
use tests::platform::{PASSWORD, PlatformProcess};

const PROGRAM: &str = env!("CARGO_BIN_EXE_host");

/// Runs the printed lines as if pasted: returns the key, and the responses after it.
fn pasted(platform: &PlatformProcess, password: &str) -> (String, Vec<Value>) {
    let said = PlatformProcess::paste(&platform.to_paste(), password);
    let (headings, mut values): (Vec<&String>, Vec<&String>) =
        said.iter().partition(|line| line.ends_with(':'));
    assert_eq!((headings.len(), values.len()), (4, 4), "{said:?}");
    let key = values.remove(0).to_owned();
    let json = |text: &&String| serde_json::from_str(text).unwrap();
    (key, values.iter().map(json).collect())
}

fn check((key, answers): &(String, Vec<Value>)) {
    assert!(key.starts_with("gp_") && key.len() > 20, "{key}");
    assert_eq!(answers[0][0]["cloud_name"], "example");
    assert_eq!(answers[1]["location"], "/v4/webhook_urls/1");
    assert_eq!(answers[2], json!({}));
}

/// Returns the output of a curl line.
fn fetched(line: &str) -> Value {
    let said = PlatformProcess::paste(line, "");
    serde_json::from_str(&said.join("\n")).unwrap()
}

#[test]
fn first_run_prints_lines_that_work_when_pasted() {
    let folder = tempdir().unwrap();
    let platform = PlatformProcess::start(PROGRAM, &folder.path().join("data"), &[]);
    check(&pasted(&platform, PASSWORD));
    assert!(
        !platform.said.iter().any(|line| line.contains(PASSWORD)),
        "a password that was given is not printed"
    );
    assert_eq!(
        platform.said.last().unwrap(),
        &format!("listening on {}", platform.base)
    );
    assert!(platform.base.starts_with("http://127.0.0.1:"));
    assert!(folder.path().join("data/gatepost.db").is_file());
    assert!(!folder.path().join("data/demo").exists());
    assert!(platform.stop(), "SIGTERM ends it well");
}

/// A password may contain anything that is special to a shell; a folder too.
#[test]
fn printed_lines_over_tls_quote_password_and_folder() {
    let folder = tempdir().unwrap();
    let data = folder.path().join("it's $HOME");
    let platform = PlatformProcess::start(
        PROGRAM,
        &data,
        &["--tls-self-signed", "--admin-password", "it's `me` $0"],
    );
    assert!(platform.base.starts_with("https://127.0.0.1:"));
    check(&pasted(&platform, "it's `me` $0"));
    let pem = std::fs::read_to_string(data.join("cert.pem")).unwrap();
    assert!(pem.starts_with("-----BEGIN CERTIFICATE-----"));
    let by_name = platform.base.replace("127.0.0.1", "localhost");
    let line = format!(
        "curl -sS --cacert \"{}/it's \\$HOME/cert.pem\" {by_name}/version.json",
        folder.path().display()
    );
    assert_eq!(fetched(&line)["version"], "26.1.8");
}

/// The records of the first run are there at the next start, and the printed lines work again.
#[test]
fn second_run_finds_records_of_first() {
    let folder = tempdir().unwrap();
    let first = PlatformProcess::start(PROGRAM, folder.path(), &[]);
    let (key, _) = pasted(&first, PASSWORD);
    assert!(first.stop());
    let second = PlatformProcess::start(PROGRAM, folder.path(), &[]);
    let line = format!(
        "curl -sS -H 'Authorization: Bearer {key}' {}/api/v4/user_api_keys?fields=name,lastlogin_ip",
        second.base
    );
    let rows = fetched(&line);
    assert_eq!(rows.as_array().unwrap().len(), 1, "{rows}");
    assert_eq!(
        pasted(&second, PASSWORD).1[1]["location"],
        "/v4/webhook_urls/2"
    );
}

/// The same on PostgreSQL, by its URL.
#[test]
fn second_run_finds_records_of_first_on_postgres() {
    let server = tests::postgres::TestPostgres::start();
    let data = Path::new(server.url());
    let folder = tempdir().unwrap();
    let state = ["--state", folder.path().to_str().unwrap()];
    let first = PlatformProcess::start(PROGRAM, data, &state);
    let (key, _) = pasted(&first, PASSWORD);
    assert!(first.stop());
    let second = PlatformProcess::start(PROGRAM, data, &state);
    let list = |list: &str| {
        let url = format!("{}/api/v4/{list}", second.base);
        let line = format!("curl -sS -H 'Authorization: Bearer {key}' \"{url}\"");
        fetched(&line)
    };
    let rows = list("user_api_keys?fields=name");
    assert_eq!(rows.as_array().unwrap().len(), 1, "{rows}");
    // PostgreSQL's text cannot hold these characters, so no row has them.
    for column in [
        "user_api_keys?filter=name",
        "webhook_urls?filter=name",
        "tasks?filter=name",
        "webhooks?filter=class",
        "audit_log?filter=record",
    ] {
        let rows = list(&format!("{column}%20eq%20'%00'"));
        assert_eq!(rows, json!([]), "{column}");
    }
    assert_eq!(
        pasted(&second, PASSWORD).1[1]["location"],
        "/v4/webhook_urls/2"
    );
}

/// WIRE 9: users, machines and tags are lists like all others; an action on a machine is an event.
#[tokio::test]
async fn the_platforms_own_tables() {
    let folder = tempdir().unwrap();
    let platform = PlatformProcess::start(PROGRAM, folder.path(), &[]);
    assert_eq!(
        platform
            .rows("users?fields=name&filter=type%20eq%20'normal'&sort=-name&limit=2")
            .await,
        json!([{"name": "wanda"}, {"name": "vera"}])
    );
    let machines = "vms?fields=name,is_snapshot&filter=is_snapshot%20eq%20false";
    let machines = platform.rows(machines).await;
    assert_eq!(machines.as_array().map(Vec::len), Some(5));
    assert_eq!(machines[0], json!({"name": "web-1", "is_snapshot": false}));
    assert_eq!(
        platform
            .rows("users?filter=name%20eq%20'admin'&fields=most")
            .await[0],
        json!({"$key": 1, "name": "admin", "displayname": "admin", "email": "admin@example.com", "type": "normal", "enabled": true, "created": 0, "last_login": 0})
    );
    assert_eq!(
        platform
            .rows("vms?fields=$key,name%20as%20vm&limit=1&offset=1")
            .await,
        json!([{"$key": 2, "vm": "db-1"}])
    );
    assert_eq!(
        platform.rows("tags?filter=$key%20gt%201").await,
        json!([{"$key": 2, "name": "database"}, {"$key": 4, "name": "staging"}])
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

/// The session token of the platform: issued for a password, sent back in its header, invalid after
/// a logout.
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

/// The allocator reads the option before `main` begins.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn allocator_purge_delay_is_zero_or_as_configured() {
    const OPTION: &str = "MIMALLOC_PURGE_DELAY";
    for (given, wanted) in [(None, "0"), (Some("50"), "50")] {
        let mut command = Command::new(PROGRAM);
        command.args(["--admin-password", "secret", "--data", "memory"]);
        command.env_remove(OPTION);
        if let Some(given) = given {
            command.env(OPTION, given);
        }
        let platform = PlatformProcess::run(&mut command);
        let environment = std::fs::read(format!("/proc/{}/environ", platform.pid())).unwrap();
        let option = format!("{OPTION}={wanted}");
        let mut all = environment.split(|byte| *byte == 0);
        assert!(all.any(|one| one == option.as_bytes()), "{option}");
    }
}

/// Other responses may show a secret next to text that a stranger chose.
#[tokio::test]
async fn compression_applies_only_to_get_without_query() {
    let mut command = Command::new(PROGRAM);
    command.args(["--data", "memory", "--admin-password", PASSWORD]);
    let platform = PlatformProcess::run(&mut command);
    let encoding = async |method: &str, path: &str| {
        let request = platform.request(method, path);
        let request = request.basic_auth("admin", Some(PASSWORD));
        let request = request.header("accept-encoding", "gzip");
        let body = json!({"user": 1, "name": "k"}).to_string();
        let response = request.body(body).send().await.unwrap();
        assert!(response.status().is_success(), "{path}");
        response.headers().get("content-encoding").cloned()
    };
    for path in ["/login", "/api/v4/openapi.json"] {
        assert_eq!(encoding("GET", path).await.unwrap(), "gzip", "{path}");
    }
    for (method, path) in [
        ("GET", "/login?back=/console/keys"),
        ("GET", "/api/v4/webhook_urls?fields=all"),
        ("POST", "/api/v4/user_api_keys"),
    ] {
        assert_eq!(encoding(method, path).await, None, "{method} {path}");
    }
}
