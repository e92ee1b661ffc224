//! The platform's notices, and a platform that fails when it receives them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};

use gatepost_engine::{DisablePolicy, Notice, Observer};
use gatepost_storage::webhooks::{DeliveryId, DeliveryState};
use webhook_model::{Activity, Retries};

use crate::support::{receiver, until, world_with};

/// Records notices, and panics each time.
#[derive(Debug, Default)]
struct Panics(Mutex<Vec<Notice>>);

impl Observer for Panics {
    fn notice(&self, notice: Notice) {
        self.0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .push(notice);
        panic!("a platform's callback");
    }
}

#[tokio::test]
async fn response_410_disables_by_policy_despite_observer_panic() {
    for (policy, expected) in [
        (DisablePolicy::default(), Activity::Active),
        (
            DisablePolicy::default().with_on_gone(true),
            Activity::Disabled,
        ),
    ] {
        let observer = Arc::new(Panics::default());
        let world = world_with(|builder| builder.observer(observer.clone()).disable(policy)).await;
        let (receiver, addr) = receiver(false, &[410]).await;
        let webhook = world
            .webhook("w", addr, |w| w.retries = Retries::new(0).unwrap())
            .await;
        let id = world.send(webhook).await;
        assert_eq!(world.ended(id).await.response_status, Some(410));
        let noted = || {
            observer
                .0
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner)
                .clone()
        };
        let notices = if expected == Activity::Active { 1 } else { 2 };
        until(|| noted().len() == notices).await;
        assert_eq!(noted()[0], Notice::Gone { webhook });
        assert_eq!(world.activity(webhook).await, expected);
        world.engine.resume_webhook(webhook).await.unwrap();
        let id = world.send(webhook).await;
        assert_eq!(world.ended(id).await.state, DeliveryState::Sent);
        assert_eq!(receiver.bodies().len(), 2);
    }
}

/// Hangs until the other end of the channel is dropped.
#[derive(Debug)]
struct Hangs(AtomicUsize, Mutex<mpsc::Receiver<()>>);

impl Observer for Hangs {
    fn notice(&self, _notice: Notice) {
        self.0.fetch_add(1, Ordering::SeqCst);
        let _ = self.1.lock().unwrap().recv();
    }
}

#[tokio::test]
async fn hanging_observer_blocks_few_threads_and_no_delivery() {
    let (_until_the_end, hang) = mpsc::channel();
    let observer = Arc::new(Hangs(AtomicUsize::new(0), Mutex::new(hang)));
    let world = world_with(|builder| builder.observer(observer.clone())).await;
    let (receiver, addr) = receiver(false, &[410; 20]).await;
    // One webhook has one such notice an hour.
    for n in 0..20 {
        let webhook = world
            .webhook(&format!("w{n}"), addr, |w| {
                w.retries = Retries::new(0).unwrap();
            })
            .await;
        world.send(webhook).await;
    }
    until(|| receiver.bodies().len() == 20).await;
    world.ended(DeliveryId(20)).await;
    until(|| observer.0.load(Ordering::SeqCst) >= 4).await;
    assert_eq!(
        observer.0.load(Ordering::SeqCst),
        4,
        "further notices are dropped"
    );
}
