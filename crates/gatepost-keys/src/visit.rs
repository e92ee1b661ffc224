//! Whether anybody is there (SPEC 5.1 rule 3): a page that polls is not a user who is.

use http::{HeaderMap, HeaderName};

/// What a request says of the person behind a session. A session that ends after inactivity is
/// prolonged by [`Person`](Self::Person) alone, and looked up by both.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[allow(clippy::exhaustive_enums, reason = "these are all there are")]
pub enum Visit {
    /// Somebody opened a page or sent a form, as far as the request shows.
    Person,
    /// A page that is open asks by itself for what is new; nobody may be there.
    Poll,
}

impl Visit {
    /// The header by which a program says that it polls: `x-gatepost-visit: poll`.
    pub const HEADER: HeaderName = HeaderName::from_static("x-gatepost-visit");

    /// What the headers say; a person where they say nothing.
    #[must_use]
    pub fn of(headers: &HeaderMap) -> Self {
        let polls = headers
            .get(Self::HEADER)
            .is_some_and(|visit| visit == "poll");
        if polls { Self::Poll } else { Self::Person }
    }
}
