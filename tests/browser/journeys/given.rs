//! The initial sites of journeys.

use std::sync::Arc;

use chrono::TimeDelta;
use examples::receiver::Receiver;
use gatepost_kv::MemoryStore;
use gatepost_storage::webhooks::{DeliveryLog as _, HourlyCount, QueueStore as _};
use gatepost_storage::{Clock as _, SystemClock};
use gatepost_testkit::fixtures::{direct, message};
use tests::browser::{Setup, Site, Visitor, form_input, furnish};
use webhook_model::WebhookId;

use super::step::Given;

/// Enough rows for a second page.
const MANY: usize = 60;

/// The initial site of a journey.
pub(super) struct Begun {
    pub(super) site: Site,
    /// The target of its webhooks.
    pub(super) receiver: Receiver,
    /// The leaked key; empty if there is none.
    pub(super) leaked: String,
}

/// Starts a site with these records.
pub(super) async fn begin(given: Given) -> Begun {
    let mut leaked = String::new();
    let receiver = Receiver::start(None).await.unwrap();
    let store = Arc::new(MemoryStore::new());
    let site = Setup::on(&store).start().await;
    match given {
        Given::Nothing => {}
        Given::Team => furnish(&site, &receiver).await,
        Given::Waiting => waiting(&site, &store, &receiver, 3).await,
        Given::Log => waiting(&site, &store, &receiver, MANY).await,
        Given::Many => {
            let admin = Visitor::login(&site, "admin").await;
            for at in 1..=MANY {
                form_input::new_key(&admin, &format!("key {at:02}")).await;
            }
        }
        Given::Failing => {
            let admin = Visitor::login(&site, "admin").await;
            form_input::new_webhook(&admin, &receiver, "0").await;
            let count = HourlyCount {
                failed: 12,
                ..HourlyCount::failed(WebhookId(1), SystemClock.now())
            };
            store.add_counts(&[count]).await.unwrap();
        }
        Given::Leaked => {
            let admin = Visitor::login(&site, "admin").await;
            let key = form_input::new_key(&admin, "nightly build").await;
            leaked = key.secret().unwrap();
        }
    }
    Begun {
        site,
        receiver,
        leaked,
    }
}

/// Creates a webhook, and this number of deliveries that wait for an hour.
async fn waiting(site: &Site, store: &MemoryStore, receiver: &Receiver, count: usize) {
    let admin = Visitor::login(site, "admin").await;
    form_input::new_webhook(&admin, receiver, "5").await;
    let now = SystemClock.now();
    let due = now + TimeDelta::hours(1);
    let later = (0..count).map(|at| message(WebhookId(1), &format!("m{at}"), due));
    store.enqueue(direct(later.collect()), now).await.unwrap();
}
