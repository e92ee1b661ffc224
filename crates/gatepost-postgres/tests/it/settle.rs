//! A call of `settle` is stored as a whole, or not at all.

use gatepost_postgres::PostgresStore;
use gatepost_storage::owners::Removal;
use gatepost_storage::webhooks::*;
use gatepost_storage::{ErrorKind, OwnerStore as _};
use gatepost_testkit::fixtures::{
    UNLIMITED, at, direct, message, queue_claim, settlement_of, webhook,
};
use webhook_model::OwnerId;

use crate::common::{fresh_at, raw, rows};

/// Blocks insertions into the queue, until `OPEN`.
const SHUT: &str = "
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'the queue is shut'; END $$;
    CREATE TRIGGER shut BEFORE INSERT ON gatepost_queue FOR EACH STATEMENT EXECUTE FUNCTION refuse()";
const OPEN: &str = "DROP TRIGGER shut ON gatepost_queue";
/// Records each statement that stores outcomes, even if it stores none.
const NOTED: &str = "
    CREATE TABLE noted (n int);
    CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        EXECUTE format('INSERT INTO %I.noted VALUES (1)', TG_TABLE_SCHEMA);
        RETURN NULL;
    END $$;
    CREATE TRIGGER note AFTER INSERT ON gatepost_outcome FOR EACH STATEMENT EXECUTE FUNCTION note()";

/// Returns the claims of deliveries that are leased to this process from this time on, one each.
async fn leased(store: &PostgresStore, count: usize, now: i64) -> Vec<Claim> {
    let hook = webhook(&format!("w{now}"));
    let hook = store.insert_webhook(&hook, UNLIMITED, at(0)).await.unwrap();
    let new = (0..count).map(|n| NewDelivery {
        lease_until: Some(at(now + 10)),
        ..message(hook.id, &format!("m{now}n{n}"), at(now))
    });
    let stored = store.enqueue(direct(new.collect()), at(now)).await.unwrap();
    let Enqueued::Stored { deliveries, .. } = stored else {
        panic!("{stored:?}")
    };
    let claims = deliveries.into_iter().map(|stored| Claim {
        delivery: stored.id,
        token: stored.token.unwrap(),
    });
    claims.collect()
}

#[tokio::test]
async fn settlement_naming_a_delivery_twice_is_atomic() {
    let (store, _, place) = fresh_at().await;
    let client = raw(&place).await;
    let [old] = leased(&store, 1, 0).await[..] else {
        panic!()
    };
    assert_eq!(store.reclaim(10, at(20)).await.unwrap().requeued, 1);
    let hook = store.delivery(old.delivery).await.unwrap().unwrap().webhook;
    let claimed = store
        .claim(&[queue_claim(hook, QueueClass::Lost)], at(60), at(20))
        .await
        .unwrap();
    let new = Claim {
        delivery: old.delivery,
        token: claimed[0].token,
    };
    let [other] = leased(&store, 1, 21).await[..] else {
        panic!()
    };
    let call = vec![
        settlement_of(other, Disposition::Sent),
        settlement_of(old, Disposition::Sent),
        settlement_of(new, Disposition::Retry { due: at(90) }),
        settlement_of(other, Disposition::Sent),
    ];
    client.batch_execute(SHUT).await.unwrap();
    let refused = store.settle(call.clone(), at(22)).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Unavailable, "{refused}");
    assert_eq!(store.attempts(other.delivery, 99).await.unwrap(), []);
    client.batch_execute(OPEN).await.unwrap();
    let settled = store.settle(call, at(22)).await.unwrap();
    use Settled::{Done, Stale};
    assert_eq!(settled, [Done, Stale, Done, Done]);
    assert_eq!(store.attempts(other.delivery, 99).await.unwrap().len(), 1);
}

#[tokio::test]
async fn stale_settlement_blocks_no_other_in_call() {
    let (store, _, place) = fresh_at().await;
    let client = raw(&place).await;
    let late = leased(&store, 2, 0).await;
    store.reclaim(10, at(20)).await.unwrap();
    let good = leased(&store, 3, 21).await;
    let call = vec![
        settlement_of(good[0], Disposition::Sent),
        settlement_of(late[0], Disposition::Sent),
        settlement_of(good[1], Disposition::Retry { due: at(90) }),
        settlement_of(late[1], Disposition::Failed),
        settlement_of(good[2], Disposition::Failed),
    ];
    client.batch_execute(SHUT).await.unwrap();
    store.settle(call.clone(), at(22)).await.unwrap_err();
    for claim in &good {
        assert_eq!(store.attempts(claim.delivery, 99).await.unwrap(), []);
    }
    client.batch_execute(OPEN).await.unwrap();
    for _ in 0..2 {
        let settled = store.settle(call.clone(), at(22)).await.unwrap();
        use Settled::{Done, Stale};
        assert_eq!(settled, [Done, Stale, Done, Stale, Done]);
    }
    for claim in &good {
        assert_eq!(store.attempts(claim.delivery, 99).await.unwrap().len(), 1);
    }
}

#[tokio::test]
async fn deleted_webhook_repeats_no_settlement_of_others() {
    use Settled::{Done, Stale};
    let (store, _, place) = fresh_at().await;
    let client = raw(&place).await;
    let good = leased(&store, 14, 0).await;
    let [gone] = leased(&store, 1, 1).await[..] else {
        panic!()
    };
    let hook = store
        .delivery(gone.delivery)
        .await
        .unwrap()
        .unwrap()
        .webhook;
    let deleted = store.delete_webhook(hook, Cascade::Refuse, at(1)).await;
    deleted.unwrap();
    client.batch_execute(NOTED).await.unwrap();
    let sent = |claim: Claim| settlement_of(claim, Disposition::Sent);
    for claim in &good[..10] {
        let settled = store.settle(vec![sent(*claim)], at(2)).await.unwrap();
        assert_eq!(settled, [Done]);
    }
    assert_eq!(rows(&client, "noted").await, 10);

    // A deleted delivery does not remove others with it, and nothing of it is left.
    let mut call = vec![sent(good[10]), sent(gone)];
    call.push(settlement_of(good[11], Disposition::Failed));
    let settled = store.settle(call, at(2)).await.unwrap();
    assert_eq!((settled[0], settled[2]), (Done, Done));
    while store.remove_gone(100, at(3)).await.unwrap() > 0 {}
    assert_eq!(rows(&client, "gatepost_outcome").await, 12);
    let late = vec![sent(gone), sent(good[12])];
    let settled = store.settle(late, at(3)).await.unwrap();
    assert_eq!(settled, [Stale, Done]);
    let owner = Removal::Owner(OwnerId(1));
    store.mark_gone(owner, at(4)).await.unwrap();
    store.settle(vec![sent(good[13])], at(4)).await.unwrap();
    while store.remove_gone(100, at(5)).await.unwrap() > 0 {}
    for table in ["gatepost_outcome", "gatepost_queue", "gatepost_running"] {
        assert_eq!(rows(&client, table).await, 0, "{table}");
    }
}
