//! The log of the example platform: a line for each request, delivery and refusal, without secrets,
//! and without colours unless it goes to a terminal.

use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

use serde_json::json;
use tempfile::tempdir;
use tests::canary::{Canary, leaks};
use tests::platform::{PASSWORD, PlatformProcess};

const PROGRAM: &str = env!("CARGO_BIN_EXE_host");

/// Runs it, well and badly, with a secret in every field; returns its log, and the secrets.
async fn logged(filter: Option<&str>, more: &[&str]) -> (String, Vec<Canary>) {
    let folder = tempdir().unwrap();
    let log = folder.path().join("log");
    let receiver = examples::receiver::Receiver::start(None).await.unwrap();
    let mut command = Command::new(PROGRAM);
    command.args(["--data", "memory", "--no-demo", "--allow-private-targets"]);
    command.env("GATEPOST_ADMIN_PASSWORD", PASSWORD).args(more);
    match filter {
        Some(filter) => command.env("RUST_LOG", filter),
        None => command.env_remove("RUST_LOG"),
    };
    let platform = PlatformProcess::launch(&mut command, File::create(&log).unwrap());
    let token = "CANARY-bearer-7f3a9c51e2";
    let query = "CANARY-query-0d9b44aa17";
    let url = format!("http://{}/in?key={query}", receiver.addr);
    let webhook = json!({"name": "w", "url": url, "authorization_type": "bearer", "authorization_value": token});
    let id = platform.make("webhook_urls", webhook).await;
    let task = json!({"name": "t", "webhook_url": id, "message": "CANARY-message-31c2 ${NAME}"});
    let _ = platform.call("POST", "tasks", Some(task)).await;
    let send = format!("webhook_urls/{id}/send");
    for (n, status) in [(1, 200), (2, 503)] {
        receiver.answer_with(&[status.try_into().unwrap()]);
        assert_eq!(platform.call("POST", &send, Some(json!({}))).await.0, 200);
        receiver.wait_for("/in", n).await.unwrap();
    }
    let (_, made) = platform
        .call(
            "POST",
            "user_api_keys",
            Some(json!({"user": 1, "name": "k"})),
        )
        .await;
    let key = made["key"].as_str().unwrap().to_owned();
    let get = |path: String, key: &str| platform.request("GET", &path).bearer_auth(key).send();
    let filter = format!("/api/v4/webhook_urls?filter=name%20eq%20'{query}'");
    assert_eq!(get(filter, &key).await.unwrap().status(), 200);
    assert_eq!(
        get("/api/v4/system".into(), &key[..key.len() - 1])
            .await
            .unwrap()
            .status(),
        401
    );
    assert_eq!(
        get(format!("/nowhere/{key}"), &key).await.unwrap().status(),
        404
    );
    let body = json!({"login": "admin", "password": PASSWORD}).to_string();
    let made = platform
        .request("POST", "/api/sys/tokens")
        .body(body)
        .send()
        .await
        .unwrap();
    let made: serde_json::Value = serde_json::from_str(&made.text().await.unwrap()).unwrap();
    let session = made["$key"].as_str().unwrap().to_owned();
    let end = platform.request("DELETE", &format!("/api/sys/tokens/{session}"));
    assert_eq!(end.send().await.unwrap().status(), 200);
    let form = platform
        .request("POST", "/login")
        .header("content-type", "application/x-www-form-urlencoded");
    form.body(format!("user={token}&password={query}"))
        .send()
        .await
        .unwrap();
    assert!(platform.stop());
    let secrets = vec![
        Canary::new("password", PASSWORD),
        Canary::new("bearer token", token),
        Canary::new("query", query),
        Canary::new("message", "CANARY-message-31c2"),
        // Its first characters are in its masked form, which may be shown.
        Canary::new("key", &key[20..]),
        Canary::new("session", &session[5..]),
    ];
    (fs::read_to_string(log).unwrap(), secrets)
}

/// Returns the number of lines that contain all of these words.
fn count(log: &str, words: &[&str]) -> usize {
    let has = |line: &&str| words.iter().all(|word| line.contains(word));
    log.lines().filter(has).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_deliveries_and_refusals_are_logged_without_secrets() {
    for filter in [None, Some("info"), Some("trace")] {
        let (log, secrets) = logged(filter, &[]).await;
        let who = "user=1 key=1 from=127.0.0.1";
        assert_eq!(
            count(
                &log,
                &[
                    " INFO request: GET /api/v4/webhook_urls status=200 ms=",
                    who
                ]
            ),
            1,
            "{log}"
        );
        assert_eq!(
            count(&log, &[" INFO request: GET /api/v4/system status=401 "]),
            1,
            "{log}"
        );
        assert_eq!(
            count(&log, &[" INFO request: GET /nowhere/gp_", "… status=404 "]),
            1,
            "{log}"
        );
        assert_eq!(
            count(&log, &["request: POST /login status=403 "]),
            1,
            "{log}"
        );
        assert_eq!(
            count(
                &log,
                &["request: POST /api/v4/webhook_urls/1/send status=200 "]
            ),
            2,
            "{log}"
        );
        let made = " INFO ";
        assert_eq!(
            count(
                &log,
                &[
                    made,
                    "delivery: delivered status=200 ms=",
                    "id=1 webhook=1 owner=1 attempt=1"
                ]
            ),
            1,
            "{log}"
        );
        let failed = "delivery: not delivered status=503 ms=";
        assert_eq!(
            count(
                &log,
                &[
                    failed,
                    "error=the target responded with status 503",
                    "id=2 webhook=1"
                ]
            ),
            1,
            "{log}"
        );
        assert!(!log.contains('\u{1b}'), "no colours in a file");
        assert_eq!(leaks(&secrets, log.as_bytes()), Vec::<String>::new());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn less_and_more_is_logged_by_request() {
    let (quiet, _) = logged(None, &["--quiet"]).await;
    assert_eq!(
        count(&quiet, &["request:"]) + count(&quiet, &["delivery:"]),
        0,
        "{quiet}"
    );
    let (some, _) = logged(Some("warn,request=info"), &["-v"]).await;
    assert!(
        count(&some, &["request:"]) > 5 && count(&some, &["delivered"]) == 0,
        "{some}"
    );
    let (more, _) = logged(None, &["-v"]).await;
    assert!(
        count(&more, &["DEBUG", "not authenticated", "reason="]) > 0,
        "{more}"
    );
}

/// Requests for pages of the console have a user, too.
#[tokio::test(flavor = "multi_thread")]
async fn console_page_request_logs_its_user() {
    let folder = tempdir().unwrap();
    let log = folder.path().join("log");
    let mut command = Command::new(PROGRAM);
    command.args(["--data", "memory", "--admin-password", PASSWORD]);
    let platform = PlatformProcess::launch(&mut command, File::create(&log).unwrap());
    let none = reqwest::redirect::Policy::none();
    let client = reqwest::Client::builder().redirect(none).build().unwrap();
    let form = client
        .post(format!("{}/login", platform.base))
        .header("content-type", "application/x-www-form-urlencoded");
    let password = PASSWORD.replace(' ', "+");
    let answer = form
        .body(format!("user=admin&password={password}"))
        .send()
        .await
        .unwrap();
    let cookie = answer.headers()["set-cookie"].to_str().unwrap().to_owned();
    let cookie = cookie.split(';').next().unwrap();
    let page = client.get(format!("{}/console/keys", platform.base));
    assert_eq!(
        page.header("cookie", cookie).send().await.unwrap().status(),
        200
    );
    assert!(platform.stop());
    let log = fs::read_to_string(Path::new(&log)).unwrap();
    assert_eq!(
        count(&log, &["GET /console/keys status=200", "user=1 from="]),
        1,
        "{log}"
    );
    assert!(!log.contains(cookie.split_once('=').unwrap().1));
}
