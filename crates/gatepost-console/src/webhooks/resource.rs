//! The forms that create, edit and delete webhooks.

use axum::response::Response;
use gatepost_manage::ManageError;
use gatepost_storage::webhooks::{Cascade, NewRecords};
use maud::{Markup, html};
use serde_json::{Value, json};
use webhook_model::{
    Action, Activity, Description, Event, Message, ResubmittedSecrets, SigningSecret,
    SigningSecrets, Task, Webhook, WebhookId,
};

use super::form::{entered, field_of, fields, fresh, parse, stored};
use super::list::WebhookRow;
use super::secrets;
use super::tabs::tabs;
use super::target::{hint, to_saved};
use crate::choices::newest_tasks;
use crate::context::PageContext;
use crate::crud::{self, Resource};
use crate::events::{ticked, ticks};
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{self, Section, page, seen};
use crate::problems::Problems;
use crate::unreadable::{Kind, if_readable, question};

/// The maximum number of its tasks that are named before a webhook is deleted.
const MAX_NAMED: u32 = 20;

/// The forms of webhooks.
pub(super) struct Webhooks;

/// A webhook from its form, with the secrets that were typed.
pub(super) struct Draft {
    webhook: Webhook,
    entered: ResubmittedSecrets,
    /// The signing secret of a new webhook.
    secret: Option<SigningSecret>,
    /// Whether an existing webhook loses its secrets.
    unsign: bool,
    /// The events of a new webhook.
    events: Vec<Event>,
}

impl Resource for Webhooks {
    type Row = WebhookRow;
    type Draft = Draft;
    /// The webhook, its new signing secret, and whether it was subscribed to events.
    type Saved = (WebhookRow, Option<SigningSecret>, bool);
    const AREA: &'static str = "webhooks";
    const SECTION: Section = Section::Webhooks;
    const ONCE: bool = true;

    fn fresh(_ctx: &PageContext, _query: &Form) -> Form {
        fresh()
    }

    async fn load(ctx: &PageContext, id: i64) -> Result<WebhookRow, Failure> {
        Ok(ctx.actor.webhook(WebhookId(id)).await?)
    }

    fn form(row: &WebhookRow) -> Form {
        stored(&row.value)
    }

    async fn page(
        ctx: &PageContext,
        row: Option<&WebhookRow>,
        form: &Form,
        problems: &Problems,
    ) -> Result<Markup, Failure> {
        let (check, back) = match row {
            Some(row) => (
                format!("/webhooks/check?id={}", row.id),
                format!("/webhooks/{}", row.id),
            ),
            None => ("/webhooks/check".to_owned(), "/webhooks".to_owned()),
        };
        let events = match row {
            Some(_) => html! {},
            None => ticks(ctx, form).await?,
        };
        let fields = fields(ctx, row.map(|row| &row.value), form, problems, &events);
        let form = crud::form::<Self>(ctx, row.is_none(), form, problems, [&check, &back], &fields);
        let t = ctx.texts();
        let body = html! { @if let Some(row) = row { (tabs(ctx, row.id, "settings")) } (form) };
        let title = match row {
            Some(row) => {
                let name = seen(row.value.name.as_str());
                t.with("webhooks-edit-title", &[("name", name.into())])
            }
            None => t.of("webhooks-new-title").into_owned(),
        };
        Ok(page(ctx, Section::Webhooks, &title, &body))
    }

    async fn parse(
        ctx: &PageContext,
        row: Option<&WebhookRow>,
        form: &Form,
        problems: &mut Problems,
    ) -> Result<Option<Draft>, Failure> {
        let present = row.map(|row| &row.value);
        let owner = present.map_or(ctx.principal().owner, |webhook| webhook.owner);
        let Some(mut webhook) = parse(form, ctx.texts(), problems, owner, present) else {
            return Ok(None);
        };
        let is_signed = present.is_none() && form.ticked("sign");
        let secret = is_signed.then(|| SigningSecret::from_random(rand::random()));
        if let Some(secret) = &secret {
            webhook.signing = SigningSecrets::none().rotated(secret.clone(), 0);
        }
        Ok(Some(Draft {
            webhook,
            entered: present.map_or_else(ResubmittedSecrets::default, |present| {
                entered(form, present)
            }),
            secret,
            unsign: form.ticked("unsign"),
            events: match present {
                Some(_) => Vec::new(),
                None => ticked(ctx, form),
            },
        }))
    }

    async fn save(
        ctx: &PageContext,
        row: Option<&WebhookRow>,
        draft: Draft,
    ) -> Result<Self::Saved, ManageError> {
        let Draft {
            webhook: new,
            entered,
            secret,
            unsign,
            events,
        } = draft;
        let Some(row) = row else {
            if events.is_empty() {
                return Ok((ctx.actor.create_webhook(new).await?, secret, false));
            }
            return Ok((subscribed(ctx, new, events).await?, secret, true));
        };
        let edit = move |webhook: &mut Webhook| {
            // Others may have changed what the form does not contain; it is kept.
            let activity = match (new.activity, webhook.activity) {
                (Activity::Active, Activity::Paused) => Activity::Paused,
                (new, _) => new,
            };
            let kept = Some(&webhook.signing).filter(|_| !unsign);
            *webhook = Webhook {
                signing: kept.cloned().unwrap_or_default(),
                activity,
                ..new.clone()
            };
            Ok(())
        };
        let row = ctx.actor.edit_webhook_with(row.id, entered, edit).await?;
        Ok((row, None, false))
    }

    async fn saved(
        ctx: &PageContext,
        done: &'static str,
        (row, secret, is_subscribed): Self::Saved,
    ) -> Result<Response, Failure> {
        match secret {
            Some(secret) => secrets::reveal(ctx, &row, &secret).await,
            None if is_subscribed => Ok(to_saved(ctx, &row, "subscribed").await),
            None => Ok(to_saved(ctx, &row, done).await),
        }
    }

    fn field_of(form: &Form, field: &'static str) -> &'static str {
        field_of(form, field)
    }

    fn refusal(error: &ManageError) -> Option<(&'static str, &'static str)> {
        match error {
            ManageError::NameTaken { .. } => Some(("name", "webhooks-problem-name-taken")),
            _ => None,
        }
    }

    async fn hints(ctx: &PageContext, form: &Form) -> Result<Value, Failure> {
        Ok(json!({"url": hint(ctx, form.text("url"))}))
    }

    async fn question(ctx: &PageContext, number: i64) -> Result<[Markup; 2], Failure> {
        let (t, id) = (ctx.texts(), WebhookId(number));
        let row = if_readable(ctx.actor.webhook(id).await)?;
        let tasks = newest_tasks(ctx, Some(id), MAX_NAMED).await?;
        let what = html! {
            @if let Some(row) = row {
                @let name = html! { strong { (seen(row.value.name.as_str())) } };
                p { (t.markup("webhooks-delete-question", &[("name", name.into())])) }
            }
            @else { (question(t, Kind::Webhook, number)) }
            @if !tasks.is_empty() {
                p { (t.of("webhooks-delete-tasks")) }
                ul { @for task in &tasks { li { (seen(task.value.name.as_str())) } } @if tasks.len() == MAX_NAMED as usize { li { (t.of("webhooks-delete-others")) } } }
            }
        };
        let cascade = html! {
            @if !tasks.is_empty() { (layout::check("cascade", &t.of("webhooks-delete-cascade"), &t.of("webhooks-delete-cascade-hint"), false)) }
        };
        Ok([what, cascade])
    }

    async fn remove(ctx: &PageContext, id: i64, sent: &Form) -> Result<(), ManageError> {
        let cascade = if sent.ticked("cascade") {
            Cascade::Tasks
        } else {
            Cascade::Refuse
        };
        let removed = ctx.actor.delete_webhook(WebhookId(id), cascade);
        removed.await.map(|_| ())
    }

    fn kept_at(id: i64) -> String {
        format!("/webhooks/{id}")
    }
}

/// Creates a webhook together with a task for these events, which sends the default message.
async fn subscribed(
    ctx: &PageContext,
    webhook: Webhook,
    events: Vec<Event>,
) -> Result<WebhookRow, ManageError> {
    let name: String = webhook.name.as_str().chars().take(64).collect();
    let task = Task {
        creator: ctx.principal().owner,
        name: name.parse()?,
        description: Description::default(),
        enabled: true,
        delete_after_run: false,
        action: Action::Send {
            webhook: WebhookId(0),
            message: Message::default(),
        },
    };
    let records = NewRecords {
        webhook: Some(webhook),
        task: Some(task),
        events,
    };
    let (stored, _) = ctx.actor.subscribe(records, false).await?;
    stored.webhook.ok_or(ManageError::NotFound)
}
