//! Deliveries: sent by hand, looked at, ended.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use delivery::{Attempt, Preview, Request};
use gatepost_storage::webhooks::{
    AttemptRecord, Cause, ChangedDelivery, Delivery, DeliveryId, DeliveryQuery, IfWaiting,
    RecordId, WaitingChange, WebhookStore,
};
use gatepost_storage::{ErrorKind, Row};
use webhook_model::{
    Action, Audience, Authorization, DeliveryMode, Message, OwnerId, TaskId, Template, Webhook,
    WebhookId,
};

use super::at_once::AtOnce;
use super::by_hand::{enabled, full};
use super::run_about::RunAbout;
use crate::attempt::send;
use crate::clock::EngineClock;
use crate::emit::{Emitter, Letter};
use crate::error::{EmitError, EngineError};
use crate::give_way::apart;
use crate::judge::Judge;
use crate::render::{Example, Renderer};
use crate::routes::Route;
use crate::settle::HourlyCounts;
use crate::transport::Transport;

/// Takes the place of an access token that is not fetched yet.
const TOKEN: &str = "Bearer (an access token)";

/// What a test of a webhook showed.
#[derive(Debug)]
#[non_exhaustive]
pub struct TestSend {
    /// The attempt that was made; not recorded in the delivery log.
    pub attempt: Attempt,
}

/// A webhook as it is stored; `None` where it cannot be read.
type Recipient = Option<Row<WebhookId, Webhook>>;

#[derive(Debug)]
pub(crate) struct Deliveries {
    pub store: Arc<dyn WebhookStore>,
    pub clock: Arc<EngineClock>,
    pub renderer: Arc<Renderer>,
    pub emitter: Arc<Emitter>,
    pub transport: Arc<dyn Transport>,
    pub judge: Arc<Judge>,
    pub counts: Arc<HourlyCounts>,
    pub at_once: AtOnce,
}

impl Deliveries {
    pub(crate) async fn send(
        &self,
        webhook: WebhookId,
        message: Option<&Message>,
    ) -> Result<DeliveryId, EngineError> {
        let (row, owner) = self.recipient(webhook).await?;
        let body = self.by_hand(message, "", self.clock.now()?).await?;
        self.post(webhook, row, owner, body, None).await
    }

    /// Sends the message of a task, filled in for this, whether or not the task is enabled; a
    /// one-time task stays.
    pub(crate) async fn test(
        &self,
        id: TaskId,
        about: RunAbout,
    ) -> Result<DeliveryId, EngineError> {
        let row = self.store.task(id).await?.ok_or(EngineError::NotFound)?;
        let Action::Send { webhook, message } = row.value.action else {
            return Err(EngineError::NotFound);
        };
        let (row, owner) = self.recipient(webhook).await?;
        let context = about.context.clone();
        let occurrence = about.occurrence(Audience::Owner(owner))?;
        let occurrence = self.emitter.joined(occurrence);
        let cause = Cause::of(&occurrence);
        let (renderer, now) = (self.renderer.clone(), self.clock.now()?);
        let bytes = message.as_str().len();
        let render = move || {
            let template = Template::parse(&message);
            let rendering = renderer.occurrence(&occurrence, now);
            rendering.render(&template, context.as_ref())
        };
        let body = apart(bytes, render).await.map_err(EmitError::Message)?;
        self.post(webhook, row, owner, body.into(), Some((id, cause)))
            .await
    }

    /// A webhook, unless it cannot be read, and its owner.
    async fn recipient(&self, webhook: WebhookId) -> Result<(Recipient, OwnerId), EngineError> {
        let row = match self.store.webhook(webhook).await {
            Err(error) if error.kind() == ErrorKind::Corrupt => None,
            row => Some(row?.ok_or(EngineError::NotFound)?),
        };
        let owner = match &row {
            Some(row) => Some(row.value.owner),
            None => self.store.owner_of(RecordId::Webhook(webhook)).await?,
        };
        Ok((row, owner.ok_or(EngineError::NotFound)?))
    }

    async fn post(
        &self,
        webhook: WebhookId,
        row: Recipient,
        owner: OwnerId,
        body: Arc<str>,
        test_of: Option<(TaskId, Cause)>,
    ) -> Result<DeliveryId, EngineError> {
        enabled(&self.judge, owner).await?;
        let (bytes, room) = (body.len() as u64, self.judge.room(owner));
        if room.deliveries == 0 || room.bytes < bytes {
            return Err(full(&self.judge, owner));
        }
        self.judge.run_by_hand(owner, 1)?;
        let letter = Letter {
            to: webhook,
            owner,
            webhook: row,
            body,
            test_of,
        };
        match self.emitter.post_detached(letter).await {
            Err(error) if error.kind() == ErrorKind::Invalid => Err(EngineError::NotFound),
            posted => Ok(posted?),
        }
    }

    pub(crate) async fn send_now(
        &self,
        webhook: &Webhook,
        message: Option<&Message>,
        name: &str,
    ) -> Result<TestSend, EngineError> {
        if webhook.mode == DeliveryMode::Fetch {
            let words = "The messages of this webhook are fetched; nothing is sent to its URL";
            return Err(EngineError::Forbidden(words.to_owned()));
        }
        let now = self.clock.now()?;
        let body = self.by_hand(message, name, now).await?;
        let (route, request) = self.request(webhook, &body, now)?;
        enabled(&self.judge, webhook.owner).await?;
        let place = self.judge.shares_with(webhook.owner).await?;
        let _under_way = self.at_once.begin(webhook.owner, place)?;
        self.judge.run_by_hand(webhook.owner, 1)?;
        let sent = send(&*self.transport, &route, request, now).await;
        let attempt = sent.shown(&route.credentials);
        Ok(TestSend { attempt })
    }

    pub(crate) fn preview(
        &self,
        webhook: &Webhook,
        message: Option<&Message>,
    ) -> Result<Preview, EngineError> {
        let now = self.clock.now()?;
        let body = self.renderer.by_hand(message, "", now)?;
        let (_, mut request) = self.request(webhook, &body, now)?;
        if matches!(webhook.authorization, Authorization::OAuth2(_)) {
            let with_token = request.with_sensitive_header("Authorization", TOKEN);
            request = with_token.map_err(|error| EngineError::Unsendable(error.into()))?;
        }
        let preview = self.transport.preview(&request, now);
        preview.map_err(EngineError::Unsendable)
    }

    /// A message sent by hand, filled in.
    async fn by_hand(
        &self,
        message: Option<&Message>,
        name: &str,
        now: DateTime<Utc>,
    ) -> Result<Arc<str>, EngineError> {
        let (renderer, message) = (self.renderer.clone(), message.cloned());
        let (bytes, name) = (
            message.as_ref().map_or(0, |text| text.as_str().len()),
            name.to_owned(),
        );
        let body = apart(bytes, move || {
            renderer.by_hand(message.as_ref(), &name, now)
        });
        Ok(body.await?)
    }

    pub(crate) fn example(
        &self,
        message: &Message,
        about: &RunAbout,
    ) -> Result<Example, EngineError> {
        let now = self.clock.now()?;
        let (event_type, event) = about.words()?;
        let words = (event_type.as_str(), event.as_str());
        let brought = (about.variables.as_slice(), about.data.as_ref());
        let object = about.object.as_ref();
        let rendering = self.renderer.about(words, object, brought, now);
        Ok(rendering.example(message, about.context.as_ref())?)
    }

    pub(crate) fn variables(&self) -> impl Iterator<Item = (&str, &str)> {
        self.renderer.variables()
    }

    pub(crate) async fn get(&self, id: DeliveryId) -> Result<Option<Delivery>, EngineError> {
        Ok(self.store.delivery(id).await?)
    }

    pub(crate) async fn list(&self, query: &DeliveryQuery) -> Result<Vec<Delivery>, EngineError> {
        Ok(self.store.list_deliveries(query).await?)
    }

    pub(crate) async fn attempts(
        &self,
        id: DeliveryId,
        last: u32,
    ) -> Result<Vec<AttemptRecord>, EngineError> {
        Ok(self.store.attempts(id, last).await?)
    }

    pub(crate) async fn delete(&self, id: DeliveryId) -> Result<(), EngineError> {
        let now = self.clock.now()?;
        let delivery = self.store.delivery(id).await?;
        self.store.delete_delivery(id, now).await?;
        let open = delivery.filter(|delivery| !delivery.state.is_final());
        let open = open.map(|delivery| ChangedDelivery {
            delivery: id,
            webhook: delivery.webhook,
            owner: delivery.owner,
            bytes: delivery.body.len() as u64,
        });
        self.ended(open.as_slice());
        Ok(())
    }

    pub(crate) async fn cancel(&self, ids: &[DeliveryId]) -> Result<u64, EngineError> {
        let now = self.clock.now()?;
        let deliveries = ids.iter().copied().map(IfWaiting::any).collect();
        let cancelled = WaitingChange::Cancelled {
            reason: "cancelled".to_owned(),
        };
        let ended = self.store.change_waiting(deliveries, cancelled, now);
        let ended = ended.await?;
        self.ended(&ended);
        Ok(ended.len() as u64)
    }

    /// Where order was asked for, the next may be sent now.
    fn ended(&self, deliveries: &[ChangedDelivery]) {
        for ended in deliveries {
            self.judge.ended(ended.owner, ended.bytes, 0);
            self.emitter.look_at(ended.webhook);
        }
    }

    fn request(
        &self,
        webhook: &Webhook,
        body: &Arc<str>,
        now: DateTime<Utc>,
    ) -> Result<(Route, Request), EngineError> {
        webhook.check()?;
        let id = self.renderer.message_id(now);
        let route = Route::unstored(webhook.clone());
        let request = route.request(&id, body).map_err(EngineError::Unsendable)?;
        Ok((route, request))
    }
}
