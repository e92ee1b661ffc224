//! Sessions of users who opened the console by a link.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_ids::OwnerId;
use gatepost_storage::sessions::{EndSessions, Session, SessionDigest};
use gatepost_storage::{SessionStore, StoreError};

use super::error::{Outcome, damaged};
use super::key::{Key, micros};
use super::kv_store::KvStore;
use super::tables::{SESSION_BY_END, SESSION_OF_OWNER, SESSIONS};
use super::tx::{Tx, keys_in, row};
use crate::contract::View;
use crate::key_range::KeyRange;

/// As many as an owner may have, and as are ended at a time.
const MOST: usize = Session::MAX_OF_OWNER as usize;
const REMOVED: usize = Session::REMOVED_AT_ONCE as usize;

#[async_trait]
impl SessionStore for KvStore {
    async fn open_session(
        &self,
        session: &Session,
        link: Option<SessionDigest>,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError> {
        let session = Session {
            opened: micros(session.opened),
            until: micros(session.until),
            ..session.clone()
        };
        self.write(move |tx| {
            if let Some(link) = link {
                let Some(link) = find(tx, link)?.filter(|link| link.until > now) else {
                    return Ok(false);
                };
                remove(tx, &link)?;
            }
            // Also what ends now.
            let ended = KeyRange::between([], Key::new().time(now).byte(u8::MAX));
            for key in keys_in(tx, SESSION_BY_END, &ended, REMOVED)? {
                remove_of(tx, &key)?;
            }
            let own = KeyRange::prefix(Key::new().owner(session.owner));
            let own = keys_in(tx, SESSION_OF_OWNER, &own, MOST)?;
            if let (Some(oldest), MOST) = (own.first(), own.len()) {
                remove_of(tx, oldest)?;
            }
            put(tx, &session)?;
            Ok(true)
        })
        .await
    }

    async fn session(
        &self,
        digest: SessionDigest,
        now: DateTime<Utc>,
    ) -> Result<Option<Session>, StoreError> {
        self.read(move |view| Ok(find(view, digest)?.filter(|session| session.until > now)))
            .await
    }

    async fn prolong_session(
        &self,
        digest: SessionDigest,
        until: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        self.write(move |tx| {
            if let Some(mut session) = find(tx, digest)? {
                tx.delete(SESSION_BY_END, by_end(&session).bytes())?;
                session.until = micros(until);
                put(tx, &session)?;
            }
            Ok(())
        })
        .await
    }

    async fn end_sessions(&self, which: EndSessions) -> Result<(), StoreError> {
        self.write(move |tx| match which {
            EndSessions::One(digest) => match find(tx, digest)? {
                Some(session) => remove(tx, &session),
                None => Ok(()),
            },
            EndSessions::OfOwner(owner) => end_of(tx, owner),
        })
        .await
    }
}

/// Ends all of an owner's.
pub(super) fn end_of(tx: &mut Tx<'_>, owner: OwnerId) -> Outcome<()> {
    let own = KeyRange::prefix(Key::new().owner(owner));
    for key in keys_in(tx, SESSION_OF_OWNER, &own, usize::MAX)? {
        remove_of(tx, &key)?;
    }
    Ok(())
}

/// Ends some of all; `false` once there are none.
pub(super) fn end_some(tx: &mut Tx<'_>) -> Outcome<bool> {
    let some = keys_in(tx, SESSION_BY_END, &KeyRange::all(), MOST)?;
    for key in &some {
        remove_of(tx, key)?;
    }
    Ok(!some.is_empty())
}

fn find(view: &dyn View, digest: SessionDigest) -> Outcome<Option<Session>> {
    row(view, SESSIONS, &digest.0)
}

fn put(tx: &mut Tx<'_>, session: &Session) -> Outcome<()> {
    tx.put_row(SESSIONS, &session.digest.0, session)?;
    tx.put(SESSION_OF_OWNER, of_owner(session).bytes(), &[])?;
    tx.put(SESSION_BY_END, by_end(session).bytes(), &[])
}

/// The session whose digest ends this key of an index.
fn remove_of(tx: &mut Tx<'_>, key: &[u8]) -> Outcome<()> {
    let digest = key.last_chunk().ok_or_else(|| damaged("a session's key"))?;
    match find(tx, SessionDigest(*digest))? {
        Some(session) => remove(tx, &session),
        None => Ok(()),
    }
}

fn remove(tx: &mut Tx<'_>, session: &Session) -> Outcome<()> {
    tx.delete(SESSIONS, &session.digest.0)?;
    tx.delete(SESSION_OF_OWNER, of_owner(session).bytes())?;
    tx.delete(SESSION_BY_END, by_end(session).bytes())
}

fn of_owner(session: &Session) -> Key {
    let key = Key::new().owner(session.owner).time(session.opened);
    key.raw(&session.digest.0)
}

fn by_end(session: &Session) -> Key {
    Key::new().time(session.until).raw(&session.digest.0)
}
