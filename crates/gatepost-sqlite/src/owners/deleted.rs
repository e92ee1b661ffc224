//! Marking of owners as deleted, in one short commit, however many records they have.

use gatepost_ids::Realm;
use gatepost_storage::owners::Removal;
use rusqlite::types::Value;
use rusqlite::{Connection, Row};
use webhook_model::WebhookId;

use crate::error::Result;
use crate::generations;
use crate::realms::{Change, changed, changed_at_large, place_of};
use crate::sql::{Sql as _, value};

/// The maximum number of keys that are named to the caches that hold them; beyond it, caches must
/// read all keys again.
const KEYS_NAMED: usize = 256;
/// The same for webhooks.
const WEBHOOKS_NAMED: usize = 2_000;

pub(super) fn mark(c: &Connection, gone: Removal) -> Result<()> {
    let (place, whose, owner_or_place): (Realm, &str, Value) = match gone {
        Removal::Owner(owner) => {
            let known = "INSERT INTO gatepost_owner (owner) VALUES (?1) ON CONFLICT DO NOTHING";
            c.run(known, [owner.to_bytes()])?;
            (
                place_of(c, owner)?,
                "owner",
                owner.to_bytes().to_vec().into(),
            )
        }
        Removal::Tenant(tenant) => {
            let place = Realm::Tenant(tenant);
            (place, "place", place.to_string().into())
        }
    };
    let sessions = format!(
        "DELETE FROM gatepost_session WHERE owner IN (SELECT owner FROM gatepost_owner WHERE {whose} = ?1)"
    );
    c.run(&sessions, [&owner_or_place])?;
    forget_keys(c, whose, &owner_or_place)?;
    forget_routes(c, gone, place, (whose, &owner_or_place))?;
    let mark = sql!("owners/mark_gone");
    c.run(&format!("{mark} WHERE {whose} = ?1"), [owner_or_place])
}

fn forget_keys(c: &Connection, whose: &str, of: &Value) -> Result<()> {
    let keys = format!(
        "SELECT k.lookup FROM gatepost_owner o CROSS JOIN gatepost_key k INDEXED BY gatepost_key_of_owner \
         ON k.owner = o.owner WHERE o.{whose} = ?1 AND k.id > o.gone_keys LIMIT {}",
        KEYS_NAMED + 1
    );
    let lookups: Vec<String> = c.all(&keys, [of], value)?;
    if lookups.len() > KEYS_NAMED {
        return generations::changed_at_large(c);
    }
    for lookup in lookups {
        // No cache holds a key whose lookup id cannot be read.
        if let Ok(lookup) = lookup.parse() {
            generations::changed(c, lookup)?;
        }
    }
    Ok(())
}

fn forget_routes(
    c: &Connection,
    gone: Removal,
    place: Realm,
    (whose, of): (&str, &Value),
) -> Result<()> {
    let webhooks = format!(
        "SELECT w.id FROM gatepost_owner o CROSS JOIN gatepost_webhook w INDEXED BY gatepost_webhook_of_owner \
         ON w.owner = o.owner WHERE o.{whose} = ?1 AND w.gone = 0 AND w.id > o.gone_webhooks LIMIT {}",
        WEBHOOKS_NAMED + 1
    );
    let change = |row: &Row<'_>| Ok(Change::Webhook(WebhookId(row.get(0)?)));
    let webhooks = c.all(&webhooks, [of], change)?;
    match (gone, webhooks.len()) {
        (_, 1..=WEBHOOKS_NAMED) => drop(changed(c, place, &webhooks)?),
        (Removal::Owner(owner), 0) => drop(changed(c, place, &[Change::Owner(owner)])?),
        _ => changed_at_large(c, place)?,
    }
    Ok(())
}
