//! The first minute with the example platform: its printed lines can be pasted, and end with a
//! visible delivery; and the demonstration's beginning, absence and end.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::tempdir;
use tests::platform::{PASSWORD, PlatformProcess};

const PROGRAM: &str = env!("CARGO_BIN_EXE_host");

/// Starts the platform as a user would.
fn start(data: &Path, more: &[&str]) -> PlatformProcess {
    let mut command = Command::new(PROGRAM);
    command.args(["--admin-password", PASSWORD, "--data"]);
    PlatformProcess::launch(command.arg(data).args(more), Stdio::null())
}

/// Returns the address of the receiver that it prints.
fn receiver(platform: &PlatformProcess) -> Option<String> {
    let mut said = platform.said.iter();
    let (_, place) = said.find_map(|line| line.split_once("lead to a receiver at "))?;
    Some(place.split_once("/,")?.0.to_owned())
}

/// Switches the machine web-1 on.
async fn poweron(platform: &PlatformProcess) -> u16 {
    let body = json!({"vm": 1, "action": "poweron"});
    platform.call("POST", "vm_actions", Some(body)).await.0
}

/// Returns the error of the one delivery once it has failed.
async fn failed(platform: &PlatformProcess) -> String {
    loop {
        let rows = platform.rows("webhooks?fields=status,status_info").await;
        if rows[0]["status"] == "error" {
            return rows[0]["status_info"].to_string();
        }
        tokio::task::yield_now().await;
    }
}

async fn webhooks(platform: &PlatformProcess) -> Value {
    platform.rows("webhook_urls?fields=name").await
}

/// Issue 14: a key is made, used, a machine switched on, and the delivery seen; nothing is typed.
#[tokio::test(flavor = "multi_thread")]
async fn pasted_lines_end_with_a_visible_delivery() {
    for scheme in [&[][..], &["--tls-self-signed"]] {
        let folder = tempdir().unwrap();
        let data = folder.path().join("it's $HOME");
        let mut command = Command::new(PROGRAM);
        command
            .env_remove("GATEPOST_ADMIN_PASSWORD")
            .arg("--data")
            .arg(&data);
        let platform = PlatformProcess::launch(command.args(scheme), Stdio::null());
        let said = PlatformProcess::paste(&platform.to_paste(), "");
        let at = said
            .iter()
            .position(|line| line.starts_with("What arrived"))
            .unwrap();
        assert!(said[1].starts_with("gp_"), "{said:?}");
        assert_eq!(said[at - 1], "{}", "{said:?}");
        assert_eq!(said[at + 1], "POST /hook");
        assert!(
            said[at + 3].starts_with("webhook-signature: good"),
            "{said:?}"
        );
        let body: Value = serde_json::from_str(&said[at + 5]).unwrap();
        assert_eq!(body["text"], "web-1 was switched on");
        assert!(platform.stop());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_page_is_the_console() {
    let platform = start(Path::new("memory"), &[]);
    let answer = platform.request("GET", "/").send().await.unwrap();
    assert_eq!(answer.status(), 200);
    assert_eq!(
        answer.url().path(),
        "/login",
        "which leads on to the console"
    );
    assert!(
        platform
            .said
            .iter()
            .any(|line| line.contains(&format!("{}/", platform.base)))
    );
}

/// It is back at the next start, at the same address, until its webhook is deleted.
#[tokio::test(flavor = "multi_thread")]
async fn built_in_receiver_persists_while_its_webhook_exists() {
    let folder = tempdir().unwrap();
    let first = start(folder.path(), &[]);
    let place = receiver(&first).unwrap();
    assert!(first.stop());
    let second = start(folder.path(), &[]);
    assert_eq!(receiver(&second), Some(place.clone()));
    assert_eq!(
        webhooks(&second).await,
        json!([{"name": "Built-in receiver"}])
    );
    let said = PlatformProcess::paste(&second.to_paste(), PASSWORD);
    assert!(
        said.iter()
            .any(|line| line.contains("web-1 was switched on")),
        "{said:?}"
    );
    for path in ["task_events/1", "tasks/1", "webhook_urls/1"] {
        assert_eq!(second.call("DELETE", path, None).await.0, 200, "{path}");
    }
    assert!(second.stop());
    let third = start(folder.path(), &[]);
    assert_eq!(receiver(&third), None);
    assert!(!folder.path().join("demo").exists());
    assert!(third.stop());
}

/// Another program may have taken its port by then: the platform starts all the same, and sends
/// nothing to that program.
#[tokio::test(flavor = "multi_thread")]
async fn a_receiver_whose_port_is_taken_stays_away() {
    let folder = tempdir().unwrap();
    let first = start(folder.path(), &[]);
    let place = receiver(&first).unwrap();
    assert!(first.stop());
    let other = TcpListener::bind(place.strip_prefix("http://").unwrap()).unwrap();
    other.set_nonblocking(true).unwrap();
    let second = start(folder.path(), &[]);
    assert_eq!(receiver(&second), None);
    assert_eq!(poweron(&second).await, 200);
    let info = failed(&second).await;
    assert!(info.contains("loopback addresses"), "{info}");
    assert_eq!(other.accept().unwrap_err().kind(), ErrorKind::WouldBlock);
}

/// A platform in production gets only what it asked for.
#[tokio::test(flavor = "multi_thread")]
async fn demo_runs_on_first_local_start_or_request() {
    let none = json!([]);
    let folder = tempdir().unwrap();
    let data = folder.path().join("data");
    let quiet = start(&data, &["--no-demo"]);
    assert_eq!(
        (receiver(&quiet), webhooks(&quiet).await),
        (None, none.clone())
    );
    assert!(quiet.stop());
    // The folder is not new any more.
    let second = start(&data, &[]);
    assert_eq!((receiver(&second), webhooks(&second).await), (None, none));
    assert!(second.stop());
    let asked = start(&data, &["--demo"]);
    assert!(receiver(&asked).is_some());
    assert!(asked.stop());

    let data = folder.path().join("open");
    let mut command = Command::new(PROGRAM);
    command
        .arg("--data")
        .arg(&data)
        .args(["--admin-password", PASSWORD]);
    let log = folder.path().join("log");
    let mut open = command
        .args(["--listen", "0.0.0.0:0"])
        .stdout(File::create(&log).unwrap())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let said = loop {
        let said = fs::read_to_string(&log).unwrap();
        if said.contains("listening on") {
            break said;
        }
        tokio::task::yield_now().await;
    };
    open.kill().unwrap();
    open.wait().unwrap();
    assert!(!said.contains("receiver"), "{said}");
}

/// The target policy permits the receiver, and nothing else of this machine; a refusal names the
/// option that helps.
#[tokio::test(flavor = "multi_thread")]
async fn refused_local_target_names_required_option() {
    let other = examples::receiver::Receiver::start(None).await.unwrap();
    for (option, arrives) in [(None, false), (Some("--allow-private-targets"), true)] {
        let more: Vec<&str> = option.into_iter().collect();
        let platform = start(Path::new("memory"), &more);
        assert!(receiver(&platform).is_some());
        let url = format!("http://{}/own", other.addr);
        let row = json!({"name": "own", "url": url, "authorization_type": "none"});
        let id = platform.make("webhook_urls", row).await;
        let (status, answer) = platform
            .call("POST", &format!("webhook_urls/{id}/send"), Some(json!({})))
            .await;
        assert_eq!(status, 200, "{answer}");
        if arrives {
            other.wait_for("/own", 1).await.unwrap();
            continue;
        }
        let info = failed(&platform).await;
        assert!(info.contains("loopback addresses"), "{info}");
        assert!(info.contains("--allow-private-targets"), "{info}");
        assert!(other.received().is_empty());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pasted_twice_second_delivery_is_shown() {
    let platform = start(Path::new("memory"), &[]);
    let place = receiver(&platform).unwrap();
    let last = async || {
        let last = reqwest::get(format!("{place}/last")).await.unwrap();
        last.text().await.unwrap()
    };
    assert_eq!(poweron(&platform).await, 200);
    let first = last().await;
    assert_eq!(poweron(&platform).await, 200);
    let second = last().await;
    assert_ne!(first, second);
    let again = last().await;
    assert_eq!(
        again,
        format!("nothing new has arrived; shown again:\n{second}")
    );
}

/// It shows only messages that its webhook has signed, and only under its own host name.
#[tokio::test(flavor = "multi_thread")]
async fn the_receiver_believes_and_shows_little() {
    let platform = start(Path::new("memory"), &[]);
    let place = receiver(&platform).unwrap();
    let client = reqwest::Client::new();
    let forged = client
        .post(format!("{place}/hook"))
        .header("webhook-id", "msg_1")
        .header("webhook-timestamp", "1")
        .header("webhook-signature", "v1,AAAA")
        .body("<b>forged</b>");
    let refused = forged.send().await.unwrap();
    assert_eq!(refused.status(), 401);
    assert!(
        refused
            .text()
            .await
            .unwrap()
            .contains("the webhook of the demo")
    );
    let rebound = client
        .get(format!("{place}/"))
        .header("host", "evil.example");
    assert_eq!(rebound.send().await.unwrap().status(), 421);
    assert_eq!(poweron(&platform).await, 200);
    client.get(format!("{place}/last")).send().await.unwrap();
    let page = client.get(format!("{place}/")).send().await.unwrap();
    let policy = page.headers()["content-security-policy"]
        .to_str()
        .unwrap()
        .to_owned();
    assert!(policy.starts_with("default-src 'none'"), "{policy}");
    let page = page.text().await.unwrap();
    assert!(
        page.contains("web-1 was switched on") && !page.contains("forged"),
        "{page}"
    );
}
