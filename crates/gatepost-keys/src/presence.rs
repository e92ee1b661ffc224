//! The distinction between a user who is present and a page that polls (SPEC 5.1 rule 3).

use http::{HeaderMap, HeaderName};

/// The kind of request in a session. Only [`Person`](Self::Person) extends a session that ends
/// after inactivity; both are authenticated.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[allow(clippy::exhaustive_enums, reason = "these are all there are")]
pub enum Visit {
    /// A person opened a page or submitted a form, as far as the request shows.
    Person,
    /// An open page polls for updates; nobody may be present.
    Poll,
}

impl Visit {
    /// The header by which a program declares that it polls: `x-gatepost-visit: poll`.
    pub const HEADER: HeaderName = HeaderName::from_static("x-gatepost-visit");

    /// Returns the kind that the headers declare; a person by default.
    #[must_use]
    pub fn of(headers: &HeaderMap) -> Self {
        let polls = headers
            .get(Self::HEADER)
            .is_some_and(|visit| visit == "poll");
        if polls { Self::Poll } else { Self::Person }
    }
}
