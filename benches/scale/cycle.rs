//! The durable cycle: emitted in one process, stored, sent over HTTP to another one, recorded. The
//! receiver's own count ends the run; until then nothing reads the store.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::SocketAddr;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use benches::platform::Kind;
use benches::process::process_cpu;
use benches::server::Server;

use crate::receiver::until;
use crate::stage::{Stage, server_of};

/// The time for recording the last outcomes after the last message has arrived: that counts as CPU
/// time and write-ahead log, not as time.
const RECORDING: Duration = Duration::from_secs(1);

/// A process that emits, and its measurements.
pub(crate) struct Cycle {
    child: Child,
    orders: ChildStdin,
    answers: BufReader<ChildStdout>,
    receiver: SocketAddr,
    server: Option<Server>,
}

/// The results of a run, for each message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    /// Messages stored per second.
    pub(crate) accepted: f64,
    /// Messages arrived per second.
    pub(crate) rate: f64,
    /// CPU time of the emitting process, in µs.
    pub(crate) own: f64,
    /// CPU time of all of PostgreSQL's processes, in µs.
    pub(crate) server: f64,
    /// Bytes that PostgreSQL has written to its write-ahead log.
    pub(crate) wal: f64,
}

impl Cycle {
    /// Starts Gatepost: `tenants` or `one` system, messages of this size.
    pub(crate) async fn start(stage: &Stage, system: &str, place: &str, bytes: usize) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--emit", system]);
        Self::start_as(stage, command, place, bytes).await
    }

    /// Starts a process with this command, which gets the backend, the store's location, the
    /// receiver's port and the size of a message as arguments.
    pub(crate) async fn start_as(
        stage: &Stage,
        mut command: Command,
        place: &str,
        bytes: usize,
    ) -> Self {
        let receiver = stage.receiver.addr;
        let mut child = command
            .args([&stage.kind.to_string(), place])
            .args([receiver.port().to_string(), bytes.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut own = Self {
            orders: child.stdin.take().unwrap(),
            answers: BufReader::new(child.stdout.take().unwrap()),
            child,
            receiver,
            server: server_of(stage.kind, place).await,
        };
        own.expect("ready");
        own
    }

    /// Emits this number of messages, and waits until all have arrived and are recorded.
    pub(crate) async fn run(&mut self, stage: &mut Stage, count: i64) -> Run {
        let count = count.cast_unsigned();
        let before = self.costs().await;
        let begun = Instant::now();
        writeln!(self.orders, "go {} {count}", stage.numbers).unwrap();
        stage.numbers += count;
        self.expect("accepted");
        let accepted = begun.elapsed();
        until(self.receiver, stage.numbers);
        let arrived = begun.elapsed();
        tokio::time::sleep(RECORDING).await;
        let after = self.costs().await;
        let messages = count as f64;
        let [own, server, wal] = [0, 1, 2].map(|n| (after[n] - before[n]) / messages);
        Run {
            accepted: messages / accepted.as_secs_f64(),
            rate: messages / arrived.as_secs_f64(),
            own,
            server,
            wal,
        }
    }

    /// Returns the CPU time of the process and of the server in µs, and bytes of its write-ahead
    /// log.
    async fn costs(&self) -> [f64; 3] {
        let own = process_cpu(self.child.id()).as_secs_f64() * 1e6;
        match &self.server {
            Some(server) => [own, server.cpu().as_secs_f64() * 1e6, server.wal().await],
            None => [own, 0.0, 0.0],
        }
    }

    fn expect(&mut self, word: &str) {
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        assert_eq!(line.trim(), word, "from the process that emits");
    }
}

impl Drop for Cycle {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Prints the results of each run of one contender.
pub(crate) fn print(kind: Kind, what: &str, runs: &[Run], goals: [&str; 3]) {
    let all = |of: fn(&Run) -> f64| runs.iter().map(of).collect::<Vec<_>>();
    let row = |name: &str, of, unit, goal| {
        crate::report::row(kind, &format!("{what}: {name}"), &all(of), unit, goal);
    };
    row("accepted", |run| run.accepted, "a second", "");
    row("cycles", |run| run.rate, "a second", "");
    row(
        "CPU of the process, a message",
        |run| run.own,
        "µs",
        goals[0],
    );
    if kind == Kind::Postgres {
        row(
            "CPU of PostgreSQL, a message",
            |run| run.server,
            "µs",
            goals[1],
        );
        row("WAL, a message", |run| run.wal, "bytes", goals[2]);
    }
}
