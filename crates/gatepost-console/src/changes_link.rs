//! The way from a record to what was changed of it.

use maud::{Markup, html};

use crate::context::PageContext;

/// The part of the list's address that has the record: `tasks/3`.
pub(crate) const RECORD: &str = "record";

/// A button that leads to the changes of a record; nothing where there is no log of them.
pub(crate) fn changes_link(ctx: &PageContext, table: &str, row: i64) -> Markup {
    let to = format!("/changes?{RECORD}={table}%2F{row}");
    html! { @if ctx.actor.has_audit_log() { a.button href=(ctx.at(&to)) { (ctx.texts().of("changes-title")) } } }
}
