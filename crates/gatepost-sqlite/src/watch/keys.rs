//! The shards of keys as this process knows them: read once after a commit that moved one, however
//! many requests present keys from it.

use apikey_core::LookupId;
use gatepost_storage::RecentChanges;
use gatepost_storage::keys::{KeyChanges, KeyGeneration, KeyShard};
use rusqlite::{Connection, Row};

use crate::error::Result;
use crate::sql::Sql as _;
use crate::version;

const PRESENT: &str = "SELECT generation, (SELECT max(version) FROM gatepost_schema)
    FROM gatepost_key_generation";
const SHARDS: &str = "SELECT shard, generation FROM gatepost_key_shard";

#[derive(Debug)]
pub(super) struct Keys {
    /// The generation of the file at the last read; `None` before the first.
    generation: Option<i64>,
    shards: [i64; KeyShard::COUNT],
    recent: RecentChanges,
}

impl Keys {
    pub(super) fn new() -> Self {
        Self {
            generation: None,
            shards: [0; KeyShard::COUNT],
            recent: RecentChanges::new(),
        }
    }

    /// Reads the commits of all processes since the last call. If no key was changed, that costs a
    /// read of one row.
    pub(super) fn follow(&mut self, c: &Connection) -> Result<()> {
        let (present, version): (i64, u32) = c.one(PRESENT, [], |row| Ok(row.try_into()?))?;
        version::judge(version)?;
        let known = self.generation;
        if known == Some(present) {
            return Ok(());
        }
        // An error may leave the state partly read.
        self.generation = None;
        let passed = known.and_then(|known| usize::try_from(present - known).ok());
        let read = match (known, passed) {
            (Some(known), Some(passed)) if passed <= RecentChanges::KEPT => self.add(c, known)?,
            // The first time, after more changes than are remembered, and in a restored file.
            _ => self.read(c, present)?,
        };
        self.generation = Some(read.max(present));
        Ok(())
    }

    pub(super) fn generation(&self, shard: KeyShard) -> Option<KeyGeneration> {
        let generation = self.shards.get(usize::from(shard.0));
        generation.map(|generation| KeyGeneration(*generation))
    }

    /// Returns the changes in a shard; `None` if the file must be read.
    pub(super) fn changes(&self, shard: KeyShard, since: KeyGeneration) -> Option<KeyChanges> {
        self.recent.since(shard, since)
    }

    /// Adds the changes after `known`; returns the generation up to which they were read.
    fn add(&mut self, c: &Connection, known: i64) -> Result<i64> {
        let mut changes = Vec::new();
        let mut statement = c.prepare_cached(sql!("keys/moved"))?;
        let mut rows = statement.query([known])?;
        let mut up_to = known;
        while let Some(row) = rows.next()? {
            up_to = up_to.max(self.put(row)?);
            let at: Option<i64> = row.get("changed")?;
            // A change that cannot be read is left out, so nothing is known of its time.
            let lookup = row.get_ref("lookup")?.as_str().ok();
            if let (Some(at), Some(Ok(lookup))) = (at, lookup.map(str::parse::<LookupId>)) {
                changes.push((KeyGeneration(at), lookup));
            }
        }
        changes.sort_unstable_by_key(|(at, _)| *at);
        let since = KeyGeneration(known);
        self.recent.add(since, KeyGeneration(up_to), &changes);
        Ok(up_to)
    }

    /// Reads all shards; later changes are remembered from here on.
    fn read(&mut self, c: &Connection, present: i64) -> Result<i64> {
        c.all(SHARDS, [], |row| self.put(row))?;
        self.recent = RecentChanges::new();
        let now = KeyGeneration(present);
        self.recent.add(now, now, &[]);
        Ok(present)
    }

    fn put(&mut self, row: &Row<'_>) -> Result<i64> {
        let (shard, generation): (u8, i64) = (row.get("shard")?, row.get("generation")?);
        if let Some(known) = self.shards.get_mut(usize::from(shard)) {
            *known = generation;
        }
        Ok(generation)
    }
}
