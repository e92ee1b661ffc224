//! Claims.

use super::filled::filled;
use crate::common::{CLAIM, DUE_LANES, pages, raw};

/// Claimed while an open transaction might still see the entries, so they cannot be removed.
const CLAIMED: &str = "
    INSERT INTO gatepost_queue (id, webhook, due, tries, attempts, class, lost, marked)
    SELECT 9000000 + n, 7, timestamptz '2025-12-01' + n * interval '1 ms', 0, 0, 0, 0, false FROM generate_series(1, 100000) AS n;
    DELETE FROM gatepost_queue WHERE id BETWEEN 9000001 AND 9099000";
/// Other processes run 2,000 deliveries; all webhooks have just been switched to delivery in order.
const RUNNING: &str = "
    INSERT INTO gatepost_running (id, lease_until, open, ids)
    SELECT 5000000, timestamptz '2026-03-01', 2000, array_agg(id) FROM (
        SELECT id FROM gatepost_delivery WHERE id <= 114000 * 20 ORDER BY id DESC LIMIT 2000) d;
    UPDATE gatepost_webhook SET in_order = true, ordered_after = 6000000";

#[tokio::test]
async fn claim_from_cursor_reads_few_claimed_rows() {
    let (client, (_store, place)) = filled().await;
    let reader = raw(&place).await;
    reader
        .batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM gatepost_queue")
        .await
        .unwrap();
    client.batch_execute(CLAIMED).await.unwrap();
    client
        .batch_execute("VACUUM ANALYZE gatepost_queue")
        .await
        .unwrap();
    let last = "timestamptz '2025-12-01' + 98900 * interval '1 ms'";
    let lease = "'2026-03-01', '2026-03-01'";
    for (name, sql, whole, since) in [
        (
            "claim",
            CLAIM,
            format!("'{{7}}', '{{0}}', '{{16}}', '{{NULL}}', {lease}"),
            format!("'{{7}}', '{{0}}', '{{16}}', ARRAY[{last}], {lease}"),
        ),
        (
            "due_queues",
            DUE_LANES,
            "'2026-03-01', '-infinity', 0, 1000".to_owned(),
            format!("'2026-03-01', {last}, 0, 1000"),
        ),
    ] {
        let whole = pages(&client, sql, &whole).await;
        let since = pages(&client, sql, &since).await;
        assert!(whole > 1_000, "{name}: {whole} pages: nothing is proved");
        assert!(since < 400, "{name}: {since} pages");
    }
}

#[tokio::test]
async fn running_deliveries_are_read_once_for_ordered_queues() {
    let (client, (_store, _place)) = filled().await;
    client.batch_execute(RUNNING).await.unwrap();
    client.batch_execute("ANALYZE").await.unwrap();
    let mut counted = Vec::new();
    for hooks in [1, 20] {
        let ids: Vec<String> = (1..=hooks).map(|id| id.to_string()).collect();
        let all = |what: &str| vec![what; ids.len()].join(",");
        let params = format!(
            "'{{{}}}', '{{{}}}', '{{{}}}', '{{{}}}', '2026-03-01', '2026-03-01'",
            ids.join(","),
            all("0"),
            all("1"),
            all("NULL")
        );
        counted.push(pages(&client, CLAIM, &params).await);
    }
    assert!(counted[0] > 1_000, "{counted:?}: nothing is proved");
    assert!(counted[1] < counted[0] * 2, "{counted:?}");
}
