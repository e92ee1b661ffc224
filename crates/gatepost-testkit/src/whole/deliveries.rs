//! Every field of a delivery, from enqueue to end.

use gatepost_ids::OwnerId;
use gatepost_storage::Page;
use gatepost_storage::webhooks::{
    Claim, ClaimToken, Delivery, DeliveryId, DeliveryQuery, DeliveryState, Disposition, EndReason,
    Enqueued, NewDelivery,
};
use webhook_model::{TaskId, WebhookId};

use super::home::{Home, two_webhooks};
use crate::fields::{difference, of_delivery, of_new_delivery};
use crate::fixtures::{at, claim, direct, message, place, settlement_of, tenant};
use crate::harness::Webhooks;
use crate::outcome::Outcome;

/// The two webhooks: one of owner 1 in tenant 1, and one of owner 2 without a tenant.
#[derive(Clone, Copy)]
struct Hooks([WebhookId; 2]);

/// Every field of a delivery is stored as it was enqueued, separately and exactly. A claim,
/// settlement, reclaim, cancellation, immediate retry and replay must change their own fields and
/// nothing else. Every read must return the same, also when the store is opened again.
pub async fn f06_every_field_of_a_delivery_is_kept(home: Home) -> Outcome {
    let store = home.fresh().await;
    let hooks = Hooks::stored(&store).await;
    let mut rows = first(&store, hooks).await;
    for (new, second) in enqueued(hooks).into_iter().zip(3..) {
        let (row, token) = enqueue(&store, hooks, new, second).await;
        rows.push(match token {
            None => row,
            Some(token) => settled(&store, row, token, &Disposition::Sent, true).await,
        });
    }
    all(&store, &rows).await;
    for row in &mut rows {
        let queued = row.state == DeliveryState::Queued;
        if queued && store.log.cancel(&[row.id], "test", at(50)).await.unwrap() == 1 {
            ended(row, "test");
        }
    }
    all(&store, &rows).await;
    rows.extend(steps(&store, hooks).await);
    all(&store, &rows).await;
    if let Some(store) = home.reopen(store).await {
        all(&store, &rows).await;
    }
    Outcome::Held
}

impl Hooks {
    async fn stored(store: &Webhooks) -> Self {
        place(store, 1, tenant(1)).await;
        Self(two_webhooks(store).await)
    }
}

/// Returns deliveries that differ in one field.
fn enqueued(Hooks([first, second]): Hooks) -> Vec<NewDelivery> {
    let base = message(first, "base", at(40));
    let mut all = vec![base.clone()];
    for field in of_new_delivery(&base, second) {
        for value in field.values() {
            let mut new = message(first, &format!("m{}", all.len()), at(40));
            field.copy(value, &mut new);
            all.push(new);
        }
    }
    all
}

/// Stores a delivery, and returns it as it must be read.
async fn enqueue(
    store: &Webhooks,
    Hooks(hooks): Hooks,
    new: NewDelivery,
    second: i64,
) -> (Delivery, Option<ClaimToken>) {
    let batch = direct(vec![new.clone()]);
    let stored = store.queue.enqueue(batch, at(second)).await;
    let Ok(Enqueued::Stored { deliveries, .. }) = stored else {
        panic!("F6 a delivery is not stored: {stored:?}");
    };
    let theirs = new.webhook == hooks[1];
    let row = Delivery {
        id: deliveries[0].id,
        message_id: new.message_id,
        webhook: new.webhook,
        owner: OwnerId(if theirs { 2 } else { 1 }),
        tenant: if theirs { None } else { tenant(1).tenant() },
        task: new.task,
        cause: new.cause,
        body: new.body,
        message_kept: true,
        state: match new.lease_until {
            None => DeliveryState::Queued,
            Some(_) => DeliveryState::Running,
        },
        class: String::new(),
        status_info: String::new(),
        created: at(second),
        due: new.due,
        lease_until: new.lease_until,
        last_attempt: None,
        attempts: 0,
        tries: 0,
        lost_claims: 0,
        response_status: None,
        duration: None,
    };
    is_read(store, &row, "enqueued").await;
    (row, deliveries[0].token)
}

/// Returns a delivery that differs from a plain one in every field.
fn full(Hooks([hook, _]): Hooks, id: &str) -> NewDelivery {
    NewDelivery {
        task: Some(TaskId(7)),
        cause: Some("hosts poweroff 3 4 id-1".parse().unwrap()),
        body: "{\"é\": 1}".into(),
        ..message(hook, id, at(60))
    }
}

/// A delivery that ended without its message, and one that is being sent until the end of the test:
/// rows from which nothing of other rows may be copied.
async fn first(store: &Webhooks, hooks: Hooks) -> Vec<Delivery> {
    let (row, _) = enqueue(store, hooks, full(hooks, "unkept"), 1).await;
    let (row, token) = claimed(store, row, 60).await;
    let unkept = settled(store, row, token, &Disposition::Sent, false).await;
    let leased = NewDelivery {
        lease_until: Some(at(90_000)),
        ..full(hooks, "leased")
    };
    vec![unkept, enqueue(store, hooks, leased, 2).await.0]
}

/// Checks one delivery in every possible step, and one that is cancelled after all other possible
/// steps.
async fn steps(store: &Webhooks, hooks: Hooks) -> Vec<Delivery> {
    let (row, _) = enqueue(store, hooks, full(hooks, "steps"), 60).await;
    let (row, token) = claimed(store, row, 60).await;
    let retry = Disposition::Retry { due: at(70) };
    let row = settled(store, row, token, &retry, true).await;
    let (row, token) = claimed(store, row, 70).await;
    let release = Disposition::Release { due: at(90) };
    let mut row = settled(store, row, token, &release, true).await;
    let hastened = store.log.hasten(&[row.id], at(80)).await;
    assert_eq!(hastened.ok(), Some(1), "F6 hastened");
    row.due = at(80);
    is_read(store, &row, "hastened").await;
    let (row, token) = claimed(store, row, 80).await;
    let row = settled(store, row, token, &Disposition::Failed, true).await;
    let row = replayed(store, row, 100).await;
    let row = lost(store, row, 100, Delivery::MAX_LOST_CLAIMS).await;
    let row = replayed(store, row, 700).await;
    let (row, token) = claimed(store, row, 700).await;
    let sent = settled(store, row, token, &Disposition::Sent, true).await;

    let (row, _) = enqueue(store, hooks, full(hooks, "cancelled"), 61).await;
    let (row, token) = claimed(store, row, 800).await;
    let retry = Disposition::Retry { due: at(900) };
    let row = settled(store, row, token, &retry, true).await;
    let mut row = lost(store, row, 900, 1).await;
    let cancelled = store.log.cancel(&[row.id], "test", at(1_200)).await;
    assert_eq!(cancelled.ok(), Some(1), "F6 cancelled");
    ended(&mut row, "test");
    is_read(store, &row, "cancelled").await;
    vec![sent, row]
}

/// Claims and reclaims a delivery: the first loss does not count, because others were claimed with
/// it.
async fn lost(store: &Webhooks, mut row: Delivery, mut now: i64, losses: u32) -> Delivery {
    for lost in 0..=losses {
        row = claimed(store, row, now).await.0;
        now += 100;
        let reclaimed = store.queue.reclaim(99, at(now)).await;
        reclaimed.expect("F6 a lost claim is taken back");
        row.lease_until = None;
        row.lost_claims = lost;
        if lost == Delivery::MAX_LOST_CLAIMS {
            ended(&mut row, EndReason::LostClaims.as_str());
        } else {
            row.state = DeliveryState::Queued;
            row.due = at(now);
        }
        is_read(store, &row, "reclaimed").await;
    }
    row
}

async fn claimed(store: &Webhooks, mut row: Delivery, now: i64) -> (Delivery, ClaimToken) {
    let claims = claim(store, row.webhook, now).await;
    let claimed = claims.into_iter().find(|claim| claim.delivery.id == row.id);
    let claimed = claimed.expect("F6 what is due is claimed");
    row.state = DeliveryState::Running;
    row.lease_until = Some(at(now + 10));
    let due = claimed.delivery.due;
    assert_eq!(due, row.due, "F6 the due time that it had in the queue");
    is_same(&row, &claimed.delivery, "as it was claimed");
    is_read(store, &row, "claimed").await;
    (row, claimed.token)
}

/// Settles a delivery, with an attempt if there is one; `keep` says whether its message is kept.
async fn settled(
    store: &Webhooks,
    mut row: Delivery,
    token: ClaimToken,
    disposition: &Disposition,
    keep: bool,
) -> Delivery {
    let delivery = row.id;
    let mut settlement = settlement_of(Claim { delivery, token }, disposition.clone());
    settlement.keep_message = keep;
    settlement.status_info = format!("{disposition:?}");
    if let Some(attempt) = &mut settlement.attempt {
        let tried = u16::try_from(row.attempts).unwrap();
        attempt.status = Some(500 + tried);
        attempt.class = format!("class-{tried}");
        attempt.started = at(1_000 + i64::from(tried));
        attempt.duration = std::time::Duration::from_micros(7_000_001 + u64::from(tried));
        row.attempts += 1;
        row.tries += 1;
        row.class.clone_from(&attempt.class);
        row.last_attempt = Some(attempt.started);
        row.response_status = attempt.status;
        row.duration = Some(attempt.duration);
    }
    let done = store.queue.settle(vec![settlement.clone()], at(5)).await;
    done.expect("F6 a settlement is stored");
    row.status_info = settlement.status_info;
    row.lease_until = None;
    let (state, due) = disposition.state_and_due();
    row.state = state;
    row.due = due.unwrap_or(row.due);
    if state.is_final() && !keep {
        row.body = "".into();
        row.message_kept = false;
    }
    is_read(store, &row, "settled").await;
    row
}

async fn replayed(store: &Webhooks, mut row: Delivery, now: i64) -> Delivery {
    let replayed = store.log.replay(&[row.id], at(now)).await;
    assert_eq!(replayed.ok(), Some(1), "F6 replayed");
    row.state = DeliveryState::Queued;
    row.due = at(now);
    (row.tries, row.lost_claims) = (0, 0);
    row.status_info = String::new();
    is_read(store, &row, "replayed").await;
    row
}

fn ended(row: &mut Delivery, reason: &str) {
    row.state = DeliveryState::Error;
    reason.clone_into(&mut row.status_info);
}

async fn all(store: &Webhooks, rows: &[Delivery]) {
    for row in rows {
        is_read(store, row, "at the end").await;
    }
}

/// Checks a delivery by number, and in a list.
async fn is_read(store: &Webhooks, row: &Delivery, when: &str) {
    let found = store.log.delivery(row.id).await.expect("F6 by number");
    let found = found.expect("F6 it is there, by number");
    is_same(row, &found, &format!("{when}, by number"));
    let before = DeliveryId(row.id.0 - 1);
    let query = DeliveryQuery::all(Page::first(1).beyond(before));
    let listed = store.log.list_deliveries(&query).await.expect("F6 listed");
    let listed = listed.first().expect("F6 it is there, in a list");
    is_same(row, listed, &format!("{when}, in a list"));
}

fn is_same(expected: &Delivery, found: &Delivery, when: &str) {
    let mut alike = found.clone();
    if expected.state != DeliveryState::Queued {
        // The field describes waiting deliveries only.
        alike.due = expected.due;
    }
    if *expected != alike {
        let differs = difference(&of_delivery(expected), expected, &alike);
        panic!("F6 {when}: {}", differs.unwrap_or_default());
    }
}
