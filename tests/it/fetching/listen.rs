//! The example `listen`, as a developer starts it: over TCP, with a program that receives.

use std::process::Stdio;

use axum::http::StatusCode;
use examples::receiver::Receiver;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

use super::Site;

/// The program, killed when it is dropped.
fn listen(site: &Site, key: &str, target: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_listen"))
        .env("GATEPOST_KEY", key)
        .arg(format!("http://{}/api/v4", site.world.server))
        .args([&site.webhook.to_string(), target])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap()
}

#[tokio::test]
async fn listen_forwards_until_accepted_and_stops_on_interrupt() {
    let site = Site::start().await;
    site.put(&["a", "b"]).await;
    let receiver = Receiver::start(None).await.unwrap();
    receiver.answer_with(&[StatusCode::INTERNAL_SERVER_ERROR]);
    let target = format!("http://{}/hook", receiver.addr);
    let mut program = listen(&site, &site.world.admin, &target);
    let mut lines = BufReader::new(program.stdout.take().unwrap()).lines();

    let refused = lines.next_line().await.unwrap().unwrap();
    assert!(refused.contains("500"), "{refused}");
    assert_eq!(site.states().await, ["queued"; 2], "not acknowledged");
    for _ in 0..2 {
        let accepted = lines.next_line().await.unwrap().unwrap();
        assert!(accepted.contains("delivered with status 200"), "{accepted}");
    }
    let received = receiver.received();
    let bodies: Vec<_> = received.iter().map(|one| one.body.as_str()).collect();
    assert_eq!(bodies, ["a", "a", "b"]);
    let ids: Vec<_> = received
        .iter()
        .map(|one| one.header("webhook-id"))
        .collect();
    assert!(ids[0].is_some() && ids[0] == ids[1] && ids[1] != ids[2]);
    assert!(refused.starts_with(ids[0].unwrap()), "{refused}");
    let acknowledged = async {
        while site.states().await != ["sent"; 2] {
            tokio::task::yield_now().await;
        }
    };
    acknowledged.await;

    let interrupt = ["-INT", &program.id().unwrap().to_string()];
    let sent = Command::new("kill").args(interrupt).status().await.unwrap();
    assert!(sent.success());
    assert!(program.wait().await.unwrap().success());
}

#[tokio::test]
async fn listen_refuses_bad_arguments_and_reports_api_errors() {
    let site = Site::start().await;
    let away = listen(&site, &site.world.admin, "http://example.com/hook");
    let unknown = listen(&site, "gp_unknown", "http://127.0.0.1:9/hook");
    for (program, said) in [(away, "must be on this machine"), (unknown, "401")] {
        let output = program.wait_with_output().await.unwrap();
        assert_eq!(output.status.code(), Some(1));
        let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(complaint.contains(said), "{complaint}");
        assert!(!complaint.contains("gp_unknown"), "{complaint}");
    }
}
