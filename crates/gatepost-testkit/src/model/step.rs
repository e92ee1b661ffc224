//! The calls on a webhook store. Rows are named by small numbers that each side turns into row
//! numbers of its own.

use proptest::collection::vec;
use proptest::prelude::*;

/// A call, and how many seconds after the one before.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) after: u8,
    pub(super) call: Call,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum From {
    Direct,
    Occurrence(u8),
    Outbox(u8, Option<u8>),
}

/// Which version of the routes an enqueue shows.
#[derive(Clone, Copy, Debug)]
pub(super) enum Seen {
    None,
    Present,
    Old,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum End {
    Sent,
    Failed,
    Retry(u8),
    Release(u8),
}

/// The end of a claim of delivery `of`: under the token given that many claims ago.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ending {
    pub(super) of: u8,
    pub(super) claims_ago: u8,
    pub(super) end: End,
    pub(super) attempted: bool,
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
    },
    Push(u8),
    Reject(u8),
    Claim(Vec<(u8, bool, u8)>),
    Settle(Vec<Ending>),
    Reclaim(u8),
    Look,
    Activity(u8, bool),
    Order(u8, bool),
    InsertTask(u8),
    InsertEvent(u8),
    DeleteTask(u8),
    DeleteEvent(u8),
    DeleteWebhook(u8, bool),
    StaleEdit(u8),
    Ran(u8, u8),
    Replay(Vec<u8>),
    ReplayFailed(u8),
    Cancel(Vec<u8>),
    DeleteDelivery(u8),
    Expire,
    Purge,
}

pub(super) fn steps() -> impl Strategy<Value = Step> {
    (0..3_u8, call()).prop_map(|(after, call)| Step { after, call })
}

fn call() -> impl Strategy<Value = Call> {
    let n = || 0..24_u8;
    let hook = || 0..5_u8;
    prop_oneof![
        28 => enqueue(),
        4 => n().prop_map(Call::Push),
        1 => n().prop_map(Call::Reject),
        20 => vec((hook(), any::<bool>(), 0..4_u8), 0..8).prop_map(Call::Claim),
        20 => vec(ending(), 0..8).prop_map(Call::Settle),
        5 => (1..4_u8).prop_map(Call::Reclaim),
        7 => Just(Call::Look),
        3 => (hook(), any::<bool>()).prop_map(|(w, active)| Call::Activity(w, active)),
        1 => (hook(), any::<bool>()).prop_map(|(w, ordered)| Call::Order(w, ordered)),
        3 => hook().prop_map(Call::InsertTask),
        2 => n().prop_map(Call::InsertEvent),
        1 => n().prop_map(Call::DeleteTask),
        1 => n().prop_map(Call::DeleteEvent),
        1 => (hook(), any::<bool>()).prop_map(|(w, cascade)| Call::DeleteWebhook(w, cascade)),
        1 => hook().prop_map(Call::StaleEdit),
        2 => (n(), 0..9_u8).prop_map(|(task, ago)| Call::Ran(task, ago)),
        2 => vec(n(), 0..5).prop_map(Call::Replay),
        2 => hook().prop_map(Call::ReplayFailed),
        2 => vec(n(), 0..5).prop_map(Call::Cancel),
        1 => n().prop_map(Call::DeleteDelivery),
        1 => Just(Call::Expire),
        2 => Just(Call::Purge),
    ]
}

fn enqueue() -> impl Strategy<Value = Call> {
    let from = prop_oneof![
        2 => Just(From::Direct),
        1 => (0..6_u8).prop_map(From::Occurrence),
        1 => (0..6_u8, proptest::option::of(0..6_u8)).prop_map(|(row, named)| From::Outbox(row, named)),
    ];
    let seen = prop_oneof![4 => Just(Seen::None), 4 => Just(Seen::Present), 1 => Just(Seen::Old)];
    let again = proptest::option::weighted(0.05, 0..24_u8);
    let consume = proptest::option::weighted(0.2, 0..24_u8);
    let webhooks = vec(prop_oneof![30 => 0..4_u8, 1 => Just(4_u8)], 0..4);
    (
        webhooks,
        again,
        proptest::bool::weighted(0.3),
        from,
        seen,
        consume,
    )
        .prop_map(
            |(webhooks, again, leased, from, seen, consume)| Call::Enqueue {
                webhooks,
                again,
                leased,
                from,
                seen,
                consume,
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
    (0..24_u8, ago, end, proptest::bool::weighted(0.9)).prop_map(
        |(of, claims_ago, end, attempted)| Ending {
            of,
            claims_ago,
            end,
            attempted,
        },
    )
}
