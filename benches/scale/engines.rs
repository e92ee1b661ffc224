//! Engines in separate processes, which do only their own background work.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use benches::platform::{Kind, Platform};
use benches::process::process_cpu;

/// Processes that run until this value is dropped.
pub(crate) struct Engines(Vec<Child>);

impl Engines {
    /// Starts this number of processes on that store; each has started when this returns.
    pub(crate) fn start(count: usize, kind: Kind, place: &str) -> Self {
        let started = (0..count).map(|_| {
            Command::new(std::env::current_exe().unwrap())
                .args(["--engine", &kind.to_string(), place])
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .unwrap()
        });
        let mut own = Self(started.collect());
        for child in &mut own.0 {
            let mut line = String::new();
            let output = child.stdout.as_mut().unwrap();
            BufReader::new(output).read_line(&mut line).unwrap();
            assert_eq!(line, "ready\n");
        }
        own
    }

    /// Returns the CPU time that they have used so far.
    pub(crate) fn cpu(&self) -> Duration {
        self.0.iter().map(|child| process_cpu(child.id())).sum()
    }
}

impl Drop for Engines {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Runs one of them until its input ends.
pub(crate) async fn run(kind: Kind, place: &str) {
    let platform = Platform::at(kind, place).await;
    let engine = platform.engine().await;
    println!("ready");
    let ended = tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new()));
    drop(ended.await);
    drop(engine);
}
