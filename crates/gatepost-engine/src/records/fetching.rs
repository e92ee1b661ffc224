//! Messages that their receiver fetches.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{
    Delivery, DeliveryQuery, DeliveryState, HourlyCount, IfWaiting, WaitingChange,
};
use gatepost_storage::{Bodies, Page};
use webhook_model::{Activity, DeliveryMode, DeliveryOrder, Field, Invalid, Webhook, WebhookId};

use super::cursor::{MAX_FETCHED, cursor, handed_out};
use crate::cooperative_yield::apart;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::routes::Route;
use crate::transport::Transport;

/// The bytes of messages at which a page ends.
const BYTES: Bodies = Bodies::UpTo(1024 * 1024);
/// Headers of a connection, which a fetched message does not have.
const OF_CONNECTIONS: [&str; 3] = ["host", "content-length", "user-agent"];
/// The error of a delivery whose message cannot be opened.
const UNREADABLE: &str = "the stored message cannot be opened";

/// A page of messages for a receiver that fetches.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FetchedPage {
    /// The oldest pending messages, in order. Empty if none is pending, or the webhook hands out
    /// none.
    pub messages: Vec<FetchedMessage>,
    /// The cursor that acknowledges these messages; a page without messages has one, too.
    pub cursor: String,
    /// The number of messages that the given cursor acknowledged.
    pub acknowledged: u64,
    /// The reason if none is handed out, whether or not some are pending: the webhook is paused or
    /// disabled.
    pub held: Option<Activity>,
}

/// A message, as its receiver would have got it in a request.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FetchedMessage {
    /// Its delivery, with the message.
    pub delivery: Delivery,
    /// The headers of its request, signed again, without those of a connection and those that
    /// authenticate the platform to its target.
    pub headers: Vec<(String, String)>,
}

impl Engine {
    /// Returns the pending messages for the receiver of a webhook that is fetched
    /// ([`DeliveryMode::Fetch`](webhook_model::DeliveryMode)), the oldest first: at most `limit` of
    /// them, of 100, and only as many as fit into about 1 MiB.
    ///
    /// `after` is the cursor of an earlier page: the messages of that page are acknowledged first,
    /// and are then `sent`. The same cursor again acknowledges nothing more, and returns the same
    /// messages again, until the caller sends the cursor that came with them: each message is
    /// received at least once. Without a cursor nothing is acknowledged. A webhook in order hands
    /// out no message behind one that is being sent, as happens just after it became fetched. A
    /// paused or disabled one hands out none, and takes acknowledgements.
    ///
    /// Only the page's own messages are acknowledged, not earlier ones: another process may have
    /// stored a message with a smaller row number in between, or a message was replayed.
    ///
    /// # Errors
    /// [`EngineError::NotFound`]; [`EngineError::Invalid`] when the webhook is not fetched, and for
    /// a text that is no cursor of this webhook, which acknowledges nothing;
    /// [`EngineError::Forbidden`] when the owner's account is disabled; [`EngineError::Unsendable`]
    /// when its signing secrets cannot be used; [`EngineError::Platform`], failures of the store.
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

    /// Returns the oldest pending deliveries. The cost depends on the result, not on the size of
    /// the queue.
    async fn oldest(
        &self,
        webhook: &Webhook,
        id: WebhookId,
        limit: u32,
    ) -> Result<Vec<Delivery>, EngineError> {
        let page = Page::first(limit.clamp(1, MAX_FETCHED)).with_bodies(BYTES);
        let states = match webhook.order {
            // A delivery that was being sent when the webhook became fetched comes first.
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

    /// Builds the messages. Large ones are signed on a separate thread.
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
        // Receivers compare names as they are, so names that the sender adds are in lower case
        // here, whatever their case in a request.
        let is_given = same.any(|of| of.name == name);
        let name = if is_given { name.to_owned() } else { lower };
        Some((name, value.trim().to_owned()))
    });
    Ok(shown.collect())
}
