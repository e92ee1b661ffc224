//! Questions to the platform about an occurrence, or about an event that is created, and its
//! answers.

use std::fmt;
use std::pin::Pin;

use gatepost_ids::{Audience, OwnerId, TagId};
use webhook_model::{EventName, EventType, Target};

/// Decides who may receive what, on a platform with tenants.
///
/// There is one question: *may these users see this object?* It is asked when a user makes or
/// changes an event, and when something happens that events of several users match: once, for all
/// of them together. Answers are kept for five seconds.
///
/// Answer from memory if you can ([`PolicyAnswer::each`]); ask a database in a future if you must
/// ([`PolicyAnswer::later`]). Nothing waits for a future but the tasks that the answer is about:
/// they run once it is there. An error, a panic or no answer within five seconds is never a yes:
/// the same is asked again later, for a day. `may_receive` itself must not block its thread.
///
/// Users whose account is missing or disabled are not asked about, nor those of another tenant than
/// the occurrence's.
///
/// From memory:
/// ```
/// use std::collections::HashSet;
///
/// use gatepost_engine::{Decision, SubscriptionPolicy, PolicyAnswer, PolicyQuestion};
/// use webhook_model::{ObjectId, OwnerId, TagId, Target};
///
/// #[derive(Debug)]
/// struct Machines {
///     all: HashSet<ObjectId>,
///     tags: HashSet<TagId>,
///     shared: HashSet<(OwnerId, ObjectId)>,
/// }
///
/// impl SubscriptionPolicy for Machines {
///     fn may_receive<'a>(&'a self, question: &'a PolicyQuestion<'a>, owners: &'a [OwnerId]) -> PolicyAnswer<'a> {
///         PolicyAnswer::each(owners, |owner| match question.target {
///             Target::Instance(id) if !self.all.contains(&id) => Decision::NoSuchObject,
///             Target::Instance(id) => self.shared.contains(&(owner, id)).into(),
///             Target::Tag(tag) if !self.tags.contains(&tag) => Decision::NoSuchObject,
///             Target::Tag(_) | Target::Generic => Decision::Yes,
///         })
///     }
/// }
/// ```
///
/// From a database:
/// ```
/// # use gatepost_engine::{Decision, SubscriptionPolicy, PolicyAnswer, PolicyError, PolicyQuestion};
/// # use webhook_model::{OwnerId, Target};
/// # #[derive(Debug)]
/// # struct Database;
/// # impl Database {
/// #     async fn readers(&self, _: Target, _: &[OwnerId]) -> Result<Vec<OwnerId>, std::io::Error> { Ok(Vec::new()) }
/// # }
/// # #[derive(Debug)]
/// # struct Platform { database: Database }
/// impl SubscriptionPolicy for Platform {
///     fn may_receive<'a>(&'a self, question: &'a PolicyQuestion<'a>, owners: &'a [OwnerId]) -> PolicyAnswer<'a> {
///         PolicyAnswer::later(async move {
///             let readers = self.database.readers(question.target, owners).await;
///             let readers = readers.map_err(|error| PolicyError(error.to_string()))?;
///             let may = |owner| Decision::from(readers.contains(owner));
///             Ok(owners.iter().map(may).collect())
///         })
///     }
/// }
/// ```
pub trait SubscriptionPolicy: fmt::Debug + Send + Sync + 'static {
    /// Returns whether each of these users may watch this.
    fn may_receive<'a>(
        &'a self,
        question: &'a PolicyQuestion<'a>,
        owners: &'a [OwnerId],
    ) -> PolicyAnswer<'a>;
}

/// The object that users want to watch, or the occurrence.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub struct PolicyQuestion<'a> {
    /// The area of the platform.
    pub event_type: &'a EventType,
    /// The event of that type.
    pub event: &'a EventName,
    /// When an event is created: its object. For an occurrence: the object to which it happened, or
    /// [`Target::Generic`] for a type without objects.
    pub target: Target,
    /// For an occurrence: the tags that the object carries. Empty when an event is created.
    pub tags: &'a [TagId],
    /// For an occurrence: its audience. `None` when an event is created.
    pub audience: Option<Audience>,
}

/// Whether a user may watch something.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Decision {
    /// The user may. `true.into()`, for short.
    Yes,
    /// The user may not: an event on it is refused, and an occurrence is not passed on. `false`.
    No,
    /// There is no such object or tag: an event on it is refused as invalid. Return this only for
    /// users who may know which objects exist; for others, return `No`.
    NoSuchObject,
}

impl From<bool> for Decision {
    fn from(may: bool) -> Self {
        if may { Self::Yes } else { Self::No }
    }
}

/// The platform could not answer; it is asked again later.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("the platform could not say who may watch: {0}")]
#[allow(clippy::exhaustive_structs, reason = "a text and nothing else")]
pub struct PolicyError(pub String);

/// The platform's answer, immediate or later. One [`Decision`] for each user, in the order of the
/// question; any other number is an error.
#[allow(clippy::exhaustive_enums, reason = "these are all there are")]
pub enum PolicyAnswer<'a> {
    /// An immediate answer.
    Now(Result<Vec<Decision>, PolicyError>),
    /// An answer that is waited for, for at most five seconds.
    Later(Pin<Box<dyn Future<Output = Result<Vec<Decision>, PolicyError>> + Send + 'a>>),
}

impl<'a> PolicyAnswer<'a> {
    /// Creates an immediate answer, user by user.
    #[must_use]
    pub fn each<M: Into<Decision>>(owners: &[OwnerId], mut may: impl FnMut(OwnerId) -> M) -> Self {
        Self::Now(Ok(owners.iter().map(|owner| may(*owner).into()).collect()))
    }

    /// Creates an answer that must be waited for.
    #[must_use]
    pub fn later(
        answer: impl Future<Output = Result<Vec<Decision>, PolicyError>> + Send + 'a,
    ) -> Self {
        Self::Later(Box::pin(answer))
    }
}

impl fmt::Debug for PolicyAnswer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Now(answer) => f.debug_tuple("Now").field(answer).finish(),
            Self::Later(_) => f.write_str("Later(…)"),
        }
    }
}
