//! The page with the form of a task.

use gatepost_storage::webhooks::TaskRow;
use maud::Markup;

use super::fields::{FormOptions, fields};
use super::form::TaskForm;
use super::preview::preview;
use crate::choices::webhook_choices;
use crate::context::PageContext;
use crate::failure::Failure;
use crate::layout::{Section, page};
use crate::problems::Problems;

/// The page with the form of a new task, or of an existing one.
pub(super) async fn form_page(
    ctx: &PageContext,
    row: Option<&TaskRow>,
    form: &TaskForm,
    problems: &Problems,
) -> Result<Markup, Failure> {
    let options = FormOptions {
        button: if row.is_some() {
            "Save task"
        } else {
            "Create task"
        },
        webhooks: webhook_choices(ctx).await?,
        preview: preview(ctx, form).await,
    };
    let title = row.map_or_else(
        || "New task".into(),
        |row| format!("Edit {}", row.task.name),
    );
    Ok(page(
        ctx,
        Section::Tasks,
        &title,
        &fields(ctx, form, problems, &options),
    ))
}
