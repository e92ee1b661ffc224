//! The realms in which an occurrence is matched, and the realm of an owner's records.

use gatepost_ids::{Audience, OwnerId, Realm};
use gatepost_storage::StoreError;
use webhook_model::{Catalog, Occurrence};

use super::parts::{Authorizer, Decides};
use crate::config::OperationalEvents;
use crate::error::{EmitError, EngineError};

/// The error for an audience on a platform that is one system.
const ADDRESSED: &str = "the platform said one_system, so that an occurrence is for OneSystem";
/// The error for `OneSystem` on a platform with tenants.
const NOT_ADDRESSED: &str =
    "the platform has tenants, so that an occurrence must say for which of them it is";

/// The error for a move that a second answer does not confirm.
pub(super) const NOT_CONFIRMED: &str = "it did not confirm that the user is in another realm now";

impl Authorizer {
    /// Returns the events about their own webhooks and keys that users are offered.
    pub(crate) fn own(&self) -> OperationalEvents {
        self.audiences.own
    }

    /// Returns the types and events that users can choose.
    pub(crate) fn catalog(&self) -> &Catalog {
        &self.audiences.catalog
    }

    /// Checks that an occurrence may have its audience. On a platform that is one system only
    /// events about users' own webhooks and keys are addressed.
    ///
    /// # Errors
    /// `WrongAudience`.
    pub(crate) fn check_audience(&self, occurrence: &Occurrence) -> Result<(), EmitError> {
        match (&self.decides, occurrence.audience) {
            (Decides::Nobody, Audience::Owner(_))
                if !self.own().include(&occurrence.event_type) =>
            {
                Err(EmitError::WrongAudience(ADDRESSED))
            }
            _ => Ok(()),
        }
    }

    /// Returns the audience of manual runs: only its owner on a platform with tenants.
    pub(crate) fn manual_audience(&self, owner: OwnerId) -> Audience {
        match self.decides {
            Decides::Nobody => Audience::OneSystem,
            _ => Audience::Owner(owner),
        }
    }

    /// Returns the realms in which an occurrence with this audience is matched, its own first.
    ///
    /// # Errors
    /// An audience that this platform does not have; an owner unknown to both the store and the
    /// platform.
    pub(crate) async fn places(&self, audience: Audience) -> Result<Vec<Realm>, EmitError> {
        let own = match (&self.decides, audience) {
            (Decides::Nobody, Audience::OneSystem) => return Ok(vec![Realm::Shared]),
            // Whether the occurrence may have this audience was checked earlier.
            (Decides::Nobody, Audience::Owner(_)) if self.own() != OperationalEvents::default() => {
                return Ok(vec![Realm::Shared]);
            }
            (Decides::Nobody, _) => return Err(EmitError::WrongAudience(ADDRESSED)),
            (_, Audience::OneSystem) => return Err(EmitError::WrongAudience(NOT_ADDRESSED)),
            (_, Audience::Operators) => Realm::System,
            (_, Audience::Tenant(tenant)) => Realm::Tenant(tenant),
            (_, Audience::Owner(owner)) => {
                let place = self.owners.place(owner).await?;
                place.map_err(|error| EmitError::Platform(error.to_string()))?
            }
        };
        let mut places = vec![own];
        if own != Realm::System {
            places.push(Realm::System);
        }
        if self.owners.unplaced() > 0 {
            places.push(Realm::Shared);
        }
        Ok(places)
    }

    /// Returns an owner's realm, as the store said at most five seconds ago: sufficient for turns
    /// and limits, not for access.
    pub(crate) async fn stood(&self, owner: OwnerId) -> Result<Realm, StoreError> {
        self.owners.stood(owner).await
    }

    /// Returns the realm with which an owner shares scarce resources, as [`stood`](Self::stood)
    /// says; `None` on a platform that is one system. Owners who are not placed yet share one
    /// realm.
    pub(crate) async fn shares_with(&self, owner: OwnerId) -> Result<Option<Realm>, StoreError> {
        match self.decides {
            Decides::Nobody => Ok(None),
            _ => self.stood(owner).await.map(Some),
        }
    }

    /// Returns the audience of an occurrence in the outbox: a row that names none reads
    /// `OneSystem`.
    pub(crate) fn audience_in_outbox(&self, named: Audience) -> Audience {
        match (&self.decides, named) {
            (Decides::Platform(_) | Decides::Address, Audience::OneSystem) => {
                self.audiences.default.unwrap_or(named)
            }
            _ => named,
        }
    }

    /// Notes that the platform changed this user: asks about the user, and stores differences for
    /// all processes.
    pub(crate) async fn owner_changed(&self, owner: OwnerId) -> Result<(), EngineError> {
        let standing = self.book.ask_again(owner).await;
        let standing = standing.map_err(|error| EngineError::Platform(error.to_string()))?;
        if self.owners.settle(owner, standing, false).await? {
            Ok(())
        } else {
            Err(EngineError::Platform(NOT_CONFIRMED.to_owned()))
        }
    }

    /// Owners that are not placed yet, as far as they were counted.
    pub(crate) fn freed(&self) -> u64 {
        self.owners.freed()
    }

    pub(crate) fn unplaced(&self) -> u64 {
        self.owners.unplaced()
    }
}
