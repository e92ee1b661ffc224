//! Webhooks and versions of places, as they were looked up. What a commit looked up is good for the
//! next as long as no record was changed, by whichever process: each such change moves the version
//! in `gatepost_routes`.

use std::collections::HashMap;

use gatepost_ids::{OwnerId, Realm};
use gatepost_storage::Revision;
use gatepost_storage::webhooks::RoutesVersion;
use rusqlite::{Connection, OptionalExtension as _};

use crate::column::owner;
use crate::error::{Failure, Result};
use crate::named::Named;
use crate::places::{place_from, version};

/// The maximum number of webhooks, and of places, to remember.
const REMEMBERED: usize = 20_000;

/// A webhook that is not gone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Webhook {
    pub(crate) id: i64,
    pub(crate) owner: OwnerId,
    pub(crate) place: Realm,
    pub(crate) revision: Revision,
    pub(crate) in_order: bool,
    /// Has become one in order when this was the last token.
    pub(crate) ordered_to: Option<i64>,
    /// Whether its deliveries may be claimed.
    pub(crate) sends: bool,
}

#[derive(Debug, Default)]
pub(super) struct Known {
    version: Option<i64>,
    sure: bool,
    webhooks: HashMap<i64, Option<Webhook>>,
    places: HashMap<Realm, RoutesVersion>,
}

impl Known {
    /// `None` for a webhook that is gone.
    pub(super) fn webhook(&mut self, c: &Connection, id: i64) -> Result<Option<Webhook>> {
        self.make_sure(c)?;
        if let Some(known) = self.webhooks.get(&id) {
            return Ok(*known);
        }
        let found = webhook(c, id)?;
        self.webhooks.insert(id, found);
        Ok(found)
    }

    /// The version of a place now.
    pub(super) fn place_version(&mut self, c: &Connection, place: Realm) -> Result<RoutesVersion> {
        self.make_sure(c)?;
        if let Some(known) = self.places.get(&place) {
            return Ok(*known);
        }
        let found = version(c, place)?;
        self.places.insert(place, found);
        Ok(found)
    }

    /// To be asked again before it is used.
    pub(super) fn doubt(&mut self) {
        self.sure = false;
    }

    fn make_sure(&mut self, c: &Connection) -> Result<()> {
        if self.sure {
            return Ok(());
        }
        let version: i64 = c
            .prepare_cached("SELECT version FROM gatepost_routes")?
            .query_row([], |row| row.get(0))?;
        let many = self.webhooks.len().max(self.places.len()) > REMEMBERED;
        if self.version != Some(version) || many {
            self.webhooks.clear();
            self.places.clear();
            self.version = Some(version);
        }
        self.sure = true;
        Ok(())
    }
}

/// Looks a webhook up; `None` for one that is gone.
pub(crate) fn webhook(c: &Connection, id: i64) -> Result<Option<Webhook>> {
    let found = c
        .prepare_cached(include_str!("../sql/batch/webhook.sql"))?
        .query_row([id], |row| {
            let place = row.get_ref("place")?;
            let place = place.as_str().map_err(|e| Failure::corrupt("place", e));
            let owner = owner(&Named::of(row), "owner");
            let revision = row.get("revision")?;
            let (in_order, ordered_to) = (row.get("in_order")?, row.get("ordered_to")?);
            let sends = row.get("sends")?;
            Ok(owner.and_then(|owner| {
                Ok(Webhook {
                    id,
                    owner,
                    place: place.and_then(place_from)?,
                    revision: Revision(revision),
                    in_order,
                    ordered_to,
                    sends,
                })
            }))
        })
        .optional()?;
    found.transpose()
}
