//! The forms that create, edit and delete keys, and the popup that shows a new key once.

use apikey_core::{KeyId, KeyState, RevealOnce};
use axum::response::{IntoResponse, Response};
use gatepost_manage::{AccessLevel, ManageError};
use gatepost_storage::keys::KeyRow;
use maud::{Markup, html};
use serde_json::{Value, json};

use super::form::{ValidKey, fields, parse, stored, surprising};
use super::{list, user};
use crate::choices::choices;
use crate::context::PageContext;
use crate::crud::{self, Resource, to_list};
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{Above, Section, note, page, seen};
use crate::problems::Problems;
use crate::reveal;

/// The days after which a new key expires unless chosen otherwise (SPEC 5.1 rule 7).
const DEFAULT_DAYS: &str = "90";

/// The forms of API keys.
pub(super) struct Keys;

impl Resource for Keys {
    type Row = KeyRow;
    type Draft = ValidKey;
    /// The new key.
    type Saved = Option<(KeyRow, RevealOnce)>;
    const AREA: &'static str = "keys";
    const SECTION: Section = Section::Keys;
    const ONCE: bool = true;

    fn fresh(ctx: &PageContext, query: &Form) -> Form {
        let owner = query.owner("owner").unwrap_or(ctx.principal().owner);
        Form::default()
            .with("user", owner.to_string())
            .with("expires_type", DEFAULT_DAYS)
    }

    async fn load(ctx: &PageContext, id: i64) -> Result<KeyRow, Failure> {
        Ok(ctx.actor.stored_key(KeyId(id)).await?)
    }

    fn form(row: &KeyRow) -> Form {
        stored(row)
    }

    async fn page(
        ctx: &PageContext,
        row: Option<&KeyRow>,
        form: &Form,
        problems: &Problems,
    ) -> Result<Markup, Failure> {
        let t = ctx.texts();
        let owners = match row {
            None if ctx.principal().access > AccessLevel::User => {
                Some(choices(ctx, form, "user", "users").await?)
            }
            _ => None,
        };
        let fields = fields(ctx, row, form, problems, owners.as_ref());
        let to = ["/keys/check", "/keys"];
        let body = crud::form::<Self>(ctx, row.is_none(), form, problems, to, &fields);
        let Some(row) = row else {
            return Ok(page(ctx, Section::Keys, &t.of("keys-new-title"), &body));
        };
        let body = html! {
            @if row.key.state(ctx.now()) == KeyState::Expired { (note("warn", &html! { (t.of("keys-edit-expired")) })) }
            @else { p.quiet { (t.of("keys-edit-text")) } }
            (body)
        };
        let name = seen(row.key.name.as_str());
        let title = t.with("keys-edit-title", &[("name", name.into())]);
        Ok(page(ctx, Section::Keys, &title, &body))
    }

    async fn parse(
        ctx: &PageContext,
        _row: Option<&KeyRow>,
        form: &Form,
        problems: &mut Problems,
    ) -> Result<Option<ValidKey>, Failure> {
        Ok(parse(ctx, form, problems))
    }

    async fn save(
        ctx: &PageContext,
        row: Option<&KeyRow>,
        draft: ValidKey,
    ) -> Result<Self::Saved, ManageError> {
        match row {
            Some(row) => {
                ctx.actor.edit_key(row.id, draft.edit()).await?;
                Ok(None)
            }
            None => ctx.actor.create_key(draft.new_key()).await.map(Some),
        }
    }

    /// Shows the owner's list with the popup that shows the new key.
    async fn saved(
        ctx: &PageContext,
        done: &'static str,
        saved: Self::Saved,
    ) -> Result<Response, Failure> {
        match saved {
            Some((row, secret)) => revealed(ctx, &row, secret).await,
            None => Ok(to_list::<Self>(ctx, done)),
        }
    }

    fn refusal(error: &ManageError) -> Option<(&'static str, &'static str)> {
        match error {
            ManageError::AlreadyRolled => Some(("", "keys-problem-rolled")),
            ManageError::Dangling { .. } => Some(("user", "keys-problem-owner-unknown")),
            ManageError::Forbidden => Some(("user", "keys-problem-owner-forbidden")),
            ManageError::NameTaken { .. } => Some(("name", "keys-problem-name-taken")),
            _ => None,
        }
    }

    async fn hints(ctx: &PageContext, form: &Form) -> Result<Value, Failure> {
        Ok(json!({"ip": surprising(ctx.texts(), form)}))
    }

    async fn question(ctx: &PageContext, id: i64) -> Result<[Markup; 2], Failure> {
        let row = ctx.actor.stored_key(KeyId(id)).await?;
        Ok([about(ctx, &row, "keys-delete-text"), html! {}])
    }

    async fn remove(ctx: &PageContext, id: i64, _sent: &Form) -> Result<(), ManageError> {
        ctx.actor.delete_key(KeyId(id)).await.map(|_| ())
    }
}

/// Renders a text that names the key.
pub(super) fn about(ctx: &PageContext, row: &KeyRow, text: &str) -> Markup {
    let name = seen(row.key.name.as_str());
    let parts = [
        ("name", html! { strong { (name) } }.into()),
        ("masked", html! { code { (row.key.masked) } }.into()),
    ];
    html! { p { (ctx.texts().markup(text, &parts)) } }
}

/// Returns the owner's list with the popup that shows a new key.
pub(super) async fn revealed(
    ctx: &PageContext,
    row: &KeyRow,
    secret: RevealOnce,
) -> Result<Response, Failure> {
    let owner = row.key.owner;
    let is_own = ctx.principal().owner == owner;
    let home = if is_own {
        "/keys".to_owned()
    } else {
        user::path(owner)
    };
    let (key, list, api) = (secret.reveal(), ctx.at(&home), ctx.api.as_deref());
    let popup = reveal::key(ctx.texts(), &key, &row.key.name, &list, api);
    let popup = Above::Popup(popup);
    let page = if is_own {
        list::page_of(ctx, &Form::default(), &popup).await?
    } else {
        user::page_of(ctx, owner, &Form::default(), &popup).await?
    };
    Ok(page.into_response())
}
