//! New and Edit.

use axum::Json;
use axum::extract::RawQuery;
use axum::response::{IntoResponse, Redirect, Response};
use gatepost_engine::EngineError;
use gatepost_manage::Operation;
use gatepost_storage::Row;
use maud::{Markup, html};
use serde_json::{Map, Value, json};
use webhook_model::{
    Activity, AuthorizationKind, SigningSecret, SigningSecrets, Webhook, WebhookId,
};

use super::fields::{Around, form};
use super::parse::Typed;
use super::{show, signing};
use crate::access::Id;
use crate::failure::Failure;
use crate::form::{Form, Problems};
use crate::layout::{Section, note, page, refused};
use crate::session::{Ctx, Tickets};

pub(super) const TABLE: &str = "webhook_urls";

pub(super) async fn new(ctx: Ctx) -> Response {
    let typed = Typed {
        auth: AuthorizationKind::None.as_str().into(),
        headers: vec![vec!["Content-Type".into(), "application/json".into()]],
        headers_text: "Content-Type: application/json\n".into(),
        timeout: "5".into(),
        retries: "3".into(),
        enabled: true,
        ..Typed::default()
    };
    new_form(&ctx, &typed, &Problems::default()).into_response()
}

fn new_form(ctx: &Ctx, typed: &Typed, problems: &Problems) -> Markup {
    let around = Around {
        button: "Create webhook",
        ticket: Some(Tickets::issue()),
        id: None,
        stored: false,
    };
    page(
        ctx,
        Section::Webhooks,
        "New Webhook",
        &form(ctx, typed, problems, &around),
    )
}

pub(super) async fn create(ctx: Ctx, sent: Form) -> Result<Response, Failure> {
    let typed = Typed::of_form(&sent);
    if sent.given("do").is_some() {
        return Ok(new_form(&ctx, &typed, &Problems::default()).into_response());
    }
    let mut problems = Problems::default();
    let owner = ctx.principal.owner;
    let Some(mut webhook) = typed.parse(&mut problems, owner, None) else {
        return Ok(refused(new_form(&ctx, &typed, &problems)));
    };
    let secret = typed
        .sign
        .then(|| SigningSecret::from_random(rand::random()));
    if let Some(secret) = &secret {
        webhook.signing = SigningSecrets::none().rotated(secret.clone(), 0);
    }
    let (tickets, ticket) = (&ctx.console.inner.tickets, sent.text("ticket"));
    if !tickets.take(ticket) {
        let text = html! { "The webhook of this form was made already. " a href=(ctx.console.at("/webhooks")) { "To the webhooks" } };
        let page = page(
            &ctx,
            Section::Webhooks,
            "This form was sent before",
            &note("warn", &text),
        );
        return Ok(refused(page));
    }
    match ctx.console.inner.engine.create_webhook(&webhook).await {
        Ok(row) => {
            ctx.audit(TABLE, row.id.0, Operation::Create);
            match secret {
                Some(secret) => signing::reveal(&ctx, &row, &secret).await,
                None => Ok(to(&ctx, row.id, "created")),
            }
        }
        Err(error) => {
            tickets.put_back(ticket);
            beside(error, &typed, &mut problems)?;
            Ok(refused(new_form(&ctx, &typed, &problems)))
        }
    }
}

/// The same validation, for the hints that are shown while one types.
pub(super) async fn check(
    ctx: Ctx,
    RawQuery(query): RawQuery,
    sent: Form,
) -> Result<Json<Value>, Failure> {
    let asked = Form::parse(query.unwrap_or_default().as_bytes());
    let present = match asked.key("id") {
        Some(id) => Some(ctx.webhook(id).await?.value),
        None => None,
    };
    let mut problems = Problems::default();
    let owner = ctx.principal.owner;
    let typed = Typed::of_form(&sent);
    let webhook = typed.parse(&mut problems, owner, present.as_ref());
    let open = typed.url.trim().starts_with("http://") && problems.of("url").is_none();
    let open = if open {
        "Not encrypted: whoever is between here and the target can read what is sent. Prefer https."
    } else {
        ""
    };
    drop(webhook);
    let problems: Map<String, Value> = problems
        .iter()
        .map(|(field, rule)| (field.into(), rule.into()))
        .collect();
    Ok(Json(json!({"problems": problems, "hints": {"url": open}})))
}

pub(super) async fn edit(ctx: Ctx, Id(id): Id) -> Result<Response, Failure> {
    let row = ctx.webhook(id).await?;
    let typed = Typed::of(&row.value);
    Ok(edit_form(&ctx, &row, &typed, &Problems::default()).into_response())
}

fn edit_form(
    ctx: &Ctx,
    row: &Row<WebhookId, Webhook>,
    typed: &Typed,
    problems: &Problems,
) -> Markup {
    let around = Around {
        button: "Save webhook",
        ticket: None,
        id: Some(row.id.0),
        stored: row.value.authorization.kind() != AuthorizationKind::None,
    };
    let title = format!("Edit {}", row.value.name);
    page(
        ctx,
        Section::Webhooks,
        &title,
        &form(ctx, typed, problems, &around),
    )
}

pub(super) async fn update(ctx: Ctx, Id(id): Id, sent: Form) -> Result<Response, Failure> {
    let row = ctx.webhook(id).await?;
    let typed = Typed::of_form(&sent);
    let mut problems = Problems::default();
    if sent.given("do").is_some() {
        return Ok(edit_form(&ctx, &row, &typed, &problems).into_response());
    }
    if let Some(new) = typed.parse(&mut problems, row.value.owner, Some(&row.value)) {
        let edited = ctx.console.inner.engine.edit_webhook(row.id, |webhook| {
            // What the form does not hold may have changed meanwhile, and stays.
            let activity = match (new.activity, webhook.activity) {
                (Activity::Active, Activity::Paused) => Activity::Paused,
                (new, _) => new,
            };
            let (owner, signing) = (webhook.owner, webhook.signing.clone());
            *webhook = Webhook {
                owner,
                signing,
                activity,
                ..new.clone()
            };
            Ok(())
        });
        match edited.await {
            Ok(row) => {
                ctx.audit(TABLE, row.id.0, Operation::Update);
                return Ok(to(&ctx, row.id, "saved"));
            }
            Err(error) => beside(error, &typed, &mut problems)?,
        }
    }
    Ok(refused(edit_form(&ctx, &row, &typed, &problems)))
}

/// The webhook's own page, with a word on what was done.
pub(super) fn to(ctx: &Ctx, id: WebhookId, done: &str) -> Response {
    Redirect::to(&ctx.console.at(&format!("/webhooks/{id}?done={done}"))).into_response()
}

/// Errors that belong to a field stand beside it.
fn beside(error: EngineError, typed: &Typed, problems: &mut Problems) -> Result<(), Failure> {
    match error {
        EngineError::NameTaken => problems.add("name", "another webhook has this name"),
        EngineError::Invalid(invalid) => {
            problems.add(typed.place(invalid.field()), invalid.rule());
        }
        other => return Err(other.into()),
    }
    Ok(())
}

/// Shows the page of a webhook with something before it.
pub(super) async fn over(
    ctx: &Ctx,
    row: &Row<WebhookId, Webhook>,
    before: &Markup,
) -> Result<Response, Failure> {
    Ok(show::page_of(ctx, row, before).await?.into_response())
}
