//! A program that emits on demand. It prints `ready`; at each line `go FROM COUNT` it emits that
//! number of messages with these numbers, 256 at a time, and prints `accepted` when all of them are
//! stored.
//!
//! The peers of `benches/peers`, which are not part of this workspace, include this file too.

use std::io::BufRead as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of concurrent emits.
pub const EMITTERS: usize = 256;

/// Emits the number of occurrences that each line of the standard input requests, until its end.
///
/// # Panics
/// If an order cannot be read, or an emit panics.
#[allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "a measurement stops where it cannot be taken"
)]
pub async fn on_demand<F>(emit: impl Fn(u64) -> F + Clone + Send + 'static)
where
    F: Future<Output = ()> + Send,
{
    println!("ready");
    // Read on a separate thread: calls under way are not held up.
    let (told, mut lines) = tokio::sync::mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            told.send(line.unwrap()).unwrap();
        }
    });
    while let Some(line) = lines.recv().await {
        let words: Vec<&str> = line.split(' ').collect();
        let (from, count): (u64, u64) = (words[1].parse().unwrap(), words[2].parse().unwrap());
        let next = Arc::new(AtomicU64::new(from));
        let mut emitters = tokio::task::JoinSet::new();
        for _ in 0..EMITTERS {
            let (emit, next) = (emit.clone(), Arc::clone(&next));
            emitters.spawn(async move {
                loop {
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    if n >= from + count {
                        break;
                    }
                    emit(n).await;
                }
            });
        }
        emitters.join_all().await;
        println!("accepted");
    }
}
