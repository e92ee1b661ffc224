//! Of each webhook the newest are shown; looked at are those to which something came.

use gatepost_postgres::PostgresStore;
use gatepost_storage::webhooks::*;
use gatepost_testkit::fixtures::{at, direct, keep_all, lane, message, settlement, stored_webhook};
use tokio_postgres::Client;
use webhook_model::{OwnerId, WebhookId};

use crate::common::{fresh_at, raw};

const LATER: i64 = 1_000;

/// Some that wait.
async fn queue(store: &PostgresStore, hook: WebhookId, count: usize, now: i64) {
    let new = (0..count).map(|n| message(hook, &format!("m{now}n{n}"), at(now)));
    store.enqueue(direct(new.collect()), at(now)).await.unwrap();
}

/// Sends some of what waits.
async fn send(store: &PostgresStore, hook: WebhookId, count: u32, now: i64) {
    let some = LaneClaim {
        limit: count,
        ..lane(hook, LaneClass::First)
    };
    let claimed = store.claim(&[some], at(now + 60), at(now)).await.unwrap();
    assert_eq!(claimed.len(), count as usize);
    let ends = claimed.iter().map(|c| settlement(c, Disposition::Sent));
    store.settle(ends.collect(), at(now)).await.unwrap();
}

/// The number of floors that were raised, with this many shown.
async fn purge(store: &PostgresStore, newest: u32) -> u64 {
    let bounds = PurgeBounds {
        newest_per_webhook: newest,
        ..keep_all()
    };
    let mut rows = 0;
    for _ in 0..100 {
        let purged = store.purge(&bounds, 100, at(LATER)).await.unwrap();
        rows += purged.rows;
        if !purged.more {
            return rows;
        }
    }
    panic!("there is always more");
}

async fn shown(client: &Client, hook: WebhookId) -> i64 {
    let count = "SELECT count(*) FROM gatepost_delivery d JOIN gatepost_webhook w ON w.id = d.webhook WHERE w.id = $1 AND d.id > w.floor";
    client.query_one(count, &[&hook.0]).await.unwrap().get(0)
}

#[tokio::test]
async fn only_webhooks_to_which_something_came_are_looked_at() {
    let (store, _, place) = fresh_at().await;
    let client = raw(&place).await;
    let (busy, idle) = (
        stored_webhook(&store, "busy").await,
        stored_webhook(&store, "idle").await,
    );
    for hook in [busy, idle] {
        queue(&store, hook, 5, 0).await;
        send(&store, hook, 5, 0).await;
    }
    assert_eq!(purge(&store, 3).await, 2);
    assert_eq!(shown(&client, idle).await, 3);
    // Nobody lowers a floor; this shows who is looked at.
    let lower = "UPDATE gatepost_webhook SET floor = 0";
    client.batch_execute(lower).await.unwrap();
    assert_eq!(purge(&store, 3).await, 0);
    queue(&store, busy, 1, 1).await;
    send(&store, busy, 1, 1).await;
    assert_eq!(purge(&store, 3).await, 1);
    assert_eq!(
        (shown(&client, busy).await, shown(&client, idle).await),
        (3, 5)
    );
    // Fewer than before: all.
    assert_eq!(purge(&store, 2).await, 2);
    assert_eq!(
        (shown(&client, busy).await, shown(&client, idle).await),
        (2, 2)
    );
}

#[tokio::test]
async fn what_was_open_when_it_was_looked_at_is_hidden_once_it_has_ended() {
    let (store, _, place) = fresh_at().await;
    let client = raw(&place).await;
    let hook = stored_webhook(&store, "w").await;
    queue(&store, hook, 9, 0).await;
    assert_eq!(purge(&store, 3).await, 0, "all wait");
    send(&store, hook, 5, 1).await;
    purge(&store, 3).await;
    assert_eq!(
        shown(&client, hook).await,
        7,
        "three that ended, four that wait"
    );
    send(&store, hook, 2, 2).await;
    purge(&store, 3).await;
    assert_eq!(shown(&client, hook).await, 5);
    send(&store, hook, 2, 3).await;
    purge(&store, 3).await;
    assert_eq!(shown(&client, hook).await, 3);
    let crowded = "SELECT count(*) FROM gatepost_webhook WHERE crowded";
    let crowded: i64 = client.query_one(crowded, &[]).await.unwrap().get(0);
    assert_eq!(crowded, 0);
}

/// So many wait that they are not counted: then nobody knows what may be hidden.
#[tokio::test]
async fn what_has_ended_is_shown_however_many_wait_that_came_later() {
    let (store, _, place) = fresh_at().await;
    let client = raw(&place).await;
    let hook = stored_webhook(&store, "w").await;
    queue(&store, hook, 1, 0).await;
    send(&store, hook, 1, 0).await;
    let many = format!(
        "WITH new AS (
             INSERT INTO gatepost_delivery (id, webhook, owner, created, message_id, body)
             SELECT nextval('gatepost_delivery_id_seq'), w.id, w.owner, to_timestamp({}), 'm' || n, 'x'
             FROM gatepost_webhook w, generate_series(1, 9000) AS n WHERE w.id = {}
             RETURNING id, webhook, created)
         INSERT INTO gatepost_queue (id, webhook, due, tries, attempts, class, lost, marked)
         SELECT id, webhook, created, 0, 0, 0, 0, false FROM new",
        at(1).timestamp(),
        hook.0
    );
    client.batch_execute(&many).await.unwrap();
    assert_eq!(purge(&store, 3_000).await, 0);
    assert_eq!(shown(&client, hook).await, 9_001);
    // Once fewer wait it is known.
    let fewer = "DELETE FROM gatepost_queue WHERE id IN (SELECT id FROM gatepost_queue ORDER BY id LIMIT 8500)";
    client.batch_execute(fewer).await.unwrap();
    assert_eq!(purge(&store, 3_000).await, 1);
    assert_eq!(shown(&client, hook).await, 3_500);
}

#[tokio::test]
async fn those_for_which_there_was_no_time_are_looked_at_by_and_by() {
    let (store, _, place) = fresh_at().await;
    let client = raw(&place).await;
    let hook = stored_webhook(&store, "w").await;
    queue(&store, hook, 5, 0).await;
    send(&store, hook, 5, 0).await;
    purge(&store, 9).await;
    let crowd = "UPDATE gatepost_webhook SET crowded = true; UPDATE gatepost_kept SET newest = 3";
    client.batch_execute(crowd).await.unwrap();
    assert_eq!(purge(&store, 3).await, 1);
    assert_eq!(shown(&client, hook).await, 3);
}

/// Below the floor counts what waits or runs, and nothing else.
#[tokio::test]
async fn usage_is_counted_of_what_is_shown() {
    let (store, _, place) = fresh_at().await;
    let client = raw(&place).await;
    let hook = stored_webhook(&store, "w").await;
    queue(&store, hook, 6, 0).await;
    send(&store, hook, 3, 0).await;
    let one = [LaneClaim {
        limit: 1,
        ..lane(hook, LaneClass::First)
    }];
    let running = store.claim(&one, at(60), at(0)).await.unwrap();
    assert_eq!(running.len(), 1);
    let body = 2;
    let all = store.recount_usage(OwnerId(1)).await.unwrap();
    assert_eq!((all.waiting, all.waiting_bytes), (3, 3 * body));
    let outcome = (all.log_bytes - 6 * body) / 3;
    assert!(outcome > 0, "{all:?}");
    for (below, shown) in [(1, 2), (3, 0), (4, 0), (6, 0)] {
        let floor = format!(
            "UPDATE gatepost_webhook SET floor = (SELECT id FROM gatepost_delivery ORDER BY id LIMIT 1 OFFSET {below} - 1)"
        );
        client.batch_execute(&floor).await.unwrap();
        let wanted = LogUsage {
            log_bytes: (3 + shown) * body + shown * outcome,
            ..all
        };
        let counted = store.recount_usage(OwnerId(1)).await.unwrap();
        assert_eq!(counted, wanted, "{below} below the floor");
    }
    let aged = "UPDATE gatepost_webhook SET floor = 0; UPDATE gatepost_kept SET created_before = '2100-01-01'";
    client.batch_execute(aged).await.unwrap();
    let counted = store.recount_usage(OwnerId(1)).await.unwrap();
    assert_eq!(counted.log_bytes, 3 * body, "what has ended is too old");
    assert_eq!(counted.waiting, 3);
}
