//! What the form of an event offers, by the catalog and the directory.

use webhook_model::{EventType, Specificity};

use super::fields::FormOptions;
use crate::choices::{choices, task_choices};
use crate::context::PageContext;
use crate::failure::Failure;

/// The type, if it is in the catalog, and what its events apply to.
pub(super) fn known_type(ctx: &PageContext, name: &str) -> Option<(EventType, Specificity)> {
    let catalog = ctx.actor.catalog();
    catalog
        .types()
        .find(|(known, ..)| known.as_str() == name)
        .map(|(known, _, specificity)| (known.clone(), specificity))
}

/// The options of a form: `fixed` where the event can no longer be chosen.
pub(super) async fn form_options<'a>(
    ctx: &PageContext,
    button: &'a str,
    of: &'a EventType,
    specificity: Specificity,
    fixed: bool,
) -> Result<FormOptions<'a>, Failure> {
    Ok(FormOptions {
        button,
        of,
        specificity,
        fixed,
        instances: choices(ctx, of.as_str()).await,
        tags: choices(ctx, "tags").await,
        tasks: task_choices(ctx).await?,
    })
}
