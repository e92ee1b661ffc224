//! The engine's notices about webhooks: a system administrator's webhook receives all of them.

use chrono::{DateTime, Utc};
use gatepost_engine::Engine;
use gatepost_storage::webhooks::{Cause, Delivery};
use webhook_model::{Event, OwnerId, Target, Webhook, WebhookId};

use super::accounts::OPERATOR;
use super::furnish::{HOSTS, task};
use super::network::Network;

/// The type of these events.
const TYPE: &str = "webhooks";
/// The number of the host to which they are sent, which is always well.
pub(super) const HOST: usize = HOSTS;

/// A notice about a webhook.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub(super) enum Said {
    Failing,
    Recovered,
    Disabled,
    Exhausted,
}

impl Said {
    const ALL: [(Self, &str); 4] = [
        (Self::Failing, "failing"),
        (Self::Recovered, "recovered"),
        (Self::Disabled, "disabled"),
        (Self::Exhausted, "exhausted"),
    ];

    /// Returns the notice that caused a delivery, if it is one of these.
    pub(super) fn of(cause: &Cause) -> Option<Self> {
        let is_of_webhooks = cause.event_type.as_str() == TYPE;
        let name = cause.event.as_str();
        let mut all = Self::ALL.iter().filter(|_| is_of_webhooks);
        let (said, _) = all.find(|(_, event)| *event == name)?;
        Some(*said)
    }
}

/// A notice about a webhook.
#[derive(Clone, Debug)]
pub(super) struct Notice {
    pub said: Said,
    pub webhook: WebhookId,
    /// The text that distinguishes it from others of its kind: for `failing` and `recovered`, the
    /// trouble.
    pub once: String,
    /// The time by the clock of the process that sent it.
    pub at: DateTime<Utc>,
    /// The time since which it fails.
    pub since: Option<DateTime<Utc>>,
    /// The number of deliveries that were given up.
    pub count: u64,
}

impl Notice {
    pub(super) fn of(delivery: &Delivery) -> Option<Self> {
        let cause = delivery.cause.as_ref()?;
        let said = Said::of(cause)?;
        let id = cause.occurrence.as_ref()?;
        let (_, once) = id.as_str().rsplit_once(':')?;
        let mut words = delivery.body.split(' ');
        let mut word = || words.next().unwrap_or_default();
        let (webhook, since, count) = (word(), word(), word());
        Some(Self {
            said,
            webhook: WebhookId(webhook.parse().ok()?),
            once: once.to_owned(),
            at: delivery.created,
            since: since.parse().ok(),
            count: count.parse().unwrap_or_default(),
        })
    }
}

/// Creates a webhook that receives all notices about those of all users, and that nobody changes.
pub(super) async fn inform(engine: &Engine) {
    let url = format!("http://{}/", Network::name(HOST)).parse().unwrap();
    let webhook = Webhook::new(OwnerId(OPERATOR), "notices".parse().unwrap(), url);
    let webhook = engine.create_webhook(&webhook).await.unwrap().id;
    for (said, event) in Said::ALL {
        let message = match said {
            Said::Failing | Said::Recovered => "${WEBHOOK} ${SINCE}",
            Said::Disabled => "${WEBHOOK}",
            Said::Exhausted => "${WEBHOOK} - ${COUNT}",
        };
        let task = task(webhook, OPERATOR, message, false);
        let task = engine.create_task(&task).await.unwrap();
        let event = Event::new(
            TYPE.parse().unwrap(),
            event.parse().unwrap(),
            Target::Generic,
            task.id,
        );
        engine.create_event(&event).await.unwrap();
    }
}
