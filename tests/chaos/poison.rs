//! A message that kills every process that sends it ends by itself; other deliveries of its batch
//! are sent.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use gatepost_storage::webhooks::{Delivery, DeliveryQuery, DeliveryState, EndReason, NewDelivery};
use gatepost_storage::{AtMost, Page};
use gatepost_testkit::fixtures::direct;
use tests::chaos::{Child, Mode, Place, now};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use webhook_model::{OwnerId, Timeout, Webhook};

const CHILD: &str = env!("CARGO_BIN_EXE_chaos_child");
const POISON: &str = "poison";
const WEBHOOKS: i64 = 40;
const EACH: i64 = 25;
/// More crashes than are allowed.
const CRASHES: u32 = 20;

#[derive(Debug, Default)]
struct Receiver {
    /// The poison has arrived.
    poisoned: Notify,
    /// Whether requests are answered: not before the first crash, so that all possible requests are
    /// under way then.
    answers: AtomicBool,
    under_way: AtomicUsize,
}

#[tokio::test(flavor = "multi_thread")]
async fn poison_delivery_ends_and_thousand_others_are_sent() {
    let folder = tempfile::tempdir().unwrap();
    let place = Place::in_folder(&folder);
    let receiver = Arc::new(Receiver::default());
    queue(&place, &listen(receiver.clone()).await).await;
    let store = place.open().await;
    let mut crashes = 0;
    let began = now();
    loop {
        let child = Child::start(CHILD, &place, Mode::Work, 0);
        tokio::select! {
            () = receiver.poisoned.notified() => {}
            () = ended(&*store) => break,
        }
        if crashes == 0 {
            let under_way = receiver.under_way.load(Ordering::SeqCst);
            assert!(
                under_way >= 20,
                "{under_way} beside the poison: too few to prove anything"
            );
        }
        drop(child.kill());
        receiver.answers.store(true, Ordering::SeqCst);
        crashes += 1;
        assert!(crashes <= CRASHES, "it circulates for ever");
    }
    eprintln!("{crashes} crashes, {:?}", now() - began);
    assert_eq!(
        crashes,
        1 + Delivery::MAX_LOST_CLAIMS,
        "one among others, then alone"
    );
    for (state, count) in [(DeliveryState::Sent, 999), (DeliveryState::Error, 1)] {
        let query = DeliveryQuery {
            states: vec![state],
            ..DeliveryQuery::all(Page::first(1_000))
        };
        let found = store.list_deliveries(&query).await.unwrap();
        assert_eq!(found.len(), count, "{state:?}");
        if state == DeliveryState::Error {
            assert_eq!(found[0].body.as_ref(), POISON);
            assert_eq!(found[0].status_info, EndReason::LostClaims.as_str());
        }
    }
}

/// Returns when nothing waits and nothing is under way.
async fn ended(store: &dyn tests::chaos::Store) {
    loop {
        let figures = store.count_queue(now()).await.unwrap();
        if figures.queued + figures.running == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

/// Queues a thousand deliveries for forty webhooks; the very first is the poison.
async fn queue(place: &Place, url: &str) {
    let store = place.open().await;
    for hook in 0..WEBHOOKS {
        let name = format!("w{hook}").parse().unwrap();
        let mut webhook = Webhook::new(
            OwnerId(u128::from(hook.unsigned_abs()) + 1),
            name,
            url.parse().unwrap(),
        );
        webhook.timeout = Timeout::from_secs(10).unwrap();
        let made = store
            .insert_webhook(&webhook, AtMost::UNLIMITED, now())
            .await;
        let webhook = made.unwrap().id;
        let deliveries = (0..EACH).map(|n| NewDelivery {
            message_id: format!("m{hook}_{n}").parse().unwrap(),
            webhook,
            task: None,
            cause: None,
            body: if hook + n == 0 {
                POISON.into()
            } else {
                "x".into()
            },
            due: now(),
            lease_until: None,
        });
        let batch = direct(deliveries.collect());
        store.enqueue(batch, now()).await.unwrap();
    }
}

async fn listen(receiver: Arc<Receiver>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve(receiver.clone(), stream));
        }
    });
    url
}

/// One request is under way on a connection, and it fits: each read is one.
async fn serve(receiver: Arc<Receiver>, mut stream: TcpStream) {
    let mut buffer = [0; 8192];
    while let Ok(length @ 1..) = stream.read(&mut buffer).await {
        let request = String::from_utf8_lossy(&buffer[..length]).into_owned();
        if request.ends_with(POISON) {
            // Waits until all possible requests are under way.
            while !receiver.answers.load(Ordering::SeqCst)
                && receiver.under_way.load(Ordering::SeqCst) < 20
            {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            receiver.poisoned.notify_one();
            continue;
        }
        receiver.under_way.fetch_add(1, Ordering::SeqCst);
        while !receiver.answers.load(Ordering::SeqCst) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
        drop(stream.write_all(answer).await);
    }
}
