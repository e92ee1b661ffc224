//! Sessions of users who opened the console by a link.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_storage::SessionStore;
use gatepost_storage::sessions::{EndSessions, Session, SessionDigest};
use tokio_postgres::Row;
use uuid::Uuid;

use crate::column::{self, without_nul};
use crate::db::Param;
use crate::error::{Answer, Result};
use crate::store::PostgresStore;

const OPEN: &str = sql!("sessions/open");
const FIND: &str = "SELECT owner, name, opened, until FROM :schema.gatepost_session WHERE digest = $1 AND until > $2";
const PROLONG: &str = "UPDATE :schema.gatepost_session SET until = $2 WHERE digest = $1";
const END: &str = "DELETE FROM :schema.gatepost_session WHERE digest = $1";
const END_OF_OWNER: &str = "DELETE FROM :schema.gatepost_session WHERE owner = $1";
/// The number of an owner's sessions that stay when one is opened.
const STAY: i64 = Session::MAX_OF_OWNER as i64 - 1;
const REMOVED: i64 = Session::REMOVED_AT_ONCE as i64;

#[async_trait]
impl SessionStore for PostgresStore {
    async fn open_session(
        &self,
        session: &Session,
        link: Option<SessionDigest>,
        now: DateTime<Utc>,
    ) -> Answer<bool> {
        let (digest, link) = (session.digest.0.as_slice(), link.map(|link| link.0));
        let (owner, name) = (Uuid::from(session.owner), without_nul(&session.name));
        let link = link.as_ref().map(<[u8; 32]>::as_slice);
        let params: [Param<'_>; 9] = [
            &digest,
            &owner,
            &name,
            &session.opened,
            &session.until,
            &link,
            &now,
            &STAY,
            &REMOVED,
        ];
        Ok(!self.db().query(OPEN, &params).await?.is_empty())
    }

    async fn session(&self, digest: SessionDigest, now: DateTime<Utc>) -> Answer<Option<Session>> {
        let key = digest.0.as_slice();
        let row = self.db().query_opt(FIND, &[&key, &now]).await?;
        Ok(row.map(|row| read(digest, &row)).transpose()?)
    }

    async fn prolong_session(&self, digest: SessionDigest, until: DateTime<Utc>) -> Answer<()> {
        self.db()
            .execute(PROLONG, &[&digest.0.as_slice(), &until])
            .await?;
        Ok(())
    }

    async fn end_sessions(&self, which: EndSessions) -> Answer<()> {
        match which {
            EndSessions::One(digest) => self.db().execute(END, &[&digest.0.as_slice()]).await?,
            EndSessions::OfOwner(owner) => {
                self.db()
                    .execute(END_OF_OWNER, &[&Uuid::from(owner)])
                    .await?
            }
        };
        Ok(())
    }
}

fn read(digest: SessionDigest, row: &Row) -> Result<Session> {
    Ok(Session {
        digest,
        owner: column::owner(row, "owner")?,
        name: row.try_get("name")?,
        opened: row.try_get("opened")?,
        until: row.try_get("until")?,
    })
}
