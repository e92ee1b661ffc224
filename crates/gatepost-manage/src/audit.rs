//! A hook for the host's audit log.

use std::fmt;

use gatepost_keys::Principal;

/// What was done to a row.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Operation {
    /// It was created.
    Create,
    /// It was changed.
    Update,
    /// It was deleted.
    Delete,
    /// An action was carried out: `send`, `execute`, `trigger`, `replay`, …
    Act(&'static str),
}

/// One change that was carried out.
#[derive(Debug)]
pub struct Audited<'a> {
    /// Who did it.
    pub actor: &'a Principal,
    /// The table: `user_api_keys`, `webhook_urls`, …
    pub table: &'static str,
    /// The row number.
    pub row: Option<i64>,
    /// What was done.
    pub operation: Operation,
}

/// Hears of every change made through the API, after it was stored. Called on the request's task:
/// hand the record on, do not wait. It never sees a secret or the content of a change.
pub trait Audit: fmt::Debug + Send + Sync + 'static {
    /// A change was carried out.
    fn record(&self, change: &Audited<'_>);
}

/// No audit log: the default.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoAudit;

impl Audit for NoAudit {
    fn record(&self, _change: &Audited<'_>) {}
}
