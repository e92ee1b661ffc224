//! All other statements.

use std::fmt::Write as _;

use super::filled::filled;
use crate::common::pages;

#[tokio::test]
async fn other_statements_read_few_pages() {
    let (client, _store) = filled().await;
    // The ended deliveries of owner 3 are hidden, except for the newest.
    let hidden = "UPDATE gatepost_owner SET hidden_to = 113900 * 20 WHERE owner = gatepost_id('3')";
    client.batch_execute(hidden).await.unwrap();
    let ids: Vec<String> = (1_000..1_050).map(|n| (n * 20).to_string()).collect();
    let ids = format!("'{{{}}}'", ids.join(","));
    macro_rules! log {
        ($($part:literal),+) => {
            concat!($(include_str!(concat!("../../../src/sql/", $part, ".sql"))),+)
        };
    }
    // A delivery that ends without an attempt is logged and counted.
    macro_rules! ended {
        ($what:literal, $answer:expr) => {
            concat!(
                log!($what),
                ", logged AS (",
                log!("log/ended"),
                "RETURNING webhook)",
                log!("log/count_ended"),
                $answer
            )
        };
    }
    let mut worst = String::new();
    for (name, sql, params, most) in [
        ("states", log!("log/states"), ids.as_str(), 2_000),
        ("rows", log!("log/rows"), &format!("{ids}, true"), 3_000),
        ("sizes", log!("log/sizes"), &ids, 2_000),
        ("attempts", log!("log/attempts"), "20000, 50", 60),
        (
            "recount",
            log!("log/recount"),
            "gatepost_id('3'), 9999999",
            4_000,
        ),
        ("bound", log!("log/bound"), "'2026-01-01 10:00'", 400),
        (
            "replay_ids",
            log!("log/replay_ids", "log/replay_lock"),
            &ids,
            3_000,
        ),
        ("replay", log!("log/replay"), "now()", 60),
        (
            "cancel",
            ended!("log/waiting", log!("log/changed")),
            "'{2390000,2390020}', 'no', now(), '{NULL,NULL}', '{NULL,NULL}'",
            300,
        ),
        (
            "expire",
            ended!("log/expire_held", "SELECT count(*) FROM logged"),
            "now(), 'no', now(), 50, 999999999",
            100,
        ),
        ("delete_pick", log!("log/delete_pick"), "20000", 60),
        ("picked_claims", log!("gone/picked_claims"), "", 60),
        ("picked_deliveries", log!("gone/picked_deliveries"), "", 60),
        ("queue_stats", log!("log/queue_stats"), "", 20),
        (
            "hidden_pick",
            log!("log/hidden_pick", "log/replay_lock"),
            "gatepost_id('3'), 99999999, 50",
            3_000,
        ),
        ("hidden_delete", log!("log/hidden_delete"), "", 60),
        ("forget_old", log!("log/forget_old"), "50", 60),
        (
            "forget_default",
            log!("log/forget_default"),
            "50, 999999999",
            60,
        ),
        ("forget_seen", log!("log/forget_seen"), "50, now()", 60),
        ("forget_counts", log!("log/forget_counts"), "50, now()", 60),
        (
            "forget_rejected",
            log!("log/forget_rejected"),
            "50, now()",
            60,
        ),
        (
            "waits",
            log!("outbox/waits", "outbox/arrived", "outbox/waits_end"),
            "'me', now()",
            20,
        ),
        ("promote", log!("outbox/promote"), "now()", 60),
        ("take", log!("outbox/take"), "'me', 50, now(), now()", 60),
        (
            "give_back",
            log!("outbox/give_back"),
            "gatepost_id('7'), gatepost_id(NULL), 'me'",
            60,
        ),
        (
            "open",
            log!("outbox/open"),
            "gatepost_id('7'), gatepost_id(NULL), 9223372036854775807, 50",
            60,
        ),
    ] {
        let pages = pages(&client, sql, params).await;
        if pages > most {
            writeln!(worst, "{pages} pages: {name}").unwrap();
        }
    }
    assert_eq!(worst, "");
    // A newly arrived row is looked at only once.
    let look = log!("outbox/look", "outbox/arrived", "outbox/look_end").replace(":schema.", "");
    let first = pages(
        &client,
        log!("outbox/look", "outbox/arrived", "outbox/look_end"),
        "",
    )
    .await;
    assert!(
        first < 15_000,
        "{first} pages: the first look at 10,000 audiences"
    );
    for _ in 0..10_000 / 2_000 + 1 {
        client.batch_execute(&look).await.unwrap();
    }
    for (name, sql, params) in [
        (
            "waits",
            log!("outbox/waits", "outbox/arrived", "outbox/waits_end"),
            "'me', now()",
        ),
        (
            "look",
            log!("outbox/look", "outbox/arrived", "outbox/look_end"),
            "",
        ),
        ("promote", log!("outbox/promote"), "now()"),
        ("take", log!("outbox/take"), "'me', 50, now(), now()"),
        (
            "give_back",
            log!("outbox/give_back"),
            "gatepost_id('100'), gatepost_id(NULL), 'me'",
        ),
    ] {
        let pages = pages(&client, sql, params).await;
        assert!(pages < 1_000, "{pages} pages: {name}");
        if name == "promote" {
            client
                .batch_execute("UPDATE gatepost_outbox_turn SET ready = true WHERE due < now()")
                .await
                .unwrap();
        }
    }
}
