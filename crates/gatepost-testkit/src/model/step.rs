//! The calls on a webhook store. Rows are named by small numbers that each side turns into its own
//! row numbers.

use proptest::collection::vec;
use proptest::prelude::*;

/// The number of realms: `Shared`, two tenants, `System`, and one for each single owner.
pub(super) const PLACES: u8 = 5;

/// A call, and the seconds since the previous one.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) after: u8,
    pub(super) call: Call,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum From {
    Direct,
    Occurrence(u8),
    Outbox(u8, Option<u8>, Option<u8>),
}

/// The precondition of an enqueue: none, the present versions of these realms, an old one of this
/// realm, or the revisions of a task and an event, of which that of the event may be wrong.
#[derive(Clone, Debug)]
pub(super) enum Seen {
    None,
    Present(Vec<u8>),
    Old(u8),
    Rows { number: u8, old: bool },
}

#[derive(Clone, Copy, Debug)]
pub(super) enum End {
    Sent,
    Failed,
    Retry(u8),
    Release(u8),
}

/// The end of a claim of delivery `of`, under the token of that many claims ago.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ending {
    pub(super) of: u8,
    pub(super) claims_ago: u8,
    pub(super) end: End,
    pub(super) attempted: bool,
    pub(super) kept: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Call {
    Enqueue {
        webhooks: Vec<u8>,
        again: Option<u8>,
        leased: bool,
        from: From,
        seen: Seen,
        consume: Option<u8>,
        later: Option<u8>,
    },
    /// Enqueues all in one call.
    Together(Vec<Self>),
    /// Several holders take audiences of the outbox, and those with these numbers are given back.
    Turns(Vec<u8>),
    /// Sweeps the queues, this many at a time.
    Sweep(u8),
    /// Adds to the counters of this webhook and hour.
    Count(u8, u8),
    Owner(OwnerCall),
    Record(RecordCall),
    Push(u8),
    Reject(u8),
    Postpone(u8, u8),
    Claim(Vec<(u8, u8, u8)>),
    Settle(Vec<Ending>),
    Reclaim(u8),
    Look,
    Activity(u8, bool),
    Order(u8, bool),
    Mode(u8, bool),
    /// Fetches this many of a webhook and acknowledges them, as they were before any attempt or
    /// later.
    Fetch(u8, u8, bool),
    InsertTask(u8),
    InsertEvent(u8),
    DeleteTask(u8),
    DeleteEvent(u8),
    DeleteWebhook(u8, bool),
    StaleEdit(u8),
    Replay(Vec<u8>),
    Cancel(Vec<u8>),
    DeleteDelivery(u8),
    Expire,
    Purge {
        age: u8,
        bytes: bool,
    },
}

/// A call about one of three owners.
#[derive(Clone, Copy, Debug)]
pub(super) enum OwnerCall {
    Realm(u8, u8),
    Hold(u8, bool),
    Remove(u8),
    RemoveTenant(u8),
    RemoveGone(u8),
    Use(u8, i8),
    Recount(u8),
    Drop(u8, u8),
    Look,
}

/// A further call about records.
#[derive(Clone, Copy, Debug)]
pub(super) enum RecordCall {
    InsertWebhook(u8, u8),
    GiveTask(u8, u8),
    EnableTask(u8, bool),
    GiveEvent(u8, u8),
    /// Sets any field of a webhook, a task or an event to any value, whether an edit may store it
    /// or not: the table, the row, the field, the value.
    Change(u8, u8, (u8, u8)),
    Match(u8),
    List(u8),
}

pub(super) fn steps() -> impl Strategy<Value = Step> {
    (0..3_u8, call()).prop_map(|(after, call)| Step { after, call })
}

fn call() -> impl Strategy<Value = Call> {
    let n = || 0..24_u8;
    let hook = || 0..8_u8;
    prop_oneof![
        28 => enqueue(),
        6 => vec(enqueue(), 1..5).prop_map(Call::Together),
        4 => vec(0..4_u8, 0..3).prop_map(Call::Turns),
        3 => (1..6_u8).prop_map(Call::Sweep),
        2 => (hook(), 0..4_u8).prop_map(|(webhook, hour)| Call::Count(webhook, hour)),
        4 => n().prop_map(Call::Push),
        1 => n().prop_map(Call::Reject),
        1 => (n(), n()).prop_map(|(row, after)| Call::Postpone(row, after)),
        14 => owner().prop_map(Call::Owner),
        20 => record().prop_map(Call::Record),
        20 => vec((hook(), 0..4_u8, 0..4_u8), 0..8).prop_map(Call::Claim),
        20 => vec(ending(), 0..8).prop_map(Call::Settle),
        // Claims with one token are taken back together, so the result depends on the store if a
        // limit is reached.
        5 => (200..204_u8).prop_map(Call::Reclaim),
        7 => Just(Call::Look),
        3 => (hook(), any::<bool>()).prop_map(|(w, active)| Call::Activity(w, active)),
        1 => (hook(), any::<bool>()).prop_map(|(w, ordered)| Call::Order(w, ordered)),
        2 => (hook(), any::<bool>()).prop_map(|(w, fetched)| Call::Mode(w, fetched)),
        5 => (hook(), 1..4_u8, proptest::bool::weighted(0.2))
            .prop_map(|(w, limit, first)| Call::Fetch(w, limit, first)),
        5 => hook().prop_map(Call::InsertTask),
        5 => n().prop_map(Call::InsertEvent),
        1 => n().prop_map(Call::DeleteTask),
        1 => n().prop_map(Call::DeleteEvent),
        1 => (hook(), any::<bool>()).prop_map(|(w, cascade)| Call::DeleteWebhook(w, cascade)),
        1 => hook().prop_map(Call::StaleEdit),
        4 => vec(n(), 0..5).prop_map(Call::Replay),
        2 => vec(n(), 0..5).prop_map(Call::Cancel),
        1 => n().prop_map(Call::DeleteDelivery),
        1 => Just(Call::Expire),
        3 => (0..40_u8, any::<bool>()).prop_map(|(age, bytes)| Call::Purge { age, bytes }),
    ]
}

fn owner() -> impl Strategy<Value = OwnerCall> {
    let (of, hook) = (|| 0..3_u8, || 0..8_u8);
    prop_oneof![
        4 => (of(), 0..PLACES).prop_map(|(owner, to)| OwnerCall::Realm(owner, to)),
        3 => (of(), any::<bool>()).prop_map(|(owner, held)| OwnerCall::Hold(owner, held)),
        1 => of().prop_map(OwnerCall::Remove),
        1 => (1..3_u8).prop_map(OwnerCall::RemoveTenant),
        2 => (1..4_u8).prop_map(OwnerCall::RemoveGone),
        1 => (of(), any::<i8>()).prop_map(|(owner, by)| OwnerCall::Use(owner, by)),
        1 => of().prop_map(OwnerCall::Recount),
        1 => (hook(), 0..4_u8).prop_map(|(webhook, minute)| OwnerCall::Drop(webhook, minute)),
        2 => Just(OwnerCall::Look),
    ]
}

fn record() -> impl Strategy<Value = RecordCall> {
    let (n, hook) = (|| 0..24_u8, || 0..8_u8);
    prop_oneof![
        3 => (0..3_u8, 0..6_u8).prop_map(|(owner, name)| RecordCall::InsertWebhook(owner, name)),
        2 => (n(), hook()).prop_map(|(task, webhook)| RecordCall::GiveTask(task, webhook)),
        2 => (n(), any::<bool>()).prop_map(|(task, on)| RecordCall::EnableTask(task, on)),
        2 => (n(), n()).prop_map(|(event, task)| RecordCall::GiveEvent(event, task)),
        12 => (0..3_u8, n(), (0..24_u8, 0..5_u8))
            .prop_map(|(table, row, with)| RecordCall::Change(table, row, with)),
        9 => (0..PLACES).prop_map(RecordCall::Match),
        2 => (0..6_u8).prop_map(RecordCall::List),
    ]
}

fn enqueue() -> impl Strategy<Value = Call> {
    let from = prop_oneof![
        2 => Just(From::Direct),
        1 => (0..6_u8).prop_map(From::Occurrence),
        1 => (0..6_u8, proptest::option::of(0..6_u8), proptest::option::of(0..6_u8))
            .prop_map(|(row, named, left)| From::Outbox(row, named, left)),
    ];
    let seen = prop_oneof![
        4 => Just(Seen::None),
        3 => vec(0..PLACES, 0..3).prop_map(Seen::Present),
        1 => (0..PLACES).prop_map(Seen::Old),
        2 => (0..24_u8, proptest::bool::weighted(0.2))
            .prop_map(|(number, old)| Seen::Rows { number, old }),
    ];
    let later = proptest::option::weighted(0.1, 0..9_u8);
    let again = proptest::option::weighted(0.05, 0..24_u8);
    let consume = proptest::option::weighted(0.2, 0..24_u8);
    let webhooks = vec(prop_oneof![30 => 0..4_u8, 3 => 4..8_u8], 0..4);
    (
        webhooks,
        again,
        proptest::bool::weighted(0.3),
        from,
        seen,
        consume,
        later,
    )
        .prop_map(
            |(webhooks, again, leased, from, seen, consume, later)| Call::Enqueue {
                webhooks,
                again,
                leased,
                from,
                seen,
                consume,
                later,
            },
        )
}

fn ending() -> impl Strategy<Value = Ending> {
    let end = prop_oneof![
        2 => Just(End::Sent),
        1 => Just(End::Failed),
        2 => (0..8_u8).prop_map(End::Retry),
        1 => (0..3_u8).prop_map(End::Release),
    ];
    let ago = prop_oneof![6 => Just(0_u8), 1 => 1..3_u8];
    let rarely = || proptest::bool::weighted(0.9);
    (0..24_u8, ago, end, rarely(), rarely()).prop_map(|(of, claims_ago, end, attempted, kept)| {
        Ending {
            of,
            claims_ago,
            end,
            attempted,
            kept,
        }
    })
}
