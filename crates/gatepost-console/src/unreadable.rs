//! Records that cannot be read: written by a newer version, or sealed with a lost key. They can
//! only be deleted.

use gatepost_manage::{AccessLevel, ManageError};
use gatepost_storage::webhooks::{RecordId, UnreadableRecord};
use maud::{Markup, html};

use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{self, note};
use crate::texts::Texts;

/// The field of a query that lists them.
const ASKED: &str = "unreadable";

/// The tables that may hold such records.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Kind {
    Webhook,
    Task,
    Event,
}

impl Kind {
    /// Returns the number of a record, if it is of this kind.
    fn number(self, record: RecordId) -> Option<i64> {
        match (self, record) {
            (Self::Webhook, RecordId::Webhook(id)) => Some(id.0),
            (Self::Task, RecordId::Task(id)) => Some(id.0),
            (Self::Event, RecordId::Event(id)) => Some(id.0),
            _ => None,
        }
    }

    /// Returns the word in the names of its texts; with an s, it is the name of the limit that
    /// counts the records, and of the path of their list.
    fn word(self) -> &'static str {
        match self {
            Self::Webhook => "webhook",
            Self::Task => "task",
            Self::Event => "event",
        }
    }

    /// Returns a text such as `Webhook 7`; with `what`, another one about the record.
    fn text(self, texts: &Texts, what: &str, number: i64) -> String {
        let name = format!("lists-unreadable-{}{what}", self.word());
        texts.with(&name, &[("id", number.to_string().into())])
    }
}

/// Renders the unreadable records of a kind, each with a link to delete it; nothing if all can be
/// read. To find them, all records that the caller may see are read: when `asked` to, or if a user
/// has more than the `readable` ones.
pub(crate) async fn section(
    ctx: &PageContext,
    kind: Kind,
    asked: &Form,
    readable: Option<usize>,
) -> Result<Markup, Failure> {
    let t = ctx.texts();
    let is_asked = asked.ticked(ASKED);
    let is_known = match readable.filter(|_| !is_asked) {
        Some(readable) if ctx.principal().access == AccessLevel::User => {
            all(ctx, kind).await? > readable as u64
        }
        _ => is_asked,
    };
    if !is_known {
        return Ok(html! {});
    }
    let found = ctx.actor.unreadable().await?;
    let of_kind = |record: &UnreadableRecord| kind.number(record.record);
    let numbers: Vec<i64> = found.iter().filter_map(of_kind).collect();
    Ok(html! {
        @if numbers.is_empty() && is_asked { (note("good", &html! { (t.of("lists-unreadable-none")) })) }
        @if !numbers.is_empty() {
            section {
                h2 { (t.of("lists-unreadable-title")) }
                p { (t.of("lists-unreadable-text")) }
                ul { @for number in numbers { li {
                    @let name = kind.text(t, "", number);
                    (name) " "
                    a.button.small href=(ctx.at(&format!("/{}s/{number}/delete", kind.word()))) aria-label=(t.with("lists-unreadable-delete-of", &[("name", (&*name).into())])) { (t.of("lists-unreadable-delete")) }
                } } }
            }
        }
    })
}

/// Renders the menu of a list for callers who may see the records of several users: it finds those
/// that cannot be read. A user's own list names them by itself.
pub(crate) fn menu(ctx: &PageContext, kind: Kind) -> Markup {
    let (t, path) = (
        ctx.texts(),
        ctx.at(&format!("/{}s?{ASKED}=on", kind.word())),
    );
    let look = html! { a href=(path) { (t.of("lists-unreadable-look")) } };
    html! { @if ctx.principal().access != AccessLevel::User { (layout::menu(t, "more", &look)) } }
}

/// Returns the number of the caller's records of a kind, including those that cannot be read.
async fn all(ctx: &PageContext, kind: Kind) -> Result<u64, Failure> {
    let limits = ctx.actor.limits(ctx.principal().owner).await?;
    let (mut limits, name) = (limits.iter(), format!("{}s", kind.word()));
    let of_kind = limits.find(|limit| limit.name == name);
    Ok(of_kind.map_or(u64::MAX, |limit| limit.used))
}

/// Returns a record to be deleted; `None` if it cannot be read.
pub(crate) fn if_readable<T>(found: Result<T, ManageError>) -> Result<Option<T>, Failure> {
    match found {
        Ok(row) => Ok(Some(row)),
        Err(ManageError::Unreadable) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Renders the confirmation before a record is deleted.
pub(crate) fn question(texts: &Texts, kind: Kind, number: i64) -> Markup {
    html! { p { (kind.text(texts, "-question", number)) } }
}
