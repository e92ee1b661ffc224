//! A hook for the platform's audit log.

use std::fmt;

use chrono::{DateTime, Utc};
use gatepost_keys::{OwnerId, Principal, TenantId, Via};
use gatepost_storage::audit::AuditEntry;
use webhook_model::ObjectId;

use crate::changes::Changes;
use crate::subject::Subject;

/// What was done to a row. The same act has the same word, whether it came from the API or from the
/// console.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Operation {
    /// A waiting delivery was ended.
    Cancel,
    /// The row was created.
    Create,
    /// The row was deleted, with what belongs to it.
    Delete,
    /// A key, a task or an event was disabled.
    Disable,
    /// A key, a task or an event was enabled.
    Enable,
    /// A webhook was paused.
    Pause,
    /// An action of a table of the platform's own, by its declared name.
    Platform(&'static str),
    /// Deliveries that had ended were queued again: one, or the failed ones of a webhook.
    Replay,
    /// A webhook was resumed.
    Resume,
    /// A delivery that waited for its next attempt is due now.
    Retry,
    /// A new key took the place of this one.
    Roll,
    /// A webhook got a new signing secret.
    RotateSecret,
    /// A task was run manually.
    Run,
    /// A message was queued manually.
    Send,
    /// A message was sent at once, to test a webhook; it is not in the delivery log.
    SendTest,
    /// A task's message was sent as a test.
    Test,
    /// An event was triggered manually.
    Trigger,
    /// The row was changed.
    Update,
}

impl Operation {
    /// The word for an audit log: `create`, `rotate_secret`, …; for an action of the platform's own
    /// its name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cancel => "cancel",
            Self::Create => "create",
            Self::Delete => "delete",
            Self::Disable => "disable",
            Self::Enable => "enable",
            Self::Pause => "pause",
            Self::Platform(name) => name,
            Self::Replay => "replay",
            Self::Resume => "resume",
            Self::Retry => "retry",
            Self::Roll => "roll",
            Self::RotateSecret => "rotate_secret",
            Self::Run => "run",
            Self::Send => "send",
            Self::SendTest => "send_test",
            Self::Test => "test",
            Self::Trigger => "trigger",
            Self::Update => "update",
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One change that was carried out.
#[derive(Debug)]
#[non_exhaustive]
pub struct Audited<'a> {
    /// Who did it.
    pub actor: &'a Principal,
    /// The table: `user_api_keys`, `webhook_urls`, …
    pub table: &'static str,
    /// The id of the row; `None` for a change of no single row.
    pub row: Option<ObjectId>,
    /// What was done.
    pub operation: Operation,
    /// Whose record it is; `None` in a record that a test makes.
    pub owner: Option<OwnerId>,
    /// What the record is called, a webhook or a key by its name; empty where it has none.
    pub name: &'a str,
    /// What an edit changed, without secrets; `None` in a record that a test makes.
    pub changes: Option<&'a Changes>,
}

impl<'a> Audited<'a> {
    /// A record, such as a test of an [`Audit`] makes.
    #[must_use]
    pub fn new(
        actor: &'a Principal,
        table: &'static str,
        row: Option<ObjectId>,
        operation: Operation,
    ) -> Self {
        Self {
            actor,
            table,
            row,
            operation,
            owner: None,
            name: "",
            changes: None,
        }
    }

    pub(crate) fn about(self, subject: &'a Subject) -> Self {
        Self {
            owner: Some(subject.owner),
            name: &subject.name,
            changes: Some(&subject.changes),
            ..self
        }
    }

    /// As the audit log stores it: of a record of this owner, who is in this tenant.
    pub(crate) fn entry(
        &self,
        at: DateTime<Utc>,
        owner: OwnerId,
        tenant: Option<TenantId>,
    ) -> AuditEntry {
        AuditEntry {
            at,
            owner,
            tenant,
            actor: self.actor.owner,
            key: match self.actor.via {
                Via::Key(key) => Some(key),
                _ => None,
            },
            from: self.actor.address,
            table: cut(self.table, AuditEntry::MAX_WORD),
            row: self.row.unwrap_or(ObjectId::from(0)),
            name: cut(self.name, AuditEntry::MAX_NAME),
            operation: cut(self.operation.as_str(), AuditEntry::MAX_WORD),
            changes: self.changes.map(Changes::to_stored).unwrap_or_default(),
        }
    }
}

/// No more than this many bytes of a text.
fn cut(text: &str, most: usize) -> String {
    let mut ends = (0..=most.min(text.len())).rev();
    let end = ends.find(|end| text.is_char_boundary(*end));
    text.get(..end.unwrap_or_default())
        .unwrap_or_default()
        .to_owned()
}

/// Receives a record of every change, after the store has committed it and before the call returns,
/// also when the caller has gone away. It never sees a secret or a message.
///
/// Called on the task of the change: hand the record on, do not block. A panic is logged, and does
/// not undo the change.
pub trait Audit: fmt::Debug + Send + Sync + 'static {
    /// A change was carried out.
    fn record(&self, change: &Audited<'_>);
}

/// No audit log: the default.
#[derive(Clone, Copy, Debug, Default)]
#[allow(clippy::exhaustive_structs, reason = "a name and nothing else")]
pub struct NoAudit;

impl Audit for NoAudit {
    fn record(&self, _change: &Audited<'_>) {}
}
