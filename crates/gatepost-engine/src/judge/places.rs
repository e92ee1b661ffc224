//! Where an occurrence is matched, and where an owner's records are.

use gatepost_ids::{Audience, OwnerId, Realm};
use gatepost_storage::StoreError;
use webhook_model::{Catalog, Occurrence};

use super::parts::{Decides, Judge};
use crate::config::OperationalEvents;
use crate::error::{EmitError, EngineError};

/// Said of an audience on a platform that is one system.
const ADDRESSED: &str = "the platform said one_system, so that an occurrence is for OneSystem";
/// Said of the other where there are tenants.
const NOT_ADDRESSED: &str =
    "the platform has tenants, so that an occurrence must say for which of them it is";

/// Said of a move that a second answer does not confirm.
pub(super) const NOT_CONFIRMED: &str = "it did not confirm that the user is in another place now";

impl Judge {
    /// Which events about their own webhooks and keys users are offered.
    pub(crate) fn own(&self) -> OperationalEvents {
        self.audiences.own
    }

    /// The types and events that can be chosen.
    pub(crate) fn catalog(&self) -> &Catalog {
        &self.audiences.catalog
    }

    /// Whether an occurrence may have its audience. On a platform that is one system only
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

    /// The audience of what is run manually: only its owner where there are tenants.
    pub(crate) fn manual_audience(&self, owner: OwnerId) -> Audience {
        match self.decides {
            Decides::Nobody => Audience::OneSystem,
            _ => Audience::Owner(owner),
        }
    }

    /// The places in which an occurrence with this audience is matched, its own first.
    ///
    /// # Errors
    /// An audience that this platform does not have; an owner about which neither the store nor the
    /// platform says anything.
    pub(crate) async fn places(&self, audience: Audience) -> Result<Vec<Realm>, EmitError> {
        let own = match (&self.decides, audience) {
            (Decides::Nobody, Audience::OneSystem) => return Ok(vec![Realm::Shared]),
            // Which occurrences may say so was checked.
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

    /// Where an owner stands, as the store said at most five seconds ago: enough for whose turn and
    /// room it is, not for who may see what.
    pub(crate) async fn stood(&self, owner: OwnerId) -> Result<Realm, StoreError> {
        self.owners.stood(owner).await
    }

    /// With which others an owner shares what there are few of, as [`stood`](Self::stood) says;
    /// `None` where all are one system. Who was not placed yet shares with all such.
    pub(crate) async fn shares_with(&self, owner: OwnerId) -> Result<Option<Realm>, StoreError> {
        match self.decides {
            Decides::Nobody => Ok(None),
            _ => self.stood(owner).await.map(Some),
        }
    }

    /// The audience of an occurrence in the outbox, where a row that names none reads `OneSystem`.
    pub(crate) fn audience_in_outbox(&self, named: Audience) -> Audience {
        match (&self.decides, named) {
            (Decides::Platform(_) | Decides::Address, Audience::OneSystem) => {
                self.audiences.default.unwrap_or(named)
            }
            _ => named,
        }
    }

    /// The platform changed something about this user: asks about it now, and stores what differs,
    /// where all processes find it.
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
