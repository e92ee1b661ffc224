//! The server crashes, cuts connections and refuses writes in the middle of load: nothing is lost,
//! and nobody must intervene.

use std::time::Duration;

use tests::chaos::{Mode, Place, Run};
use tests::postgres::TestPostgres;

const CHILD: &str = env!("CARGO_BIN_EXE_chaos_child");
/// The time limit until it recovers by itself: 5 s on a quiet machine, as the store's README says.
const HEALED: Duration = Duration::from_secs(30);
/// The longest time for which an engine does not try again to record an ended delivery: a kill
/// repeats unrecorded ones, and the last trouble must not be counted as the kill's.
const RECORDED: Duration = Duration::from_secs(2);
/// The number of deliveries for each trouble, or nothing was under way.
const ENOUGH: usize = 3;

/// Returns the number of troubles of each kind; `GATEPOST_RESTARTS` for more.
fn rounds() -> u32 {
    let wanted = std::env::var("GATEPOST_RESTARTS").ok();
    wanted.and_then(|n| n.parse().ok()).unwrap_or(7)
}

async fn admin(url: &str, statement: &str) {
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls)
        .await
        .unwrap();
    tokio::spawn(connection);
    client.simple_query(statement).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn crashes_cut_connections_and_refused_writes_lose_nothing() {
    let server = TestPostgres::start();
    let place = Place::on(server.url());
    let mut run = Run::new(place, CHILD).await;
    let child = run.child(Mode::Emit, 1);
    child.pause(HEALED).await;
    let mut pauses = [Duration::ZERO; 3];
    for round in 0..rounds() {
        for (kind, longest) in pauses.iter_mut().enumerate() {
            tokio::time::sleep(Duration::from_millis(u64::from(150 + 37 * (round % 5)))).await;
            match kind {
                0 => server.crash_and_restart(),
                1 => {
                    let all = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                               WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'";
                    admin(server.url(), all).await;
                }
                _ => {
                    // Half-way through a failover: reads are answered, writes refused.
                    let refuse = "ALTER SYSTEM SET default_transaction_read_only = on";
                    admin(server.url(), refuse).await;
                    admin(server.url(), "SELECT pg_reload_conf()").await;
                    tokio::time::sleep(Duration::from_millis(300)).await;
                    let url = format!(
                        "{}&options=-c%20default_transaction_read_only%3Doff",
                        server.url()
                    );
                    admin(&url, "ALTER SYSTEM RESET default_transaction_read_only").await;
                    admin(&url, "SELECT pg_reload_conf()").await;
                }
            }
            *longest = (*longest).max(child.pause(HEALED).await);
        }
    }
    tokio::time::sleep(RECORDED).await;
    run.kill(child);
    let evidence = run.end().await;
    let troubles = usize::try_from(rounds()).unwrap() * 3;
    eprintln!(
        "{troubles} troubles; longest pause after a crash {:?}, after cut connections {:?}, after refused writes {:?}; {} accepted, {} deliveries",
        pauses[0],
        pauses[1],
        pauses[2],
        evidence.told.accepted.len(),
        evidence.deliveries.len()
    );
    let accepted = evidence.told.accepted.len();
    assert!(accepted > ENOUGH * troubles, "nothing was under way");
    let verdict = evidence.judge();
    assert!(verdict.violations.is_empty(), "{verdict}");
}
