//! The page with the form of a task.

use gatepost_storage::webhooks::TaskRow;
use maud::{Markup, html};

use super::fields::{FormOptions, fields};
use super::form::TaskForm;
use super::preview::preview;
use crate::changes_link::changes_link;
use crate::choices::webhook_choices;
use crate::context::PageContext;
use crate::failure::Failure;
use crate::layout::{Section, page_with};
use crate::problems::Problems;

/// The page with the form of a new task, or of an existing one.
pub(super) async fn form_page(
    ctx: &PageContext,
    row: Option<&TaskRow>,
    form: &TaskForm,
    problems: &Problems,
) -> Result<Markup, Failure> {
    let t = ctx.texts();
    let options = FormOptions {
        button: match row {
            Some(_) => t.of("tasks-save"),
            None => t.of("tasks-create"),
        },
        webhooks: webhook_choices(ctx).await?,
        preview: preview(ctx, form).await,
    };
    let title = match row {
        Some(row) => t.with("tasks-edit", &[("name", row.value.name.as_str().into())]),
        None => t.of("tasks-new").into_owned(),
    };
    let buttons = html! { @if let Some(row) = row {
        (changes_link(ctx, "tasks", row.id.0))
        a.button href=(ctx.at(&format!("/tasks/{}/cancel", row.id))) { (t.of("tasks-cancel")) }
    } };
    let body = fields(ctx, form, problems, &options);
    Ok(page_with(ctx, Section::Tasks, &title, &buttons, &body))
}
