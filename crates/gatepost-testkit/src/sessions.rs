//! The proof of a store of sessions.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_ids::{OwnerId, Realm, TenantId};
use gatepost_storage::owners::Removal;
use gatepost_storage::sessions::{EndSessions, Session, SessionDigest};
use gatepost_storage::{OwnerStore, SessionStore};

use crate::fixtures::at;

const A: OwnerId = OwnerId(1);
const B: OwnerId = OwnerId(2);

/// Proves the contract of [`SessionStore`] on a store that has no sessions yet.
///
/// # Panics
/// If the store breaks it: the message says which sentence.
pub async fn prove_sessions(store: Arc<impl SessionStore + OwnerStore>) {
    a_link_is_good_once(&store).await;
    let store = &*store;
    kept_until_its_end(store).await;
    ended_by_itself_or_with_its_owner(store).await;
    the_oldest_makes_room(store).await;
    ended_ones_are_removed(store).await;
    none_outlives_a_restore(store).await;
}

/// Number `n` of an owner, opened at `at(n)`, for a hundred seconds.
fn session(owner: OwnerId, n: u8) -> Session {
    let opened = at(n.into()) + TimeDelta::nanoseconds(1_000);
    Session {
        digest: digest(owner, n),
        owner,
        name: format!("user {n} \u{1f511}"),
        opened,
        until: opened + TimeDelta::seconds(100),
    }
}

fn digest(owner: OwnerId, n: u8) -> SessionDigest {
    let mut digest = [n; 32];
    digest[0] = owner.to_bytes()[15];
    SessionDigest(digest)
}

async fn open(store: &impl SessionStore, owner: OwnerId, n: u8) -> bool {
    let session = session(owner, n);
    store
        .open_session(&session, None, session.opened)
        .await
        .unwrap()
}

async fn open_by(
    store: &impl SessionStore,
    n: u8,
    link: SessionDigest,
    now: DateTime<Utc>,
) -> bool {
    let new = session(A, n);
    store.open_session(&new, Some(link), now).await.unwrap()
}

async fn is_open(store: &impl SessionStore, owner: OwnerId, n: u8, now: DateTime<Utc>) -> bool {
    let found = store.session(digest(owner, n), now).await.unwrap();
    found.is_some()
}

async fn end(store: &impl SessionStore, owner: OwnerId) {
    store
        .end_sessions(EndSessions::OfOwner(owner))
        .await
        .unwrap();
}

async fn kept_until_its_end(store: &impl SessionStore) {
    let stored = session(A, 1);
    assert!(open(store, A, 1).await, "a session is stored");
    let before = stored.until - TimeDelta::microseconds(1);
    let found = store.session(stored.digest, before).await.unwrap();
    assert_eq!(
        found,
        Some(stored.clone()),
        "it comes back as it was stored"
    );
    assert!(
        !is_open(store, A, 1, stored.until).await,
        "it ends when it ends"
    );
    let later = stored.until + TimeDelta::seconds(50);
    store.prolong_session(stored.digest, later).await.unwrap();
    assert!(
        is_open(store, A, 1, stored.until).await,
        "it lasts as long as it was prolonged"
    );
    assert!(!is_open(store, A, 1, later).await, "and no longer");
    end(store, A).await;
    store.prolong_session(stored.digest, later).await.unwrap();
    assert!(
        !is_open(store, A, 1, before).await,
        "an ended session is not brought back"
    );
}

async fn a_link_is_good_once(shared: &Arc<impl SessionStore>) {
    let store = &**shared;
    open(store, A, 1).await;
    let (link, now) = (digest(A, 1), at(3));
    let ended = session(A, 1).until;
    assert!(
        !open_by(store, 2, link, ended).await,
        "a link that ended opens nothing"
    );
    assert!(
        !open_by(store, 2, digest(B, 1), now).await,
        "a link that there is not opens nothing"
    );
    assert!(
        !is_open(store, A, 2, now).await,
        "a refused session is not stored"
    );
    assert!(is_open(store, A, 1, now).await, "and the link stays");
    let race = |n| {
        let store = shared.clone();
        tokio::spawn(async move { open_by(&*store, n, link, now).await })
    };
    let mut won = Vec::new();
    for racer in (2..10).map(race).collect::<Vec<_>>() {
        won.push(racer.await.unwrap());
    }
    assert_eq!(
        won.iter().filter(|won| **won).count(),
        1,
        "one of several opens a session"
    );
    for (n, won) in (2..).zip(won) {
        assert_eq!(
            is_open(store, A, n, now).await,
            won,
            "its session is stored"
        );
    }
    assert!(!is_open(store, A, 1, now).await, "the link ends with it");
    end(store, A).await;
}

async fn ended_by_itself_or_with_its_owner(store: &(impl SessionStore + OwnerStore)) {
    for owner in [A, B] {
        open(store, owner, 1).await;
        open(store, owner, 2).await;
    }
    let now = at(9);
    store
        .end_sessions(EndSessions::One(digest(A, 1)))
        .await
        .unwrap();
    store
        .end_sessions(EndSessions::One(digest(A, 9)))
        .await
        .unwrap();
    assert!(!is_open(store, A, 1, now).await, "only one ends");
    assert!(is_open(store, A, 2, now).await, "the owner's other stays");
    end(store, A).await;
    assert!(!is_open(store, A, 2, now).await, "all of an owner end");
    assert!(is_open(store, B, 2, now).await, "another owner's stay");
    let tenant = TenantId(7);
    store
        .assign_realm(B, Realm::Tenant(tenant), now)
        .await
        .unwrap();
    open(store, A, 1).await;
    store.mark_gone(Removal::Owner(A), now).await.unwrap();
    assert!(!is_open(store, A, 1, now).await, "they go with their owner");
    assert!(is_open(store, B, 2, now).await, "with nobody else");
    store.mark_gone(Removal::Tenant(tenant), now).await.unwrap();
    assert!(!is_open(store, B, 2, now).await, "they go with the tenant");
}

async fn the_oldest_makes_room(store: &impl SessionStore) {
    let most = u8::try_from(Session::MAX_OF_OWNER).unwrap();
    let of_a = (1..=most).map(|n| (A, n));
    for (owner, n) in of_a.chain([(B, 1)]) {
        let session = Session {
            until: at(500),
            ..session(owner, n)
        };
        store.open_session(&session, None, at(9)).await.unwrap();
    }
    assert!(is_open(store, A, 1, at(9)).await, "as many as there may be");
    open(store, A, most + 1).await;
    assert!(!is_open(store, A, 1, at(9)).await, "the oldest ends");
    assert!(is_open(store, A, 2, at(9)).await, "and no other");
    assert!(is_open(store, B, 1, at(9)).await, "nor another owner's");
    end(store, A).await;
    end(store, B).await;
}

async fn ended_ones_are_removed(store: &impl SessionStore) {
    for n in 1..=3 {
        open(store, B, n).await;
    }
    let now = session(B, 2).until;
    store.open_session(&session(A, 9), None, now).await.unwrap();
    let was = at(0);
    assert!(!is_open(store, B, 1, was).await, "what ended is removed");
    assert!(!is_open(store, B, 2, was).await, "also what ends now");
    assert!(is_open(store, B, 3, was).await, "what has not ended stays");
    end(store, A).await;
    end(store, B).await;
}

async fn none_outlives_a_restore(store: &(impl SessionStore + OwnerStore)) {
    open(store, A, 1).await;
    open(store, B, 1).await;
    OwnerStore::restored(store, at(9)).await.unwrap();
    for owner in [A, B] {
        assert!(!is_open(store, owner, 1, at(9)).await, "a restore ends all");
    }
}
