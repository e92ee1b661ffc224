//! Errors.

use std::sync::Arc;
use std::time::Duration;

use gatepost_storage::{ErrorKind, StoreError};
use webhook_model::{CatalogError, Field, Invalid, RenderError, TaskId};

/// A panic of the platform's clock. Callers see it as an error of the store: for a moment nothing
/// can be stored.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the platform's clock panicked")]
pub(crate) struct ClockError;

/// An engine that cannot be started.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The store failed, or the platform's clock panicked.
    #[error("the store failed")]
    Store(#[from] Arc<StoreError>),
    /// The clocks of this machine and of the database server differ by more than 30 seconds.
    #[error(
        "this machine's clock and the database server's differ by {0} seconds; at most 30 are allowed"
    )]
    ClockSkew(i64),
    /// Not exactly one of `one_system`, `addressed_only` and `subscription_policy` was called on
    /// the builder. There is no default: each of them would leak data on a platform of another
    /// kind.
    #[error(
        "nobody said who may receive what: call exactly one of one_system, addressed_only and \
         watch on the builder"
    )]
    NoAudience,
    /// The platform's catalog has its own type of that name: see
    /// [`OperationalEvents`](crate::OperationalEvents).
    #[error("the platform's catalog has a type {0} itself, which operational events would be of")]
    TypeTaken(&'static str),
}

/// An error of an emit. Nothing of the occurrence was stored.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmitError {
    /// The message of a task that was run manually cannot be rendered.
    #[error("the message of task {task} cannot be rendered")]
    Render {
        /// The task.
        task: TaskId,
        /// The reason.
        source: RenderError,
    },
    /// A message that is sent manually cannot be rendered.
    #[error("{0}")]
    Message(#[source] RenderError),
    /// The occurrence has an audience that this platform does not have: `OneSystem` on a platform
    /// with tenants, or any other if the platform called `one_system`. Names it.
    #[error("{0}")]
    WrongAudience(&'static str),
    /// A call with more occurrences than allowed.
    #[error("{count} occurrences in one call; at most {most} are allowed")]
    TooMany {
        /// The number in the call.
        count: usize,
        /// The number allowed.
        most: usize,
    },
    /// The platform's code gave no usable answer: it failed, hung, panicked, or contradicted the
    /// builder's options. The caller may emit the same occurrence again.
    #[error("the platform gave no answer: {0}")]
    Platform(String),
    /// The store failed, or the platform's clock panicked. If [`StoreError::is_transient`], the
    /// caller may emit the same occurrence again; with its own id it is then stored once, even if
    /// the first try was stored.
    #[error("the store failed")]
    Store(#[from] Arc<StoreError>),
}

/// A call on webhooks, tasks, events or deliveries that was not carried out.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// There is no such row.
    #[error("there is no such row")]
    NotFound,
    /// A field breaks a rule.
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// Another webhook has that name.
    #[error("a webhook of that name exists")]
    NameTaken,
    /// Tasks send this webhook.
    #[error("tasks use this webhook: {}", names(tasks, *.more))]
    InUse {
        /// The names of the first tasks, at most 20.
        tasks: Vec<String>,
        /// The number of further tasks.
        more: u64,
    },
    /// The webhook of a task, or the task of an event, does not exist.
    #[error("{}: does not exist", .0.as_str())]
    Dangling(Field),
    /// The owner may not do this; the text is for the user.
    #[error("{0}")]
    Forbidden(String),
    /// The owner has as many as allowed.
    #[error("You have {have} of {most} {what}")]
    Full {
        /// The limited quantity: `webhooks`, `tasks`, `events`, `bytes of records`.
        what: &'static str,
        /// The owner's current amount.
        have: u64,
        /// The allowed amount.
        most: u64,
    },
    /// The owner does this more often than allowed.
    #[error("{}", too_fast(retry_after))]
    TooFast {
        /// The time to wait.
        retry_after: Duration,
    },
    /// Each time the edit was applied, another one was stored first. The caller may repeat the
    /// call.
    #[error("the row is being changed by others; try again")]
    Contended,
    /// The platform's code gave no usable answer: it failed, hung, panicked, or contradicted the
    /// builder's options. The caller may repeat the call.
    #[error("the platform gave no answer: {0}")]
    Platform(String),
    /// The emit failed, and nothing was stored.
    #[error(transparent)]
    Emit(#[from] EmitError),
    /// No request can be made of this webhook.
    #[error("nothing can be sent: {0}")]
    Unsendable(delivery::ErrorClass),
    /// The store failed after part of the deliveries had been queued; calling again continues with
    /// the rest.
    #[error("the store failed after {queued} deliveries were queued")]
    Interrupted {
        /// The number queued.
        queued: u64,
        /// The failure.
        source: Arc<StoreError>,
    },
    /// The store failed, or the platform's clock panicked.
    #[error("the store failed")]
    Store(#[source] Arc<StoreError>),
}

impl From<CatalogError> for EngineError {
    fn from(error: CatalogError) -> Self {
        Self::Invalid(error.as_invalid())
    }
}

impl From<StoreError> for EngineError {
    fn from(error: StoreError) -> Self {
        match error.kind() {
            ErrorKind::NotFound => Self::NotFound,
            ErrorKind::Conflict => Self::NameTaken,
            _ => Self::Store(Arc::new(error)),
        }
    }
}

impl From<StoreError> for EmitError {
    fn from(error: StoreError) -> Self {
        Self::Store(Arc::new(error))
    }
}

impl From<ClockError> for StoreError {
    fn from(error: ClockError) -> Self {
        Self::new(ErrorKind::Unavailable, "the clock cannot be read").with_source(error)
    }
}

impl From<ClockError> for StartError {
    fn from(error: ClockError) -> Self {
        Self::Store(Arc::new(error.into()))
    }
}

impl From<ClockError> for EmitError {
    fn from(error: ClockError) -> Self {
        StoreError::from(error).into()
    }
}

impl From<ClockError> for EngineError {
    fn from(error: ClockError) -> Self {
        StoreError::from(error).into()
    }
}

fn too_fast(retry_after: &Duration) -> String {
    match seconds(retry_after) {
        1 => "too many in a minute; try again in 1 second".to_owned(),
        many => format!("too many in a minute; try again in {many} seconds"),
    }
}

/// Returns whole seconds, rounded up.
fn seconds(time: &Duration) -> u64 {
    time.as_secs() + u64::from(time.subsec_nanos() > 0)
}

fn names(tasks: &[String], more: u64) -> String {
    match more {
        0 => tasks.join(", "),
        more => format!("{} and {more} more", tasks.join(", ")),
    }
}
