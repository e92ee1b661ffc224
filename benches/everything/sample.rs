//! One sample of all values.

use std::fmt;

use benches::server::Server;
use tests::hostile::{Attacked, Phase};
use tests::process;

const MIB: f64 = 1024.0 * 1024.0;

/// The measured values: the name of each, and the amount added to a twentieth of growth before it
/// counts.
pub(crate) const FIGURES: [(&str, f64); 9] = [
    ("p50, ms", 2.0),
    ("p99, ms", 10.0),
    ("memory of the platform, MiB", 16.0),
    ("its threads", 4.0),
    ("its open files", 20.0),
    ("memory of the server's processes, MiB", 64.0),
    ("waiting deliveries", 500.0),
    ("the queue's tables, MiB", 16.0),
    ("tables of records, MiB", 16.0),
];

/// A window of the nine's work, and the values at its end.
#[derive(Clone, Debug)]
pub(crate) struct Look {
    /// One of each of [`FIGURES`].
    pub figures: [f64; FIGURES.len()],
    /// The longest request, in milliseconds.
    longest: f64,
    /// The errors of the nine.
    pub errors: Vec<String>,
    /// The size of the log's tables, which grow with the deliveries, in MiB.
    pub log: f64,
}

impl Look {
    pub(crate) const HEADINGS: &str = "p50, p99, longest | memory, threads, files | the server's \
        memory, waiting | queue, records, log | errors";

    pub(crate) async fn of(phase: &Phase, attacked: &Attacked, server: &Server) -> Self {
        let pid = attacked.platform().pid();
        let millis = |per_mille| phase.within(per_mille).as_secs_f64() * 1e3;
        let files = std::fs::read_dir(format!("/proc/{pid}/fd"))
            .unwrap()
            .count();
        let queue = mib(server, "c.relname ~ '^gatepost_(queue|running)'").await;
        let log = mib(server, "c.relname ~ '^gatepost_(delivery|outcome|attempt)'").await;
        let all = mib(server, "c.relname ~ '^gatepost_'").await;
        Self {
            figures: [
                millis(500),
                millis(990),
                phase.resident as f64 / MIB,
                process::status(pid, "Threads").unwrap() as f64,
                files as f64,
                server.memory() as f64 / MIB,
                number(
                    server,
                    "SELECT count(*)::float8 FROM gatepost.gatepost_queue",
                )
                .await,
                queue,
                all - queue - log,
            ],
            longest: millis(1_000),
            errors: phase.errors.clone(),
            log,
        }
    }
}

/// Returns the size of tables with their indexes.
async fn mib(server: &Server, which: &str) -> f64 {
    let sql = format!(
        "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::float8 FROM pg_class c
         JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = 'gatepost'
         WHERE c.relkind = 'r' AND {which}"
    );
    number(server, &sql).await / MIB
}

async fn number(server: &Server, sql: &str) -> f64 {
    server.client.query_one(sql, &[]).await.unwrap().get(0)
}

impl fmt::Display for Look {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [
            p50,
            p99,
            memory,
            threads,
            files,
            server,
            waiting,
            queue,
            records,
        ] = self.figures;
        write!(
            f,
            "{p50:.1}, {p99:.1}, {:.0} ms | {memory:.0} MiB, {threads}, {files} | {server:.0} MiB, \
             {waiting} | {queue:.0}, {records:.0}, {:.0} MiB | {}",
            self.longest,
            self.log,
            self.errors.len()
        )
    }
}
