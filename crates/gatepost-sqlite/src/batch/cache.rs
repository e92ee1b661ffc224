//! A cache of webhooks and of the versions of realms. Its entries stay valid for the next commit as
//! long as no process changes a record: each such change moves the version in `gatepost_routes`.

use std::collections::HashMap;

use gatepost_ids::{OwnerId, Realm};
use gatepost_storage::Revision;
use gatepost_storage::webhooks::RoutesVersion;
use rusqlite::Connection;

use crate::column::owner;
use crate::error::{Failure, Result};
use crate::named::Named;
use crate::realms::{place_from, version};
use crate::sql::{Sql as _, value};

/// The maximum number of webhooks, and of realms, in the cache.
const REMEMBERED: usize = 20_000;

/// A webhook that is not deleted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Webhook {
    pub(crate) id: i64,
    pub(crate) owner: OwnerId,
    pub(crate) place: Realm,
    pub(crate) revision: Revision,
    pub(crate) in_order: bool,
    /// The last token at the time of the switch to delivery in order.
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
    /// Returns a webhook; `None` if it is deleted.
    pub(super) fn webhook(&mut self, c: &Connection, id: i64) -> Result<Option<Webhook>> {
        self.make_sure(c)?;
        if let Some(known) = self.webhooks.get(&id) {
            return Ok(*known);
        }
        let found = webhook(c, id)?;
        self.webhooks.insert(id, found);
        Ok(found)
    }

    /// Returns the current version of a realm.
    pub(super) fn place_version(&mut self, c: &Connection, place: Realm) -> Result<RoutesVersion> {
        self.make_sure(c)?;
        if let Some(known) = self.places.get(&place) {
            return Ok(*known);
        }
        let found = version(c, place)?;
        self.places.insert(place, found);
        Ok(found)
    }

    /// Marks the cache for a check before its next use.
    pub(super) fn doubt(&mut self) {
        self.sure = false;
    }

    fn make_sure(&mut self, c: &Connection) -> Result<()> {
        if self.sure {
            return Ok(());
        }
        let version: i64 = c.one("SELECT version FROM gatepost_routes", [], value)?;
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

/// Reads a webhook; `None` if it is deleted.
pub(crate) fn webhook(c: &Connection, id: i64) -> Result<Option<Webhook>> {
    c.first(sql!("batch/webhook"), [id], |row| {
        let place = row.get_ref("place")?;
        let place = place.as_str().map_err(|e| Failure::corrupt("place", e))?;
        Ok(Webhook {
            id,
            owner: owner(&Named::of(row), "owner")?,
            place: place_from(place)?,
            revision: Revision(row.get("revision")?),
            in_order: row.get("in_order")?,
            ordered_to: row.get("ordered_to")?,
            sends: row.get("sends")?,
        })
    })
}
