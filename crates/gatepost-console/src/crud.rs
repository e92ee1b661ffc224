//! The behaviour that the forms of all records share: a new record, an edit, a form restored from
//! an earlier session, hints while the user types, and the confirmation of a deletion.

use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use gatepost_manage::ManageError;
use http::StatusCode;
use maud::{Markup, html};
use serde_json::{Value, json};

use crate::conflicts::{BEGAN, begun, choices, conflicting, taken};
use crate::context::PageContext;
use crate::csrf::Tickets;
use crate::failure::{Failure, note_refusal, opened_again, refused_deletion};
use crate::form::{Form, Query};
use crate::layout::{self, Section, note, page, refused};
use crate::problems::Problems;
use crate::row_id::RowId;

/// A kind of records that are created, edited and deleted on pages. Its texts are named after
/// [`AREA`](Self::AREA): `tasks-delete-title`, `tasks-delete-button`.
pub(crate) trait Resource: 'static {
    /// A stored record.
    type Row: Send + Sync;
    /// The content of a valid form.
    type Draft: Send;
    /// The result of saving.
    type Saved: Send;
    /// The first part of its addresses and of the names of its texts.
    const AREA: &'static str;
    const SECTION: Section;
    /// Whether the form of a new record is accepted only once: a reload would create another
    /// secret.
    const ONCE: bool = false;

    /// Returns the initial form of a new record; the address may fill in more.
    fn fresh(ctx: &PageContext, query: &Form) -> Form;

    fn load(ctx: &PageContext, id: i64) -> impl Future<Output = Result<Self::Row, Failure>> + Send;

    /// Returns the form with a stored record.
    fn form(row: &Self::Row) -> Form;

    /// Returns the problems of a stored record.
    fn stored_problems(_ctx: &PageContext, _row: &Self::Row) -> Problems {
        Problems::none()
    }

    /// Renders the page with the form, for a new record or for this one.
    fn page(
        ctx: &PageContext,
        row: Option<&Self::Row>,
        form: &Form,
        problems: &Problems,
    ) -> impl Future<Output = Result<Markup, Failure>> + Send;

    /// Parses a form, with the same types as the API's input; notes each error next to its field.
    fn parse(
        ctx: &PageContext,
        row: Option<&Self::Row>,
        form: &Form,
        problems: &mut Problems,
    ) -> impl Future<Output = Result<Option<Self::Draft>, Failure>> + Send;

    fn save(
        ctx: &PageContext,
        row: Option<&Self::Row>,
        draft: Self::Draft,
    ) -> impl Future<Output = Result<Self::Saved, ManageError>> + Send;

    /// Returns the response after saving; `done` is `created` or `saved`.
    fn saved(
        ctx: &PageContext,
        done: &'static str,
        saved: Self::Saved,
    ) -> impl Future<Output = Result<Response, Failure>> + Send;

    /// Returns the field of the form for a field of the record.
    fn field_of(_form: &Form, field: &'static str) -> &'static str {
        field
    }

    /// Returns an error that only this kind has: its field, empty for the whole form, and the name
    /// of its text.
    fn refusal(error: &ManageError) -> Option<(&'static str, &'static str)>;

    /// Returns further notes while the user types.
    fn hints(
        _ctx: &PageContext,
        _form: &Form,
    ) -> impl Future<Output = Result<Value, Failure>> + Send {
        async { Ok(json!({})) }
    }

    /// Renders the confirmation before a deletion, with further fields of it.
    fn question(
        ctx: &PageContext,
        id: i64,
    ) -> impl Future<Output = Result<[Markup; 2], Failure>> + Send;

    fn remove(
        ctx: &PageContext,
        id: i64,
        sent: &Form,
    ) -> impl Future<Output = Result<(), ManageError>> + Send;

    /// Returns the address to which cancelling a deletion leads.
    fn kept_at(_id: i64) -> String {
        format!("/{}", Self::AREA)
    }
}

/// Returns the routes of a kind's forms.
pub(crate) fn crud<R: Resource>() -> Router {
    Router::new()
        .route("/new", get(new::<R>).post(create::<R>))
        .route("/new/again", post(new_again::<R>))
        .route("/check", post(check::<R>))
        .route("/{id}/edit", get(edit::<R>).post(update::<R>))
        .route("/{id}/edit/again", post(edit_again::<R>))
        .route("/{id}/delete", get(ask::<R>).post(delete::<R>))
}

/// Redirects from the address of a record to the page that edits it.
pub(crate) async fn to_edit<R: Resource>(
    ctx: PageContext,
    RowId(id): RowId,
) -> Result<Response, Failure> {
    R::load(&ctx, id).await?;
    let path = format!("/{}/{id}/edit", R::AREA);
    Ok(Redirect::to(&ctx.at(&path)).into_response())
}

/// Redirects to the list, which confirms the operation.
pub(crate) fn to_list<R: Resource>(ctx: &PageContext, done: &str) -> Response {
    Redirect::to(&ctx.at(&format!("/{}?done={done}", R::AREA))).into_response()
}

async fn new<R: Resource>(ctx: PageContext, Query(query): Query) -> Result<Response, Failure> {
    let form = R::fresh(&ctx, &query);
    let page = R::page(&ctx, None, &form, &Problems::none()).await?;
    Ok(page.into_response())
}

async fn create<R: Resource>(ctx: PageContext, sent: Form) -> Result<Response, Failure> {
    save::<R>(&ctx, None, &sent).await
}

/// Shows the form with the values typed in an earlier session.
async fn new_again<R: Resource>(ctx: PageContext, sent: Form) -> Result<Response, Failure> {
    let page = R::page(&ctx, None, &sent, &opened_again(ctx.texts())).await?;
    Ok(page.into_response())
}

async fn edit<R: Resource>(ctx: PageContext, RowId(id): RowId) -> Result<Response, Failure> {
    let row = R::load(&ctx, id).await?;
    let (form, problems) = (begun(R::form(&row)), R::stored_problems(&ctx, &row));
    let page = R::page(&ctx, Some(&row), &form, &problems).await?;
    Ok(page.into_response())
}

async fn update<R: Resource>(
    ctx: PageContext,
    RowId(id): RowId,
    sent: Form,
) -> Result<Response, Failure> {
    let row = R::load(&ctx, id).await?;
    let stored = R::form(&row);
    let sent = taken(&stored, sent);
    let conflicts = conflicting(&stored, &sent).filter(|_| sent.given("do").is_none());
    let Some(form) = conflicts else {
        return save::<R>(&ctx, Some(&row), &sent).await;
    };
    let mut problems = Problems::new(ctx.texts());
    problems.refuse(ctx.texts().of("forms-changed"));
    let page = R::page(&ctx, Some(&row), &form, &problems).await?;
    Ok((StatusCode::CONFLICT, page).into_response())
}

/// Does the same as [`new_again`] for an edit.
async fn edit_again<R: Resource>(
    ctx: PageContext,
    RowId(id): RowId,
    sent: Form,
) -> Result<Response, Failure> {
    let row = R::load(&ctx, id).await?;
    let page = R::page(&ctx, Some(&row), &sent, &opened_again(ctx.texts())).await?;
    Ok(page.into_response())
}

async fn save<R: Resource>(
    ctx: &PageContext,
    row: Option<&R::Row>,
    sent: &Form,
) -> Result<Response, Failure> {
    let mut problems = Problems::new(ctx.texts());
    // A button that changes the form itself: it adds a row or renews the preview.
    if sent.given("do").is_some() {
        let page = R::page(ctx, row, sent, &problems).await?;
        return Ok(page.into_response());
    }
    let Some(draft) = R::parse(ctx, row, sent, &mut problems).await? else {
        return Ok(refused(R::page(ctx, row, sent, &problems).await?));
    };
    let (tickets, ticket) = (&ctx.console.tickets, sent.text("ticket"));
    let is_once = R::ONCE && row.is_none();
    if is_once && !tickets.take(ticket) {
        return Ok(already_submitted::<R>(ctx));
    }
    let done = if row.is_some() { "saved" } else { "created" };
    match R::save(ctx, row, draft).await {
        Ok(saved) => R::saved(ctx, done, saved).await,
        Err(error) => {
            if is_once {
                tickets.put_back(ticket);
            }
            note_error::<R>(ctx, error, sent, &mut problems)?;
            Ok(refused(R::page(ctx, row, sent, &problems).await?))
        }
    }
}

/// Notes an error of a change next to its field, in the words of the form; any other error fails
/// the request.
pub(crate) fn note_error<R: Resource>(
    ctx: &PageContext,
    error: ManageError,
    form: &Form,
    problems: &mut Problems,
) -> Result<(), Failure> {
    if let Some((field, text)) = R::refusal(&error) {
        problems.add(field, ctx.texts().of(text));
        return Ok(());
    }
    match error {
        ManageError::Invalid { field, rule, .. } => problems.add(R::field_of(form, field), rule),
        other => note_refusal(other, problems)?,
    }
    Ok(())
}

/// Returns the page for a form that was submitted already, by a reload or a second click.
pub(crate) fn already_submitted<R: Resource>(ctx: &PageContext) -> Response {
    let (t, name) = (ctx.texts(), format!("{}-submitted", R::AREA));
    let list = ctx.at(R::SECTION.path());
    let link = html! { a href=(list) { (t.of(&format!("{name}-link"))) } };
    let body = note("warn", &t.markup(&name, &[("link", link.into())]));
    let title = t.of(&format!("{name}-title"));
    refused(page(ctx, R::SECTION, &title, &body))
}

/// Validates the form for the hints that are shown while the user types; with the record whose
/// number is in the address, if there is one.
async fn check<R: Resource>(
    ctx: PageContext,
    Query(query): Query,
    sent: Form,
) -> Result<Json<Value>, Failure> {
    let row = match query.key("id") {
        Some(id) => Some(R::load(&ctx, id).await?),
        None => None,
    };
    let mut problems = Problems::new(ctx.texts());
    R::parse(&ctx, row.as_ref(), &sent, &mut problems).await?;
    Ok(problems.checked(&R::hints(&ctx, &sent).await?))
}

async fn ask<R: Resource>(ctx: PageContext, RowId(id): RowId) -> Result<Markup, Failure> {
    question::<R>(&ctx, id, None).await
}

/// Renders the confirmation of a deletion, with the reason if it was refused.
async fn question<R: Resource>(
    ctx: &PageContext,
    id: i64,
    refusal: Option<&str>,
) -> Result<Markup, Failure> {
    let [what, more] = R::question(ctx, id).await?;
    let (t, back) = (ctx.texts(), ctx.at(&R::kept_at(id)));
    let button = t.of(&format!("{}-delete-button", R::AREA));
    let body = layout::confirm(ctx, &what, &button, &back, &more, refusal);
    let title = t.of(&format!("{}-delete-title", R::AREA));
    Ok(page(ctx, R::SECTION, &title, &body))
}

async fn delete<R: Resource>(
    ctx: PageContext,
    RowId(id): RowId,
    sent: Form,
) -> Result<Response, Failure> {
    match R::remove(&ctx, id, &sent).await {
        Ok(()) => Ok(to_list::<R>(&ctx, "deleted")),
        Err(error) => {
            let page = async |why: &str| question::<R>(&ctx, id, Some(why)).await;
            refused_deletion(ctx.texts(), error, page).await
        }
    }
}

/// Renders a form around its fields, below its problems and its conflicts with other edits. `check`
/// is the address that validates the form while the user types; empty for none.
pub(crate) fn form<R: Resource>(
    ctx: &PageContext,
    is_new: bool,
    form: &Form,
    problems: &Problems,
    [check, back]: [&str; 2],
    fields: &Markup,
) -> Markup {
    let t = ctx.texts();
    let button = match is_new {
        true => t.of(&format!("{}-create", R::AREA)),
        false => t.of(&format!("{}-save", R::AREA)),
    };
    html! {
        (layout::errors(t, R::AREA, problems, "frame-nothing-saved"))
        form.main method="post" action=(ctx.own()) novalidate data-check=[(!check.is_empty()).then(|| ctx.at(check))] {
            input type="hidden" name="csrf" value=(ctx.csrf);
            @if R::ONCE && is_new { input type="hidden" name="ticket" value=(Tickets::issue()); }
            // The button that the Enter key presses.
            button.unseen tabindex="-1" aria-hidden="true" { (button) }
            @if let Some(began) = form.given(BEGAN) { input type="hidden" name=(BEGAN) value=(began); }
            (choices(t, R::AREA, form))
            p.hint { (t.of("forms-required")) }
            (fields)
            div.submit {
                button.primary { (button) }
                a.button href=(ctx.at(back)) { (t.of("frame-cancel")) }
            }
        }
    }
}
