//! The allocator of this process, and how soon it gives memory back.

use std::env;

use mimalloc::MiMalloc;

/// An allocator that returns freed memory to the system; the C library's keeps 100 MiB and more of
/// the memory that requests and password checks needed once.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// How long the allocator keeps freed pages, in milliseconds: not at all. Its default is a second,
/// and a process whose users do their worst then holds half as much again (BENCHMARKS.md).
const PURGE_DELAY: (&str, &str) = ("MIMALLOC_PURGE_DELAY", "0");

/// Makes the allocator return pages soon. It reads its options before `main` begins, so the process
/// starts itself once more, with the option in its environment. If the operator has set the option,
/// or the process cannot be started again, nothing changes.
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
