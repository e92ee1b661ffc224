//! The primary is killed in the middle of load and its synchronous standby promoted: no accepted
//! delivery is lost, and the application continues by itself.

use std::time::Duration;

use tests::chaos::{Mode, Place, Run};
use tests::postgres::TestPostgres;

const CHILD: &str = env!("CARGO_BIN_EXE_chaos_child");
/// The time limit until it accepts again after the promotion: 5 s on a quiet machine.
const HEALED: Duration = Duration::from_secs(30);

#[tokio::test(flavor = "multi_thread")]
async fn a_failover_to_a_synchronous_standby_loses_nothing() {
    let primary = TestPostgres::start();
    let standby = primary.synchronous_standby();
    let url = format!(
        "postgres://gatepost@127.0.0.1:{},127.0.0.1:{}/postgres?sslmode=disable",
        primary.port(),
        standby.port()
    );
    let place = Place::on(&url);
    let mut run = Run::new(place, CHILD).await;
    let child = run.child(Mode::Emit, 1);
    child.pause(HEALED).await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    primary.kill();
    standby.promote();
    let took = child.pause(HEALED).await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    run.kill(child);
    let evidence = run.end().await;
    eprintln!(
        "accepting again {took:?} after the promotion; {} accepted, {} deliveries",
        evidence.told.accepted.len(),
        evidence.deliveries.len()
    );
    assert!(evidence.told.accepted.len() > 100, "nothing was under way");
    let verdict = evidence.judge();
    assert!(verdict.violations.is_empty(), "{verdict}");
}
