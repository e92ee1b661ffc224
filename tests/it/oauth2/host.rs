//! OAuth 2 on the example platform, with a private certificate authority.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use examples::receiver::Receiver;
use serde_json::json;
use tests::issuer::Issuer;
use tests::mutual_tls::Authority;
use tests::platform::PlatformProcess;

const PROGRAM: &str = env!("CARGO_BIN_EXE_host");

/// Sends a message from an OAuth 2 client, and returns the platform's final log entry of it.
async fn sent(options: &[&str], issuer: &Issuer, receiver: &Receiver) -> String {
    let platform = PlatformProcess::start(PROGRAM, Path::new("memory"), options);
    let hook = json!({
        "name": "w", "url": format!("https://{}/w", receiver.addr), "retries": 0, "timeout": 3,
        "authorization_type": "oauth2", "authorization_value": "s3cret",
        "oauth_token_url": issuer.url(), "oauth_client_id": "me",
    });
    let hook = platform.make("webhook_urls", hook).await;
    let send = json!({"message": "hello"});
    let path = format!("webhook_urls/{hook}/send");
    let (status, said) = platform.call("POST", &path, Some(send)).await;
    assert_eq!(status, 200, "{said}");
    for _ in 0..200 {
        let log = platform.rows("webhooks?fields=status,status_info").await;
        let ended = log[0]["status"].as_str().unwrap_or_default();
        if ["sent", "error"].contains(&ended) {
            return format!("{ended} {}", log[0]["status_info"]);
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("it has not ended");
}

#[tokio::test]
async fn trusted_authority_lets_the_example_deliver() {
    let folder = tempfile::tempdir().unwrap();
    let (ours, theirs) = (Authority::new(), Authority::new());
    let file = folder.path().join("roots.pem");
    let roots = format!("\u{feff}{}{}", ours.shown().pem, theirs.shown().pem);
    fs::write(&file, roots).unwrap();
    let issuer = Issuer::showing(ours.shown()).await;
    let receiver = Receiver::start(Some(&theirs.shown())).await.unwrap();
    // The control: without the option these authorities are unknown.
    let refused = sent(&[], &issuer, &receiver).await;
    assert!(refused.starts_with("error"), "{refused}");
    assert!(issuer.asked().is_empty() && receiver.received().is_empty());

    let options = ["--trust", file.to_str().unwrap()];
    let delivered = sent(&options, &issuer, &receiver).await;
    assert!(delivered.starts_with("sent"), "{delivered}");
    assert_eq!(issuer.asked().len(), 1);
    let received = receiver.wait_for("/w", 1).await.unwrap();
    assert_eq!(received.header("authorization"), Some("Bearer token-1"));
    assert_eq!(received.body, "hello");
}

#[test]
fn trusted_file_that_is_missing_ends_the_example() {
    let folder = tempfile::tempdir().unwrap();
    let (data, file) = (folder.path().join("data"), folder.path().join("none.pem"));
    let mut command = Command::new(PROGRAM);
    command
        .args(["--listen", "127.0.0.1:0", "--trust"])
        .arg(&file);
    let ended = command.arg("--data").arg(&data).output().unwrap();
    let said = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(1), "{said}");
    let begins = format!("error: cannot trust the certificates in {}", file.display());
    assert!(said.contains(&begins), "{said}");
    assert!(!data.exists(), "nothing is made");
}
