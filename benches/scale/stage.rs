//! Shared setup of the cases of one call: a server, a receiver, a store with a long history.

use std::sync::Arc;

use benches::Receiver;
use benches::bulk::Bulk;
use benches::platform::{Kind, Platform, fresh_place_on, now};
use benches::server::Server;
use chrono::TimeDelta;
use tempfile::TempDir;
use tests::postgres::TestPostgres;

use crate::emitter::owner;

/// The number of deliveries in the log of [`Stage::kept`].
const KEPT: i64 = 10_000_000;
/// The number of webhooks of that log, each of another tenant: enough for all of it to be shown.
pub(crate) const KEPT_TENANTS: i64 = 4_000;

pub(crate) struct Stage {
    pub(crate) kind: Kind,
    pub(crate) short: bool,
    pub(crate) receiver: Receiver,
    server: Option<TestPostgres>,
    rounds: Option<usize>,
    kept: Option<Store>,
    /// The number of messages emitted so far, by any process.
    pub(crate) numbers: u64,
}

/// A store of a case.
#[derive(Debug)]
pub(crate) struct Store {
    pub(crate) kind: Kind,
    /// A file, or a server's URL.
    pub(crate) place: String,
    folder: TempDir,
}

impl Stage {
    pub(crate) fn new(kind: Kind, short: bool, rounds: Option<usize>) -> Self {
        if short {
            println!("short: a tenth of what the lines say");
        }
        Self {
            kind,
            short,
            receiver: Receiver::start(),
            server: (kind == Kind::Postgres).then(TestPostgres::start),
            rounds,
            kept: None,
            numbers: 0,
        }
    }

    /// Returns the number, or a tenth of it in a short run.
    pub(crate) fn scaled(&self, number: i64) -> i64 {
        if self.short { number / 10 } else { number }
    }

    /// Returns the number of repetitions of a case, the usual one by default.
    pub(crate) fn rounds(&self, usual: usize) -> usize {
        self.rounds.unwrap_or(usual)
    }

    /// Creates an empty store.
    pub(crate) async fn fresh(&self) -> Store {
        let url = self.server.as_ref().map_or("", TestPostgres::url);
        let (place, folder) = fresh_place_on(self.kind, url).await;
        Store {
            kind: self.kind,
            place,
            folder,
        }
    }

    /// Returns the location of a store with 10,000,000 ended deliveries of the last 30 days. The
    /// first [`EMITTED`](crate::emitter::EMITTED) tenants are those that emitters emit to.
    pub(crate) async fn kept(&mut self) -> String {
        if self.kept.is_none() {
            let store = self.fresh().await;
            let port = self.receiver.addr.port();
            store.hooks(port, KEPT_TENANTS, true).await;
            let mut bulk = store.bulk().await;
            let until = now() - TimeDelta::hours(1);
            let rows = self.scaled(KEPT);
            bulk.ended(rows, until - TimeDelta::days(30), until).await;
            self.kept = Some(store);
        }
        self.kept.as_ref().unwrap().place.clone()
    }

    pub(crate) async fn end(mut self) {
        if let Some(kept) = self.kept.take() {
            kept.remove().await;
        }
    }
}

impl Store {
    /// Returns a connection that writes rows.
    pub(crate) async fn bulk(&self) -> Bulk {
        Bulk::at(self.kind, &self.place).await
    }

    /// Creates a webhook for each of these tenants, which sends to this port; with a task and an
    /// event, or without. Nothing has the store open afterwards.
    pub(crate) async fn hooks(&self, port: u16, tenants: i64, with_tasks: bool) {
        let platform = Platform::at(self.kind, &self.place).await;
        let platform = Arc::new(platform.with_bytes(200));
        let url = format!("http://target.test:{port}/");
        let tasks = usize::from(with_tasks);
        platform
            .records_of_all((1..=tenants).map(owner), &url, tasks)
            .await;
    }

    /// Returns the server, if it has one.
    pub(crate) async fn server(&self) -> Option<Server> {
        server_of(self.kind, &self.place).await
    }

    /// Frees its disk space.
    pub(crate) async fn remove(self) {
        if self.kind == Kind::Postgres {
            let mut url: url::Url = self.place.parse().unwrap();
            let name = url.path().trim_start_matches('/').to_owned();
            url.set_path("postgres");
            let server = Server::open(url.as_str()).await;
            let drop = format!("DROP DATABASE {name} WITH (FORCE)");
            server.client.batch_execute(&drop).await.unwrap();
        }
        drop(self.folder);
    }
}

/// Returns the server of a store at this location, if it has one.
pub(crate) async fn server_of(kind: Kind, place: &str) -> Option<Server> {
    match kind {
        Kind::Sqlite => None,
        Kind::Postgres => Some(Server::open(place).await),
    }
}
