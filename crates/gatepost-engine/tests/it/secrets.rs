//! Secrets are neither shown nor left out.

use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use gatepost_engine::EngineError;
use gatepost_storage::AtMost;
use gatepost_storage::webhooks::{DeliveryState, RecordStore as _};
use webhook_model::{Authorization, Headers, SigningSecret, SigningSecrets};

use crate::captured_log::heard;
use crate::support::{receiver, world};

fn signing(secret: &str) -> SigningSecrets {
    SigningSecrets::new(vec![SigningSecret::parse(secret).unwrap()]).unwrap()
}

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn secrets_and_messages_never_reach_the_log() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(move || writer.clone())
        .finish();
    // All tasks of this test run on this thread.
    let _guard = heard(subscriber);
    let world = world().await;
    let (_receiver, addr) = receiver(false, &[500, 410]).await;
    let webhook = world
        .webhook("w", addr, |w| {
            w.authorization = Authorization::bearer("CANARY-bearer").unwrap();
            w.headers = Headers::from_pairs([("X-Route", "CANARY-header")]).unwrap();
            w.signing = signing("whsec_Q0FOQVJZQ0FOQVJZQ0FOQVJZQ0FOQVJZ");
        })
        .await;
    world.tagged(webhook, "CANARY-body ${NAME}").await;
    let id = world.emit(1, &[1]).await[0];
    assert_eq!(world.ended(id).await.attempts, 3);
    world.engine.shutdown(Duration::from_secs(1)).await;

    let text = String::from_utf8_lossy(&log.0.lock().unwrap()).into_owned();
    assert!(text.contains("delivered"), "the log was captured: {text}");
    for canary in ["CANARY", "Q0FOQVJZ", "Q0FOQVJZLWJlYXJlcg"] {
        assert!(!text.contains(canary), "{canary} in {text}");
    }
    let debug = format!("{:?}", world.engine);
    assert!(!debug.contains("CANARY"), "{debug}");
}

#[tokio::test]
async fn webhook_unable_to_sign_never_sends_unsigned() {
    let world = world().await;
    let (receiver, addr) = receiver(false, &[]).await;
    // The two halves of the key do not match: its form is right, its content is not.
    let halves = "whsk_6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbfVKIDij2HKpMKkioLlX0dRqSKJp4AJ6p9lMicMFs6KvA==";
    let secrets = SigningSecrets::new(vec![SigningSecret::parse(halves).unwrap()]).unwrap();
    let url = format!("http://{addr}/").parse().unwrap();
    let mut hook =
        webhook_model::Webhook::new(webhook_model::OwnerId(1), "w".parse().unwrap(), url);
    hook.signing = secrets;
    let refused = world.engine.create_webhook(&hook).await.unwrap_err();
    let EngineError::Invalid(invalid) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(invalid.field().as_str(), "signing_secrets");
    assert!(!invalid.to_string().contains("6Xb"), "{invalid}");

    // Stored without the engine.
    let now = gatepost_storage::Clock::now(&gatepost_storage::SystemClock);
    let inserted = world.store.insert_webhook(&hook, AtMost::UNLIMITED, now);
    let id = inserted.await.unwrap().id;
    let ended = world.ended(world.send(id).await).await;
    assert_eq!((ended.state, ended.attempts), (DeliveryState::Error, 1));
    assert!(
        ended.status_info.contains("signing secret"),
        "{}",
        ended.status_info
    );
    assert!(receiver.bodies().is_empty());
}
