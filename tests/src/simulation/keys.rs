//! Actions of users on their API keys.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use apikey_core::{KeyDraft, KeyId, Overlap, RevealOnce};
use chrono::{DateTime, TimeDelta, Utc};
use gatepost_ids::{AccessLevel, Account, OwnerId, TenantId};
use gatepost_keys::{Denied, KeyService, Principal, Via};
use gatepost_storage::Clock as _;

use super::clock::VirtualClock;
use super::ledger::Ledger;
use super::stage::Stage;

/// A key, as its user knows it.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub owner: u128,
    pub id: KeyId,
    pub text: String,
    pub ends: Ends,
}

/// The time until which a key is valid, by the clock of the process that rolled it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Ends {
    Never,
    /// A roll of it was requested and not answered: the result is unknown.
    Unknown,
    /// It was rolled: it is valid until the first moment, and invalid from the second on.
    Between(DateTime<Utc>, DateTime<Utc>),
}

/// A presented key. Times are those of the process that was asked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use {
    pub owner: u128,
    /// The earlier and the later of the times of request and answer: a clock may jump.
    pub between: [DateTime<Utc>; 2],
    /// The knowledge about the key before the request, and after it.
    pub known: [Ends; 2],
    /// The owner, if the key is valid. An answer that says neither is not recorded.
    pub good_for: Option<u128>,
}

/// One process that answers about keys.
struct Door {
    keys: KeyService,
    clock: Arc<VirtualClock>,
    ledger: Arc<Ledger>,
}

impl Stage {
    /// Sends requests to the keys of a process while everything else runs.
    fn ask_keys<F>(&self, process: u8, ask: impl FnOnce(Door) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        if let Some(process) = self.cluster.process(process) {
            tokio::spawn(ask(Door {
                keys: process.keys.clone(),
                clock: process.clock.clone(),
                ledger: self.ledger.clone(),
            }));
        }
    }

    /// Rolls a user's newest key, or makes one if nobody knows whether that was rolled.
    pub(super) fn roll_key(&self, process: u8, user: u128, overlap: u16) {
        self.ask_keys(process, async move |door: Door| {
            let Door { keys, ledger, .. } = &door;
            let Some((index, old)) = ledger.newest_key(user) else {
                return create(keys, ledger, user).await;
            };
            ledger.key_ends(index, Ends::Unknown);
            let (overlap, began) = (i64::from(overlap), door.clock.now());
            let spoken = Overlap::seconds(overlap).unwrap();
            if let Ok((row, reveal)) = keys.roll(&principal(user), old.id, spoken).await {
                let [first, last] = door.since(began);
                let overlap = TimeDelta::seconds(overlap);
                ledger.key_ends(index, Ends::Between(first + overlap, last + overlap));
                ledger.has_key(user, row.id, reveal);
            }
        });
    }

    /// Presents the newest keys of a user to two processes.
    pub(super) fn use_keys(&self, process: u8, user: u128) {
        for process in [process, process.wrapping_add(1)] {
            for index in self.ledger.newest_keys(user, 4) {
                self.ask_keys(process, async move |door: Door| door.present(index).await);
            }
        }
    }
}

impl Door {
    async fn present(&self, index: usize) {
        let (key, began) = (self.ledger.key(index), self.clock.now());
        let header = format!("Bearer {}", key.text);
        let address = self.ledger.nth_address();
        let answer = self.keys.authenticate([header.as_bytes()], address).await;
        let good_for = match answer {
            Ok(principal) => Some(principal.owner.0),
            Err(Denied::Unauthenticated) => None,
            Err(_) => return,
        };
        self.ledger.uses.lock().unwrap().push(Use {
            owner: key.owner,
            between: self.since(began),
            known: [key.ends, self.ledger.key(index).ends],
            good_for,
        });
    }

    /// Returns then and now, by this process's clock.
    fn since(&self, then: DateTime<Utc>) -> [DateTime<Utc>; 2] {
        let now = self.clock.now();
        [then.min(now), then.max(now)]
    }
}

/// Creates a key of a user; none if that fails.
pub(super) async fn create(keys: &KeyService, ledger: &Ledger, user: u128) {
    let name = format!("k{}", ledger.nth_creation()).parse().unwrap();
    let draft = KeyDraft::new(OwnerId(user), name);
    if let Ok((row, reveal)) = keys.create(&principal(user), draft).await {
        ledger.has_key(user, row.id, reveal);
    }
}

fn principal(user: u128) -> Principal {
    let account = Account::enabled(AccessLevel::User).in_tenant(TenantId(user / 10));
    Principal::new(OwnerId(user), account, Via::Platform)
}

impl Ledger {
    pub(super) fn has_key(&self, owner: u128, id: KeyId, reveal: RevealOnce) {
        let text = reveal.reveal().as_str().to_owned();
        self.keys.lock().unwrap().push(Known {
            owner,
            id,
            text,
            ends: Ends::Never,
        });
    }

    fn key(&self, index: usize) -> Known {
        self.keys.lock().unwrap()[index].clone()
    }

    fn key_ends(&self, index: usize, ends: Ends) {
        self.keys.lock().unwrap()[index].ends = ends;
    }

    /// Returns the newest key of a user that was not rolled, as far as is known.
    fn newest_key(&self, user: u128) -> Option<(usize, Known)> {
        let index = *self.newest_keys(user, 1).first()?;
        let key = self.key(index);
        (key.ends == Ends::Never).then_some((index, key))
    }

    fn newest_keys(&self, user: u128, most: usize) -> Vec<usize> {
        let keys = self.keys.lock().unwrap();
        let all = keys.iter().enumerate().rev();
        let own = all.filter(|(_, key)| key.owner == user);
        own.take(most).map(|(index, _)| index).collect()
    }

    /// Returns another address for each key: nobody guesses here.
    fn nth_address(&self) -> IpAddr {
        let uses = self.nth_creation();
        Ipv4Addr::from_bits(0x0B00_0000 + u32::try_from(uses).unwrap()).into()
    }
}
