//! A store of the first version is opened by a process that is killed in the middle of it, as often
//! as that takes; then by one that is not.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

use tests::postgres::fresh;
use tests::upgrade::{OldDatabase, versions};
use tokio::time::Instant;

/// Enough that opening takes a while, beside the start of a process.
const ROWS: u32 = 20_000;
/// Kills are spread over the time that opening takes.
const KILLS: u32 = 8;

/// Lets a process open a store and kills it this long after it has begun to, if it has not ended
/// by then. `None`: it had. Otherwise how long it took.
fn opens(place: &[&str], kill_after: Option<Duration>) -> Option<Duration> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_upgrade"))
        .args(place)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    output.read_line(&mut line).unwrap();
    let began = Instant::now();
    if let Some(time) = kill_after {
        std::thread::sleep(time);
        child.kill().unwrap();
    }
    let ended = child.wait().unwrap();
    assert!(
        ended.success() || kill_after.is_some(),
        "it could not be opened"
    );
    ended.success().then(|| began.elapsed())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_takes_a_killed_upgrade_back_and_loses_nothing() {
    let newest = versions("gatepost-postgres");
    let whole = OldDatabase::at(fresh());
    whole.write(1, ROWS).await;
    let before = whole.contents().await;
    let took = opens(&place(&whole), None).unwrap();
    assert_eq!(whole.contents().await, before);
    let database = OldDatabase::at(fresh());
    database.write(1, ROWS).await;
    let mut halfway = 0;
    for nth in 0..KILLS {
        if opens(&place(&database), Some(took * nth / KILLS)).is_some() {
            break;
        }
        let version = database.version().await;
        assert!(version == 1 || version == newest, "{version} is half of it");
        assert_eq!(database.contents().await, before, "{nth} of {KILLS}");
        halfway += u32::from(version == 1);
    }
    assert!(halfway > 0, "none was killed before its end");
    opens(&place(&database), None).unwrap();
    assert_eq!(database.contents().await, before);
    assert_eq!(database.version().await, newest);
}

fn place(database: &OldDatabase) -> [&str; 3] {
    let at = database.place();
    ["open-postgres", &at.url, &at.schema]
}
