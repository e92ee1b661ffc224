//! A process for each test.

use std::process::Command;
use std::sync::{Mutex, PoisonError};

/// Set in the process of a test's own, to the name of the test.
const VARIABLE: &str = "GATEPOST_TEST_OWN_PROCESS";

/// One process at a time: what one test measures the next must not load.
static TURN: Mutex<()> = Mutex::new(());

/// Whether this is the test's own process: if so, it does its work. If not, this runs the test in
/// a new process and passes on what that printed; the test then has nothing left to do.
///
/// `test` is the whole path: `concat!(module_path!(), "::name")`.
///
/// # Panics
/// If the test fails in its process, or is not found there.
pub(crate) fn is_own_process(test: &str) -> bool {
    if std::env::var(VARIABLE).is_ok_and(|own| own == test) {
        return true;
    }
    let (_, name) = test.split_once("::").unwrap();
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let output = Command::new(std::env::current_exe().unwrap())
        .args([name, "--exact", "--nocapture"])
        .env(VARIABLE, test)
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && printed.contains("test result: ok. 1 passed"),
        "{printed}{complained}"
    );
    print!("{printed}");
    false
}
