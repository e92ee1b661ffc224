//! Sessions of users who opened the console by a link.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_storage::SessionStore;
use gatepost_storage::sessions::{EndSessions, Session, SessionDigest};
use rusqlite::{Connection, Row, params};

use crate::column::{self, micros};
use crate::error::{Answer, Result};
use crate::named::Named;
use crate::sql::Sql as _;
use crate::store::SqliteStore;

#[async_trait]
impl SessionStore for SqliteStore {
    async fn open_session(
        &self,
        session: &Session,
        link: Option<SessionDigest>,
        now: DateTime<Utc>,
    ) -> Answer<bool> {
        let session = session.clone();
        self.write(move |c| open(c, &session, link, now)).await
    }

    async fn session(&self, digest: SessionDigest, now: DateTime<Utc>) -> Answer<Option<Session>> {
        self.read(move |c| {
            let sql = "SELECT owner, name, opened, until FROM gatepost_session WHERE digest = ?1 AND until > ?2";
            c.first(sql, params![digest.0, micros(now)], |row| read(digest, row))
        })
        .await
    }

    async fn prolong_session(&self, digest: SessionDigest, until: DateTime<Utc>) -> Answer<()> {
        self.write(move |c| {
            let sql = "UPDATE gatepost_session SET until = ?2 WHERE digest = ?1";
            c.run(sql, params![digest.0, micros(until)])
        })
        .await
    }

    async fn end_sessions(&self, which: EndSessions) -> Answer<()> {
        self.write(move |c| {
            let delete = "DELETE FROM gatepost_session WHERE";
            match which {
                EndSessions::One(digest) => c.run(&format!("{delete} digest = ?1"), [digest.0]),
                EndSessions::OfOwner(owner) => {
                    c.run(&format!("{delete} owner = ?1"), [owner.to_bytes()])
                }
            }
        })
        .await
    }
}

fn open(
    c: &Connection,
    session: &Session,
    link: Option<SessionDigest>,
    now: DateTime<Utc>,
) -> Result<bool> {
    if let Some(link) = link {
        let take = "DELETE FROM gatepost_session WHERE digest = ?1 AND until > ?2";
        if c.changed(take, params![link.0, micros(now)])? == 0 {
            return Ok(false);
        }
    }
    let owner = session.owner.to_bytes();
    let sql = sql!("sessions/remove_ended");
    c.run(sql, params![micros(now), Session::REMOVED_AT_ONCE])?;
    let sql = sql!("sessions/remove_oldest");
    c.run(sql, params![owner, Session::MAX_OF_OWNER - 1])?;
    let put = "INSERT INTO gatepost_session (digest, owner, name, opened, until) VALUES (?1, ?2, ?3, ?4, ?5)";
    c.prepare_cached(put)?.execute(params![
        session.digest.0,
        owner,
        session.name,
        micros(session.opened),
        micros(session.until)
    ])?;
    Ok(true)
}

fn read(digest: SessionDigest, row: &Row<'_>) -> Result<Session> {
    let row = &Named::of(row);
    Ok(Session {
        digest,
        owner: column::owner(row, "owner")?,
        name: row.get("name")?,
        opened: column::time(row, "opened")?,
        until: column::time(row, "until")?,
    })
}
