//! Compares the platform's answers about owners with the stored rows, and stores differences. Other
//! processes find them there: the versions of the realms move with them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gatepost_ids::{OwnerId, Realm};
use gatepost_storage::StoreError;
use gatepost_storage::webhooks::WebhookStore;
use tokio::sync::Semaphore;

use crate::access::accounts::{AccountBook, Answer, News, Standing};
use crate::access::timed_cache::TimedCache;
use crate::clock::EngineClock;
use crate::guard::guarded;
use crate::lifecycle::Lifecycle;

/// How long a stored row is remembered.
const KEPT: Duration = Duration::from_secs(5);
/// The number of owners for which it is remembered.
pub(super) const MOST: usize = 65_536;
/// Owners who are compared with the store concurrently.
const AT_ONCE: usize = 16;
/// The pause before the store is asked again after it failed.
const PAUSE: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(in crate::access) struct Owners {
    pub(super) store: Arc<dyn WebhookStore>,
    pub(in crate::access) clock: Arc<EngineClock>,
    pub(super) book: Arc<AccountBook>,
    pub(in crate::access) lifecycle: Lifecycle,
    /// The number under which this process holds leases.
    pub(super) holder: u128,
    /// The count of unplaced owners; not 0 until they were counted.
    pub(super) unplaced: AtomicU64,
    /// Counts owners who were suspended and are released.
    freed: AtomicU64,
    stored: Mutex<TimedCache<OwnerId, Stored>>,
    news: tokio::sync::Mutex<News>,
}

/// The stored row of an owner.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Stored {
    place: Realm,
    held: bool,
    /// Whether there is a row.
    known: bool,
}

impl Owners {
    pub(in crate::access) fn new(
        store: Arc<dyn WebhookStore>,
        clock: Arc<EngineClock>,
        (book, news): (Arc<AccountBook>, News),
        lifecycle: Lifecycle,
        holder: u128,
    ) -> Self {
        let unplaced = AtomicU64::new(u64::from(!book.one_system));
        Self {
            store,
            clock,
            book,
            lifecycle,
            holder,
            unplaced,
            freed: AtomicU64::new(0),
            stored: Mutex::new(TimedCache::new(KEPT, MOST)),
            news: tokio::sync::Mutex::new(news),
        }
    }

    /// Returns the count of owners that are not placed yet.
    pub(in crate::access) fn unplaced(&self) -> u64 {
        self.unplaced.load(Ordering::Relaxed)
    }

    /// Returns how many owners were released here: their pending deliveries can be sent.
    pub(in crate::access) fn freed(&self) -> u64 {
        self.freed.load(Ordering::Relaxed)
    }

    /// Returns the realm of this owner's records. The platform is asked if the store does not know;
    /// `Err` gives the reason for no answer.
    pub(in crate::access) async fn place(
        &self,
        owner: OwnerId,
    ) -> Result<Result<Realm, Arc<str>>, StoreError> {
        let stored = self.stored(owner).await?;
        if stored.place != Realm::Shared || self.book.one_system {
            return Ok(Ok(stored.place));
        }
        match self.book.wait(owner).await {
            Ok(Some(standing)) => {
                self.settle(owner, Some(standing), false).await?;
                Ok(Ok(standing.place(owner)))
            }
            // An occurrence for a user who does not exist can be received only by system
            // administrators.
            Ok(None) => Ok(Ok(Realm::Solo(owner))),
            Err(error) => Ok(Err(error)),
        }
    }

    /// Returns the owner's realm as the store says, remembered for a while.
    pub(in crate::access) async fn stood(&self, owner: OwnerId) -> Result<Realm, StoreError> {
        Ok(self.stored(owner).await?.place)
    }

    /// Assigns, moves, suspends or releases the owner if the stored row differs. An owner who is
    /// known to have records is suspended even if the store has no row. `false`: the platform did
    /// not confirm a move.
    pub(in crate::access) async fn settle(
        &self,
        owner: OwnerId,
        standing: Option<Standing>,
        has_records: bool,
    ) -> Result<bool, StoreError> {
        let mut stored = self.stored(owner).await?;
        if self.wanted(owner, standing, stored) != stored {
            // Another process may have stored it since it was read here.
            self.lock().forget(owner);
            stored = self.stored(owner).await?;
        }
        if standing.is_none() && !stored.known && !has_records {
            // Perhaps the platform never had such a user: the table must not get a row for each
            // number.
            return Ok(true);
        }
        let Some(standing) = self.confirmed(owner, standing, stored).await else {
            return Ok(false);
        };
        self.write(owner, standing, stored).await?;
        Ok(true)
    }

    /// Stores changed answers of the platform, until the engine stops. Several concurrently: an
    /// answer may have to be confirmed, which takes as long as the platform does.
    pub(in crate::access) async fn settle_news(self: Arc<Self>) {
        let mut news = self.news.lock().await;
        let room = Arc::new(Semaphore::new(AT_ONCE));
        while let Ok(permit) = room.clone().acquire_owned().await {
            let owner = tokio::select! {
                biased;
                () = self.lifecycle.stopped() => None,
                owner = news.recv() => owner,
            };
            let Some(owner) = owner else {
                return;
            };
            let owners = self.clone();
            self.lifecycle.spawn(async move {
                owners.settle_known(owner).await;
                drop(permit);
            });
        }
    }

    async fn settle_known(&self, owner: OwnerId) {
        let Some(Ok(standing)) = self.book.known(owner) else {
            return;
        };
        if let Err(error) = self.settle(owner, standing, false).await {
            guarded(|| tracing::warn!(%owner, %error, "could not settle an owner"));
            self.lifecycle.rest(PAUSE).await;
        }
    }

    /// Returns the answer that is stored. A move ends pending deliveries, so it needs a second
    /// answer, asked for after the row was read: another process may have stored a newer one.
    async fn confirmed(
        &self,
        owner: OwnerId,
        standing: Option<Standing>,
        stored: Stored,
    ) -> Option<Option<Standing>> {
        let place = self.place_of(owner, standing, stored);
        if stored.place == place || stored.place == Realm::Shared {
            return Some(standing);
        }
        let again: Answer = self.book.ask_again(owner).await;
        again
            .ok()
            .filter(|again| self.place_of(owner, *again, stored) == place)
    }

    async fn write(
        &self,
        owner: OwnerId,
        standing: Option<Standing>,
        stored: Stored,
    ) -> Result<(), StoreError> {
        let wanted = self.wanted(owner, standing, stored);
        let now = self.clock.now()?;
        if wanted.place != stored.place {
            self.store.assign_realm(owner, wanted.place, now).await?;
        }
        if wanted.held != stored.held {
            self.store.hold_owner(owner, wanted.held, now).await?;
            self.freed
                .fetch_add(u64::from(stored.held), Ordering::Relaxed);
        }
        let known = stored.known || wanted != stored;
        self.lock().put(owner, Stored { known, ..wanted }, KEPT);
        self.book.settled(owner, standing);
        Ok(())
    }

    /// The row that the store should have.
    fn wanted(&self, owner: OwnerId, standing: Option<Standing>, stored: Stored) -> Stored {
        Stored {
            place: self.place_of(owner, standing, stored),
            held: !standing.is_some_and(|standing| standing.enabled),
            known: stored.known,
        }
    }

    /// An owner unknown to the platform stays in the same realm.
    fn place_of(&self, owner: OwnerId, standing: Option<Standing>, stored: Stored) -> Realm {
        match standing {
            Some(standing) if !self.book.one_system => standing.place(owner),
            _ => stored.place,
        }
    }

    async fn stored(&self, owner: OwnerId) -> Result<Stored, StoreError> {
        let kept = self.lock().get(owner).copied();
        if let Some(stored) = kept {
            return Ok(stored);
        }
        let row = self.store.owner(owner).await?;
        let stored = Stored {
            place: row.map_or(Realm::Shared, |row| row.realm),
            held: row.is_some_and(|row| row.suspended),
            known: row.is_some(),
        };
        self.lock().put(owner, stored, KEPT);
        Ok(stored)
    }

    fn lock(&self) -> MutexGuard<'_, TimedCache<OwnerId, Stored>> {
        self.stored.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    pub(in crate::access) fn count(&self) -> usize {
        self.lock().count()
    }
}
