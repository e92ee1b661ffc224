//! The proof of a store of sessions: what is right passes, and each wrong store does not.

use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use gatepost_ids::{OwnerId, Realm};
use gatepost_kv::MemoryStore;
use gatepost_storage::owners::{OwnerFilter, OwnerRow, OwnerUsage, Removal};
use gatepost_storage::sessions::{EndSessions, Session, SessionDigest};
use gatepost_storage::{OwnerStore, SessionStore, StoreError};
use gatepost_testkit::{block_on, prove_sessions};

type Result<T> = std::result::Result<T, StoreError>;

const FAULTS: [Fault; 15] = [
    Fault::CutsNames,
    Fault::FindsEnded,
    Fault::ProlongsNothing,
    Fault::ProlongsForEver,
    Fault::BringsBack,
    Fault::KeepsLinks,
    Fault::AsksForNoLink,
    Fault::TakesEndedLinks,
    Fault::EndsAllOfOne,
    Fault::EndsNone,
    Fault::EndsEverybody,
    Fault::KeepsRemovedOwners,
    Fault::KeepsTenants,
    Fault::KeepsAll,
    Fault::KeepsRestored,
];

/// A mistake of a store.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Fault {
    CutsNames,
    FindsEnded,
    ProlongsNothing,
    ProlongsForEver,
    BringsBack,
    KeepsLinks,
    AsksForNoLink,
    TakesEndedLinks,
    EndsAllOfOne,
    EndsNone,
    EndsEverybody,
    KeepsRemovedOwners,
    KeepsTenants,
    KeepsAll,
    KeepsRestored,
}

/// The store in memory with one fault.
#[derive(Debug)]
struct Wrong {
    inner: MemoryStore,
    fault: Fault,
    /// The sessions that were opened, for what is done to all of them.
    opened: std::sync::Mutex<Vec<Session>>,
}

impl Wrong {
    fn has(&self, fault: Fault) -> bool {
        self.fault == fault
    }

    /// Stores again what was open before a call.
    async fn put_back(&self, of: impl Fn(&Session) -> bool + Send) -> Result<()> {
        let opened = self.opened.lock().unwrap().clone();
        for session in opened.into_iter().filter(of) {
            let before = session.opened - TimeDelta::days(1);
            self.inner
                .end_sessions(EndSessions::One(session.digest))
                .await?;
            self.inner.open_session(&session, None, before).await?;
        }
        Ok(())
    }
}

#[async_trait]
impl SessionStore for Wrong {
    async fn open_session(
        &self,
        session: &Session,
        link: Option<SessionDigest>,
        now: DateTime<Utc>,
    ) -> Result<bool> {
        let mut session = session.clone();
        if self.has(Fault::CutsNames) {
            session.name.pop();
        }
        let now = match self.fault {
            Fault::TakesEndedLinks if link.is_some() => now - TimeDelta::days(1),
            Fault::KeepsAll => now - TimeDelta::days(1),
            _ => now,
        };
        let kept = match link {
            Some(link) if self.has(Fault::KeepsLinks) => self.inner.session(link, now).await?,
            _ => None,
        };
        let link = link.filter(|_| !self.has(Fault::AsksForNoLink));
        let opened = self.inner.open_session(&session, link, now).await?;
        if let Some(kept) = kept {
            self.inner.open_session(&kept, None, now).await?;
        }
        if opened {
            self.opened.lock().unwrap().push(session);
        }
        Ok(opened)
    }

    async fn session(&self, digest: SessionDigest, now: DateTime<Utc>) -> Result<Option<Session>> {
        let now = match self.fault {
            Fault::FindsEnded => now - TimeDelta::seconds(1),
            _ => now,
        };
        self.inner.session(digest, now).await
    }

    async fn prolong_session(&self, digest: SessionDigest, until: DateTime<Utc>) -> Result<()> {
        match self.fault {
            Fault::ProlongsNothing => return Ok(()),
            Fault::BringsBack => self.put_back(|session| session.digest == digest).await?,
            _ => {}
        }
        let more = TimeDelta::seconds(i64::from(self.has(Fault::ProlongsForEver)));
        self.inner.prolong_session(digest, until + more).await
    }

    async fn end_sessions(&self, which: EndSessions) -> Result<()> {
        let opened = self.opened.lock().unwrap().clone();
        match (self.fault, which) {
            (Fault::EndsNone, EndSessions::OfOwner(_)) => return Ok(()),
            (Fault::EndsEverybody, EndSessions::OfOwner(_)) => {
                for session in opened {
                    let all = EndSessions::OfOwner(session.owner);
                    self.inner.end_sessions(all).await?;
                }
                return Ok(());
            }
            (Fault::EndsAllOfOne, EndSessions::One(digest)) => {
                for session in opened.into_iter().filter(|s| s.digest == digest) {
                    let all = EndSessions::OfOwner(session.owner);
                    self.inner.end_sessions(all).await?;
                }
                return Ok(());
            }
            _ => {}
        }
        self.inner.end_sessions(which).await
    }
}

#[async_trait]
impl OwnerStore for Wrong {
    async fn owner(&self, owner: OwnerId) -> Result<Option<OwnerRow>> {
        self.inner.owner(owner).await
    }

    async fn usage(&self, owner: OwnerId) -> Result<OwnerUsage> {
        self.inner.usage(owner).await
    }

    async fn set_owner(
        &self,
        owner: OwnerId,
        realm: Option<Realm>,
        suspended: Option<bool>,
        now: DateTime<Utc>,
    ) -> Result<()> {
        self.inner.set_owner(owner, realm, suspended, now).await
    }

    async fn list_owners(
        &self,
        which: OwnerFilter,
        after: Option<OwnerId>,
        limit: u32,
    ) -> Result<Vec<OwnerRow>> {
        self.inner.list_owners(which, after, limit).await
    }

    async fn mark_gone(&self, gone: Removal, now: DateTime<Utc>) -> Result<()> {
        self.inner.mark_gone(gone, now).await?;
        match (self.fault, gone) {
            (Fault::KeepsRemovedOwners, Removal::Owner(owner)) => {
                self.put_back(|session| session.owner == owner).await
            }
            (Fault::KeepsTenants, Removal::Tenant(_)) => {
                self.put_back(|session| session.owner != OwnerId(1)).await
            }
            _ => Ok(()),
        }
    }

    async fn remove_gone(&self, limit: u32, now: DateTime<Utc>) -> Result<u64> {
        self.inner.remove_gone(limit, now).await
    }

    async fn restored(&self, now: DateTime<Utc>) -> Result<()> {
        OwnerStore::restored(&self.inner, now).await?;
        match self.fault {
            Fault::KeepsRestored => self.put_back(|session| session.until > now).await,
            _ => Ok(()),
        }
    }

    async fn lease(
        &self,
        name: &str,
        holder: u128,
        until: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<bool> {
        self.inner.lease(name, holder, until, now).await
    }
}

#[test]
fn sessions_of_memory_store_keep_contract() {
    block_on(prove_sessions(Arc::new(MemoryStore::new())));
}

#[test]
fn each_wrong_store_of_sessions_is_found() {
    let passes = |fault| {
        let wrong = Wrong {
            inner: MemoryStore::new(),
            fault,
            opened: std::sync::Mutex::default(),
        };
        let proof = std::thread::spawn(move || block_on(prove_sessions(Arc::new(wrong))));
        proof.join().is_ok()
    };
    let missed: Vec<Fault> = FAULTS.into_iter().filter(|fault| passes(*fault)).collect();
    assert_eq!(missed, [], "these pass");
}
