//! The second half: webhooks, tasks and events.

use std::error::Error;
use std::time::Duration;

use axum::http::StatusCode;
use examples::receiver::Receiver;
use examples::story::Story;
use gatepost_engine::Engine;
use gatepost_storage::webhooks::{Delivery, DeliveryId};
use webhook_model::{
    Action, Audience, Authorization, Description, Event, EventLabel, Filter, Headers, JsonObject,
    Object, ObjectId, Occurrence, OwnerId, TagId, Target, Task, TaskId, Webhook, WebhookId,
};

type Anything = Box<dyn Error + Send + Sync>;

const ADA: OwnerId = OwnerId(1);
const PRODUCTION: TagId = TagId(4);
const MESSAGE: &str =
    r#"{"text":"${NAME} is on","date":"${DATE}","at":${TIMESTAMP},"n":${RANDOM}}"#;

/// Runs this part of the tour.
pub(crate) async fn tell(
    story: &mut Story,
    engine: &Engine,
    receiver: &Receiver,
) -> Result<(), Anything> {
    let office = Office { engine, receiver };
    office.retries_and_variables(story).await?;
    office.once(story).await?;
    office.tags_and_alarms(story).await?;
    office.authorizations(story).await
}

struct Office<'a> {
    engine: &'a Engine,
    receiver: &'a Receiver,
}

impl Office<'_> {
    async fn retries_and_variables(&self, story: &mut Story) -> Result<(), Anything> {
        story.chapter("A machine is switched on; the receiver (HTTPS) fails twice");
        let webhook = self
            .webhook("chat", "/chat", Authorization::None, Headers::default())
            .await?;
        let task = self
            .task("notify the chat", webhook, MESSAGE, false)
            .await?;
        self.event("vms", "poweron", Target::Instance(ObjectId::from(7)), task)
            .await?;
        self.receiver.answer_with(&[
            StatusCode::INTERNAL_SERVER_ERROR,
            StatusCode::SERVICE_UNAVAILABLE,
        ]);

        let deliveries = self
            .engine
            .emit(vm("poweron", 7, "db-1", &[])?)
            .await?
            .deliveries;
        story.claim(
            "one event matched, one delivery was stored",
            deliveries.len() == 1,
        );
        let delivery = self
            .ended(*deliveries.first().ok_or("nothing was stored")?)
            .await?;
        let arrived = self.at("/chat");
        for received in &arrived {
            story.tell(&format!("response: {}", received.answered));
        }
        story.claim(
            "two failures, then success on the third attempt",
            delivery.attempts == 3 && delivery.state.as_str() == "sent" && arrived.len() == 3,
        );
        let first = arrived.first().ok_or("nothing arrived")?;
        story.claim(
            "all attempts carried the same bytes under the same id",
            arrived.iter().all(|r| {
                r.body == first.body && r.header("webhook-id") == Some(delivery.message_id.as_str())
            }),
        );
        story.tell(&first.body);
        let body: serde_json::Value = serde_json::from_str(&first.body)?;
        story.claim(
            "${NAME} became the machine's name",
            body["text"] == "db-1 is on",
        );
        story.claim(
            "${TIMESTAMP} and ${RANDOM} became numbers",
            body["at"].as_i64() > Some(1_700_000_000) && body["n"].is_u64(),
        );
        story.claim(
            "${DATE} became a date with its zone",
            body["date"]
                .as_str()
                .is_some_and(|date| date.ends_with(" UTC") && date.len() == 29),
        );
        story.claim(
            "the payload's type is application/json",
            first.header("content-type") == Some("application/json"),
        );
        let other = self
            .engine
            .emit(vm("poweron", 8, "db-2", &[])?)
            .await?
            .deliveries;
        story.claim("another machine triggers nothing", other.is_empty());
        Ok(())
    }

    async fn once(&self, story: &mut Story) -> Result<(), Anything> {
        story.chapter("A one-time task");
        let webhook = self
            .webhook("once", "/once", Authorization::None, Headers::default())
            .await?;
        let task = self
            .task("just this once", webhook, "first time", true)
            .await?;
        self.event("vms", "poweroff", Target::Instance(ObjectId::from(7)), task)
            .await?;
        let off = vm("poweroff", 7, "db-1", &[])?;
        let first = self.engine.emit(off.clone()).await?.deliveries;
        let delivery = self
            .ended(*first.first().ok_or("nothing was stored")?)
            .await?;
        story.claim("it ran", delivery.state.as_str() == "sent");
        story.claim("it is gone", self.engine.task(task).await?.is_none());
        story.claim(
            "it does not run again",
            self.engine.emit(off).await?.deliveries.is_empty() && self.at("/once").len() == 1,
        );
        Ok(())
    }

    async fn tags_and_alarms(&self, story: &mut Story) -> Result<(), Anything> {
        story.chapter("Tags, and types without objects");
        let webhook = self
            .webhook("ops", "/ops", Authorization::None, Headers::default())
            .await?;
        let task = self
            .task("production is on", webhook, "${NAME}", false)
            .await?;
        self.event("vms", "poweron", Target::Tag(PRODUCTION), task)
            .await?;
        for (id, name) in [(21, "web-1"), (22, "web-2")] {
            for delivery in self
                .engine
                .emit(vm("poweron", id, name, &[PRODUCTION])?)
                .await?
                .deliveries
            {
                self.ended(delivery).await?;
            }
        }
        let mut names: Vec<String> = self.at("/ops").into_iter().map(|r| r.body).collect();
        names.sort();
        story.claim(
            "the event ran for every machine that carries the tag",
            names == ["web-1", "web-2"],
        );
        story.claim(
            "a machine without the tag triggers nothing",
            self.engine
                .emit(vm("poweron", 23, "toy", &[])?)
                .await?
                .deliveries
                .is_empty(),
        );

        let webhook = self
            .webhook("alarms", "/alarms", Authorization::None, Headers::default())
            .await?;
        let task = self
            .task("wake somebody", webhook, "wake up", false)
            .await?;
        self.event("alarms", "raised", Target::Generic, task)
            .await?;
        let raised = self
            .engine
            .emit(Occurrence::new(
                "alarms".parse()?,
                "raised".parse()?,
                Audience::OneSystem,
            ))
            .await?
            .deliveries;
        self.ended(*raised.first().ok_or("nothing was stored")?)
            .await?;
        story.claim(
            "an alarm, which has neither object nor tag, ran its task",
            self.at("/alarms").len() == 1,
        );
        Ok(())
    }

    async fn authorizations(&self, story: &mut Story) -> Result<(), Anything> {
        story.chapter("The authorization that the target receives");
        let plain = Headers::default;
        let own_name =
            Headers::parse_lines("Content-Type: application/json\nX-Chat-Key: ${APIKEY}")?;
        let table = [
            (
                "bearer",
                Authorization::bearer("t0ken")?,
                plain(),
                "authorization",
                Some("Bearer t0ken"),
            ),
            (
                "api-key",
                Authorization::api_key("r4w-key")?,
                plain(),
                "x-api-key",
                Some("r4w-key"),
            ),
            (
                "named-api-key",
                Authorization::api_key("r4w-key")?,
                own_name,
                "x-chat-key",
                Some("r4w-key"),
            ),
            (
                "basic",
                Authorization::basic("ada", "lovelace")?,
                plain(),
                "authorization",
                Some("Basic YWRhOmxvdmVsYWNl"),
            ),
            ("none", Authorization::None, plain(), "authorization", None),
        ];
        for (name, authorization, headers, header, expected) in table {
            let path = format!("/{name}");
            let webhook = self.webhook(name, &path, authorization, headers).await?;
            let id = self.engine.send(webhook, None).await?;
            self.ended(id).await?;
            let received = self.receiver.wait_for(&path, 1).await?;
            let value = received.header(header);
            story.claim(
                &format!("{name}: {header}: {}", value.unwrap_or("(nothing)")),
                value == expected,
            );
        }
        Ok(())
    }
}

/// Short forms of calls.
impl Office<'_> {
    async fn webhook(
        &self,
        name: &str,
        path: &str,
        authorization: Authorization,
        headers: Headers,
    ) -> Result<WebhookId, Anything> {
        let url = format!("https://{}{path}", self.receiver.addr).parse()?;
        let webhook = Webhook {
            authorization,
            headers,
            ..Webhook::new(ADA, name.parse()?, url)
        };
        Ok(self.engine.create_webhook(&webhook).await?.id)
    }

    async fn task(
        &self,
        name: &str,
        webhook: WebhookId,
        message: &str,
        delete_after_run: bool,
    ) -> Result<TaskId, Anything> {
        let action = Action::Send {
            webhook,
            message: message.parse()?,
        };
        let task = Task {
            creator: ADA,
            name: name.parse()?,
            description: Description::default(),
            enabled: true,
            delete_after_run,
            action,
        };
        Ok(self.engine.create_task(&task).await?.id)
    }

    async fn event(
        &self,
        event_type: &str,
        event: &str,
        target: Target,
        task: TaskId,
    ) -> Result<(), Anything> {
        let event = Event {
            event_type: event_type.parse()?,
            event: event.parse()?,
            target,
            task,
            enabled: true,
            filters: Filter::default(),
            context: JsonObject::default(),
            label: EventLabel::default(),
        };
        self.engine.create_event(&event).await?;
        Ok(())
    }

    fn at(&self, path: &str) -> Vec<examples::receiver::Received> {
        self.receiver
            .received()
            .into_iter()
            .filter(|r| r.path == path)
            .collect()
    }

    /// Waits until a delivery has ended, for at most ten seconds.
    async fn ended(&self, id: DeliveryId) -> Result<Delivery, Anything> {
        for _ in 0..500 {
            if let Some(delivery) = self
                .engine
                .delivery(id)
                .await?
                .filter(|d| d.state.is_final())
            {
                return Ok(delivery);
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Err(format!("delivery {id} did not end").into())
    }
}

/// Returns the occurrence of an action on a machine.
fn vm(
    event: &str,
    id: u32,
    name: &str,
    tags: &[TagId],
) -> Result<Occurrence, webhook_model::Invalid> {
    let happened = Occurrence::new("vms".parse()?, event.parse()?, Audience::OneSystem);
    let object = Object::new(ObjectId::from(id), name);
    Ok(happened.with_object(object).with_tags(tags.to_vec()))
}
