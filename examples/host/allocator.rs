//! The allocator of this process, and how soon it gives memory back.

use std::env;

use mimalloc::MiMalloc;

/// It gives back what is freed; the one of the C library keeps 100 MiB and more of what requests
/// and password checks needed once.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// How long it keeps freed pages, in milliseconds: not at all. Of its own it keeps them for a
/// second, and a process whose users do their worst holds half as much again (BENCHMARKS.md).
const PURGE_DELAY: (&str, &str) = ("MIMALLOC_PURGE_DELAY", "0");

/// Has pages go back soon. The allocator reads its options before `main` begins, so the process
/// starts itself once more, with the option in its environment. Where the operator has set it, or
/// this cannot be done, all stays as it is.
pub(crate) fn give_back_soon() {
    if env::var_os(PURGE_DELAY.0).is_none() {
        begin_again();
    }
}

/// Returns only if it fails.
#[cfg(unix)]
fn begin_again() {
    use std::os::unix::process::CommandExt as _;
    use std::process::Command;

    let Ok(program) = env::current_exe() else {
        return;
    };
    let (mut again, mut given) = (Command::new(program), env::args_os());
    if let Some(name) = given.next() {
        again.arg0(name);
    }
    let (option, millis) = PURGE_DELAY;
    drop(again.args(given).env(option, millis).exec());
}

#[cfg(not(unix))]
fn begin_again() {}
