//! The interface for the platform's audit log.

use std::fmt;

use chrono::{DateTime, Utc};
use gatepost_keys::{OwnerId, Principal, TenantId, Via};
use gatepost_storage::audit::AuditEntry;
use webhook_model::ObjectId;

use crate::changes::Changes;
use crate::subject::Subject;

/// The operation on a row. The REST API and the console use the same word for the same operation.
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
    /// An action on a platform's own table, by its declared name.
    Platform(&'static str),
    /// Ended deliveries were queued again: one, or the failed ones of a webhook.
    Replay,
    /// A webhook was resumed.
    Resume,
    /// A delivery that waited for its next attempt is due now.
    Retry,
    /// A new key replaced this one.
    Roll,
    /// A webhook got a new signing secret.
    RotateSecret,
    /// A task was run manually.
    Run,
    /// A message was queued manually.
    Send,
    /// A message was sent immediately to test a webhook; it is not in the delivery log.
    SendTest,
    /// A task's message was sent as a test.
    Test,
    /// An event was triggered manually.
    Trigger,
    /// The row was changed.
    Update,
}

impl Operation {
    /// Returns the word for an audit log: `create`, `rotate_secret`, …; for an action of the
    /// platform its name.
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

/// A change that was carried out.
#[derive(Debug)]
#[non_exhaustive]
pub struct Audited<'a> {
    /// The caller.
    pub actor: &'a Principal,
    /// The table: `user_api_keys`, `webhook_urls`, …
    pub table: &'static str,
    /// The id of the row; `None` for a change of no single row.
    pub row: Option<ObjectId>,
    /// The operation.
    pub operation: Operation,
    /// The owner of the record; `None` in a record that a test creates.
    pub owner: Option<OwnerId>,
    /// The name of the record, such as a webhook or a key; empty if it has none.
    pub name: &'a str,
    /// The changes of an edit, without secrets; `None` in a record that a test creates.
    pub changes: Option<&'a Changes>,
}

impl<'a> Audited<'a> {
    /// Creates a record for a test of an [`Audit`].
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

    /// Returns the entry for the audit log, with the owner of the record and the owner's tenant.
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

/// Truncates a text to this number of bytes.
fn cut(text: &str, most: usize) -> String {
    let mut ends = (0..=most.min(text.len())).rev();
    let end = ends.find(|end| text.is_char_boundary(*end));
    text.get(..end.unwrap_or_default())
        .unwrap_or_default()
        .to_owned()
}

/// Receives a record of every change, after the store has committed it and before the call returns,
/// even if the caller has disconnected. It never gets a secret or a message.
///
/// It is called on the task of the change: it must pass the record on without blocking. A panic is
/// logged, and does not undo the change.
pub trait Audit: fmt::Debug + Send + Sync + 'static {
    /// Records a change.
    fn record(&self, change: &Audited<'_>);
}

/// No audit log: the default.
#[derive(Clone, Copy, Debug, Default)]
#[allow(clippy::exhaustive_structs, reason = "a name and nothing else")]
pub struct NoAudit;

impl Audit for NoAudit {
    fn record(&self, _change: &Audited<'_>) {}
}
