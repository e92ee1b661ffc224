//! The deliveries of the tables in which the costs are counted.

use gatepost_postgres::PostgresStore;
use gatepost_storage::webhooks::*;
use gatepost_testkit::fixtures::{UNLIMITED, at, webhook_of};
use tokio_postgres::Client;

use crate::common::{fresh_at, raw};
use crate::postgres::FreshSchema;
use crate::source::{BEGIN, Key};

/// Half of all go to one webhook; each hundredth failed; the last 6,000 wait.
const FILL: &str = "
    INSERT INTO gatepost_delivery (id, webhook, owner, tenant, task, created, message_id, body)
    SELECT n * 20, w, gatepost_id(w::text), gatepost_id((1 + w % 3)::text), w, timestamptz '2026-01-01' + n * interval '1 second', 'msg_' || n, 'x'
    FROM (SELECT n, CASE WHEN n % 2 = 0 THEN 1 ELSE 1 + n / 2 % 20 END AS w FROM generate_series(1, 120000) AS n) s;
    INSERT INTO gatepost_outcome (delivery, token, webhook, owner, tenant, task, attempts, tries, state, lost, started, duration_us, class, status_info)
    SELECT id, id, CASE WHEN e THEN webhook END, CASE WHEN e THEN owner END, CASE WHEN e THEN tenant END, CASE WHEN e THEN task END,
        1, 1, CASE WHEN e THEN 3 ELSE 2 END, 0, created, 1, CASE WHEN e THEN 'timeout' ELSE 'ok' END, ''
    FROM (SELECT *, id / 20 % 101 = 0 AS e FROM gatepost_delivery WHERE id <= 114000 * 20) d;
    INSERT INTO gatepost_queue (id, webhook, due, tries, attempts, class, lost, marked)
    SELECT id, webhook, created, 0, 0, 0, 0, false FROM gatepost_delivery WHERE id > 114000 * 20;
    INSERT INTO gatepost_occurrence (event_type, event, tenant, due)
    SELECT 'vms', 'on', n, CASE WHEN n % 100 = 0 THEN 'epoch'::timestamptz ELSE 'infinity' END FROM generate_series(1, 10000) AS n;
    SELECT setval('gatepost_delivery_id_seq', 120000 * 20), setval('gatepost_claim', 120000 * 20)";
/// All deliveries belong to the first user; the last user has a webhook without deliveries, and a
/// deleted one.
pub(super) const ONE_USER: &str = "
    UPDATE gatepost_delivery SET webhook = 1, owner = gatepost_id('1'), tenant = gatepost_id('1'), task = 1;
    UPDATE gatepost_outcome SET webhook = 1, owner = gatepost_id('1'), tenant = gatepost_id('1'), task = 1 WHERE state = 3;
    UPDATE gatepost_webhook SET gone = true WHERE id = 19";
const SET: &str =
    "SET enable_seqscan = off; SET jit = off; SET plan_cache_mode = force_generic_plan;
    SET gatepost.picked = '{}'; SET gatepost.holding = '{}'";

pub(super) async fn filled() -> (Client, (PostgresStore, FreshSchema)) {
    let (store, _, place) = fresh_at().await;
    for owner in 1..=20 {
        let hook = webhook_of(owner, "w");
        store.insert_webhook(&hook, UNLIMITED, at(0)).await.unwrap();
    }
    let client = raw(&place).await;
    client.batch_execute(FILL).await.unwrap();
    client.batch_execute("ANALYZE").await.unwrap();
    client.batch_execute(SET).await.unwrap();
    (client, (store, place))
}

/// Makes the settings of a list's transaction.
pub(super) async fn as_a_list(client: &Client) {
    let (_, setting) = BEGIN.split_once("SET LOCAL").unwrap();
    let set = format!("SET {setting}");
    client.batch_execute(&set).await.unwrap();
}

/// Returns the key as a statement receives it.
pub(super) fn literal(key: Key) -> Option<String> {
    key.value().map(|value| format!("'{value:?}'"))
}
