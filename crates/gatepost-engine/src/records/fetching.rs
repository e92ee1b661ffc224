//! Messages that their receiver fetches.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{
    Delivery, DeliveryQuery, DeliveryState, HourlyCount, IfWaiting, WaitingChange,
};
use gatepost_storage::{Bodies, Page};
use webhook_model::{Activity, DeliveryMode, DeliveryOrder, Field, Invalid, Webhook, WebhookId};

use super::cursor::{MAX_FETCHED, cursor, handed_out};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::give_way::apart;
use crate::routes::Route;
use crate::transport::Transport;

/// A page ends with the message at which their bytes come to this.
const BYTES: Bodies = Bodies::UpTo(1024 * 1024);
/// Headers of a connection: nobody has one here.
const OF_CONNECTIONS: [&str; 3] = ["host", "content-length", "user-agent"];
/// How a delivery ends whose message cannot be opened.
const UNREADABLE: &str = "the stored message cannot be opened";

/// What waits for a receiver that fetches.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FetchedPage {
    /// The oldest messages that wait, in order. Empty where none waits, or the webhook does not
    /// hand any out.
    pub messages: Vec<FetchedMessage>,
    /// Acknowledges these messages when it is shown; a page without any has a cursor, too.
    pub cursor: String,
    /// How many messages were acknowledged by the cursor that was shown.
    pub acknowledged: u64,
    /// Why none is handed out, whether or not some wait: the webhook is paused or disabled.
    pub held: Option<Activity>,
}

/// A message, as its receiver would have got it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FetchedMessage {
    /// Its delivery, with the message.
    pub delivery: Delivery,
    /// The headers of its request, signed again: without those of a connection, and without those
    /// that authenticate the platform to its target.
    pub headers: Vec<(String, String)>,
}

impl Engine {
    /// The messages that wait for the receiver of a webhook that is fetched
    /// ([`DeliveryMode::Fetch`](webhook_model::DeliveryMode)), the oldest first: at most
    /// `limit` of them, of 100, and no more than fit into about 1 MiB.
    ///
    /// `after` is the cursor of an earlier page: what that page had is acknowledged first, and is
    /// then `sent`. The same cursor again acknowledges nothing more, and hands the same messages
    /// out again, until the cursor that came with them is shown: each message is received at least
    /// once. Without a cursor nothing is acknowledged. Of a webhook in order nothing is handed out
    /// past what is being sent, because it was not fetched a moment ago. A paused or disabled one
    /// hands nothing out, and takes acknowledgements.
    ///
    /// Only what the page had is acknowledged, not what came before it: another process may have
    /// stored a message with a smaller row number since, or it was replayed.
    ///
    /// # Errors
    /// [`EngineError::NotFound`]; [`EngineError::Invalid`] when it is not fetched, and for what is
    /// no cursor of this webhook, which acknowledges nothing; [`EngineError::Forbidden`] when the
    /// owner's account is disabled; [`EngineError::Unsendable`] when its signing secrets cannot be
    /// used; [`EngineError::Platform`], failures of the store.
    pub async fn fetch(
        &self,
        id: WebhookId,
        after: Option<&str>,
        limit: u32,
    ) -> Result<FetchedPage, EngineError> {
        let row = self.webhook(id).await?.ok_or(EngineError::NotFound)?;
        let webhook = row.value;
        if webhook.mode != DeliveryMode::Fetch {
            let rule = "is push: the messages of this webhook are sent, not fetched";
            return Err(Invalid::new(Field::DeliveryMode, rule).into());
        }
        let shown = after.filter(|after| !after.is_empty());
        let handed = shown.map(|text| handed_out(text, id)).transpose()?;
        self.check_enabled(webhook.owner).await?;
        let acknowledged = match handed {
            Some(handed) if !handed.is_empty() => self.acknowledge(&webhook, id, handed).await?,
            _ => 0,
        };
        let held = Some(webhook.activity).filter(|activity| *activity != Activity::Active);
        let waiting = match held {
            Some(_) => Vec::new(),
            None => self.oldest(&webhook, id, limit).await?,
        };
        let cursor = cursor(id, &waiting);
        let messages = self.messages(webhook, waiting).await?;
        Ok(FetchedPage {
            messages,
            cursor,
            acknowledged,
            held,
        })
    }

    async fn acknowledge(
        &self,
        webhook: &Webhook,
        id: WebhookId,
        deliveries: Vec<IfWaiting>,
    ) -> Result<u64, EngineError> {
        let keep_messages = !self.core.access.log_is_full(webhook.owner);
        let fetched = WaitingChange::Fetched { keep_messages };
        let ended = self.end(deliveries, fetched).await?;
        let sent = ended.len() as u64;
        if sent > 0 {
            self.parts.probes.settler.counts.add(HourlyCount {
                sent,
                bytes: ended.iter().map(|one| one.bytes).sum(),
                ..HourlyCount::none(id, self.core.clock.now()?)
            });
        }
        Ok(sent)
    }

    /// Costs what it returns, however much waits.
    async fn oldest(
        &self,
        webhook: &Webhook,
        id: WebhookId,
        limit: u32,
    ) -> Result<Vec<Delivery>, EngineError> {
        let page = Page::first(limit.clamp(1, MAX_FETCHED)).with_bodies(BYTES);
        let states = match webhook.order {
            // What was being sent when it became one that is fetched comes first.
            DeliveryOrder::InOrder => vec![DeliveryState::Queued, DeliveryState::Running],
            _ => vec![DeliveryState::Queued],
        };
        let query = DeliveryQuery {
            webhook: Some(id),
            states,
            ..DeliveryQuery::all(page)
        };
        let found = self.core.store.list_deliveries(&query).await?;
        let found = found.into_iter();
        let free = found.take_while(|delivery| delivery.state == DeliveryState::Queued);
        let (readable, lost): (Vec<_>, Vec<_>) = free.partition(|delivery| delivery.message_kept);
        if !lost.is_empty() {
            let lost = lost.iter().map(|delivery| IfWaiting::any(delivery.id));
            let unreadable = WaitingChange::Cancelled {
                reason: UNREADABLE.to_owned(),
            };
            self.end(lost.collect(), unreadable).await?;
        }
        Ok(readable)
    }

    /// Large ones are signed on a thread of their own.
    async fn messages(
        &self,
        webhook: Webhook,
        waiting: Vec<Delivery>,
    ) -> Result<Vec<FetchedMessage>, EngineError> {
        let (route, now) = (Route::unstored(webhook), self.core.clock.now()?);
        let signed =
            |delivery: &Delivery| delivery.body.len() * route.webhook.signing.iter().count();
        let bytes = waiting.iter().map(signed).sum();
        let transport = Arc::clone(self.transport());
        apart(bytes, move || {
            let message = |delivery: Delivery| {
                let headers = headers(&*transport, &route, &delivery, now)?;
                Ok(FetchedMessage { delivery, headers })
            };
            waiting.into_iter().map(message).collect()
        })
        .await
    }
}

fn headers(
    transport: &dyn Transport,
    route: &Route,
    delivery: &Delivery,
    now: DateTime<Utc>,
) -> Result<Vec<(String, String)>, EngineError> {
    let request = route.request(&delivery.message_id, &delivery.body);
    let request = request.map_err(EngineError::Unsendable)?;
    let preview = transport.preview(&request, now);
    let head = preview.map_err(EngineError::Unsendable)?.head;
    let given = route.webhook.request_headers()?;
    let head = String::from_utf8_lossy(&head);
    // The first line has no such colon.
    let lines = head.lines().skip(1).filter_map(|line| line.split_once(':'));
    let shown = lines.filter_map(|(name, value)| {
        let lower = name.to_ascii_lowercase();
        let mut same = given.iter().filter(|of| of.name.eq_ignore_ascii_case(name));
        if OF_CONNECTIONS.contains(&lower.as_str()) || same.clone().any(|of| of.sensitive) {
            return None;
        }
        // Readers of the answer compare names as they are: those that the sender adds are in lower
        // case, whatever the case in which they are sent.
        let is_given = same.any(|of| of.name == name);
        let name = if is_given { name.to_owned() } else { lower };
        Some((name, value.trim().to_owned()))
    });
    Ok(shown.collect())
}
