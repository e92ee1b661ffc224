//! The official Standard Webhooks libraries accept our signatures, and nothing else. Manually:
//! `tests/signatures/run.sh`.

use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use delivery::{Sender, TargetPolicy};
use examples::receiver::{Received, Receiver};
use gatepost_engine::Engine;
use gatepost_kv::MemoryStore;
use tests::permissive_platform::one_system;
use webhook_model::{OwnerId, SigningSecret, SigningSecrets, Webhook};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/signatures");

/// Returns whether each of the two libraries accepts a message.
fn accepted(secret: &str, message: &Received, body: &str) -> [bool; 2] {
    let header = |name| message.header(name).unwrap().to_owned();
    let args = [
        secret.to_owned(),
        header("webhook-id"),
        header("webhook-timestamp"),
        header("webhook-signature"),
        body.to_owned(),
    ];
    let python = std::env::var("GATEPOST_TEST_PYTHON").unwrap();
    [(python.as_str(), "verify.py"), ("node", "verify.js")].map(|(program, script)| {
        let mut command = Command::new(program);
        let output = command
            .arg(format!("{FOLDER}/{script}"))
            .args(&args)
            .output()
            .unwrap();
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.code().is_some_and(|code| code < 2) && complaint.is_empty(),
            "{script}: {complaint}"
        );
        output.status.success()
    })
}

#[tokio::test]
#[ignore = "needs the libraries: tests/signatures/run.sh"]
async fn official_libraries_verify_our_signatures_through_rotation() {
    let receiver = Receiver::start(None).await.unwrap();
    let policy = TargetPolicy::public().allow("127.0.0.0/8".parse().unwrap());
    let sender = Sender::builder(policy).build().unwrap();
    let engine = one_system(Engine::builder(Arc::new(MemoryStore::new()), sender))
        .start()
        .await
        .unwrap();
    let secrets = [[1; 32], [2; 32], [3; 32]].map(SigningSecret::from_random);
    let text = |n: usize| secrets[n].expose().to_owned();
    let url = format!("http://{}/in", receiver.addr).parse().unwrap();
    let mut webhook = Webhook::new(OwnerId(1), "signed".parse().unwrap(), url);
    webhook.signing = SigningSecrets::new(vec![secrets[0].clone()]).unwrap();
    let hook = engine.create_webhook(&webhook).await.unwrap().id;
    let body = r#"{"name":"é \"x\" 😀"}"#;
    let body: webhook_model::Message = body.parse().unwrap();

    engine.send(hook, Some(&body)).await.unwrap();
    let first = receiver.wait_for("/in", 1).await.unwrap();
    assert_eq!(accepted(&text(0), &first, &first.body), [true; 2]);
    assert_eq!(
        accepted(&text(1), &first, &first.body),
        [false; 2],
        "another secret"
    );
    let changed = first.body.replace('x', "y");
    assert_eq!(
        accepted(&text(0), &first, &changed),
        [false; 2],
        "another body"
    );

    let rotated = SigningSecrets::new(vec![secrets[1].clone(), secrets[0].clone()]).unwrap();
    engine
        .edit_webhook(hook, |webhook| {
            webhook.signing = rotated.clone();
            Ok(())
        })
        .await
        .unwrap();
    engine.send(hook, Some(&body)).await.unwrap();
    let second = receiver.wait_for("/in", 2).await.unwrap();
    for (n, good) in [(0, true), (1, true), (2, false)] {
        assert_eq!(
            accepted(&text(n), &second, &second.body),
            [good; 2],
            "secret {n} while both are valid"
        );
    }
    engine.shutdown(Duration::from_secs(1)).await;
}
