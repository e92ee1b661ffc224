//! The connection that listens, with a heartbeat, reopened whenever it is lost.

use std::future::poll_fn;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use futures_util::FutureExt as _;
use gatepost_storage::keys::{KeyGeneration, KeyShard};
use gatepost_storage::{RecentChanges, StoreError};
use rand::RngExt as _;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, timeout};
use tokio_postgres::{AsyncMessage, Client, Row, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::lease::{BEAT, LEASE, Shared, VALID};
use crate::config::PostgresConfig;
use crate::db::{Param, Texts, together};
use crate::error::{Failure, Result};
use crate::login::Login;
use crate::notify::News;
use crate::settings::Settings;
use crate::tls;

/// The first pause before reconnecting, doubled up to the longest; each is shortened by a random
/// share of up to half.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

const BEGIN: &str = "BEGIN";

pub(super) struct Connector {
    login: Login,
    tls: MakeRustlsConnect,
    channel: String,
    texts: Texts,
    settings: Settings,
}

/// A connection that listens.
pub(super) struct Listening {
    client: Client,
    heard: mpsc::UnboundedReceiver<String>,
    renew: Statement,
    read: Statement,
    node: i64,
    /// The start of the last successful renewal of the lease.
    renewed: Option<Instant>,
}

impl Connector {
    pub(super) fn new(
        config: &PostgresConfig,
        channel: String,
    ) -> std::result::Result<Self, StoreError> {
        Ok(Self {
            // Distinct in the server's list of sessions, which shows the same `COMMIT` for all of
            // them.
            login: config.direct_driver()?.named("listening"),
            tls: tls::connector(config)?,
            channel,
            texts: Texts::of(config.schema_name()?),
            settings: config.direct().settings(),
        })
    }

    /// Opens the connection, listens, registers the node and beats once. In this order, a change
    /// after `LISTEN` is received, and a change before the registration is read by the beat.
    pub(super) async fn connect(&self, shared: &Shared) -> Result<Listening> {
        timeout(LEASE * 3, self.open(shared))
            .await
            .map_err(|_| Failure::unavailable("the database did not answer in time"))?
    }

    async fn open(&self, shared: &Shared) -> Result<Listening> {
        let (client, mut connection) = self.login.now().connect(self.tls.clone()).await?;
        let (hear, heard) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            // Ends with the connection or, because the client is dropped, with the listener.
            while let Some(Ok(message)) = poll_fn(|cx| connection.poll_message(cx)).await {
                if let AsyncMessage::Notification(note) = message {
                    let _ = hear.send(note.payload().to_owned());
                }
            }
        });
        if let Some(session) = self.settings.of_session() {
            client.batch_execute(&session).await?;
        }
        shared.fence.look(&client, BEGIN, &self.texts).await?;
        let listen = format!("LISTEN \"{}\"", self.channel);
        client.batch_execute(&listen).await?;
        let ready = async |sql| client.prepare(&self.texts.written(sql)).await;
        let register = ready(sql!("node/register")).await?;
        let lease = LEASE.as_secs_f64();
        let params: [Param<'_>; 1] = [&lease];
        let registered = together(&client, BEGIN, &[(&register, &params)]).await?;
        let row = registered.first().and_then(|one| one.rows.first());
        let row = row.ok_or_else(Failure::nothing)?;
        let node: i64 = row.try_get(0)?;
        let renew = ready(sql!("node/renew")).await?;
        let read = ready(sql!("node/read")).await?;
        let mut listening = Listening {
            client,
            heard,
            renew,
            read,
            node,
            renewed: None,
        };
        shared.generation.rejoined(node);
        listening.beat(shared).await?;
        Ok(listening)
    }
}

impl Listening {
    /// Renews the lease, and reads the generation and the shards that moved.
    ///
    /// A revocation that the read does not see must find a lease and wait for this node; otherwise
    /// it returns while this node still accepts the key. While the transaction is under way the
    /// revocation finds the previous lease: if that may have expired by the end, the result is
    /// discarded and read again under the new lease. The beat is repeated if the generation has
    /// moved, so that the new one is acknowledged immediately.
    async fn beat(&mut self, shared: &Shared) -> Result<()> {
        loop {
            let (began, acknowledged) = (Instant::now(), shared.generation.acknowledged());
            let lease = LEASE.as_secs_f64();
            let renewal: [Param<'_>; 3] = [&self.node, &acknowledged, &lease];
            let most = i64::try_from(RecentChanges::KEPT).unwrap_or(i64::MAX);
            let since: [Param<'_>; 2] = [&acknowledged, &most];
            let both: [(&Statement, &[Param<'_>]); 2] =
                [(&self.renew, &renewal), (&self.read, &since)];
            let beat = async {
                let mut beat = together(&self.client, BEGIN, &both).await?;
                if self
                    .renewed
                    .is_none_or(|renewed| renewed.elapsed() >= VALID)
                {
                    beat.truncate(1);
                    beat.extend(together(&self.client, BEGIN, &both[1..]).await?);
                }
                Ok::<_, Failure>(beat)
            };
            let beat = timeout(VALID, beat)
                .await
                .map_err(|_| Failure::unavailable("the heartbeat had no answer"))??;
            if beat.first().is_none_or(|renewed| renewed.count != 1) {
                return Err(Failure::unavailable("the row of this node is missing"));
            }
            self.renewed = Some(began);
            let moved: Vec<_> = beat.into_iter().skip(1).flat_map(|one| one.rows).collect();
            let missing = || Failure::corrupt("key generation", "the row is missing");
            let first = moved.first().ok_or_else(missing)?;
            shared.fence.found(first.try_get("version")?, began)?;
            let generation: i64 = first.try_get(0)?;
            if generation < acknowledged {
                return Err(Failure::unavailable("the database went back in time"));
            }
            // Before the shards move, so that a caller that sees a moved shard finds its changes.
            remember(shared, (acknowledged, generation), &moved)?;
            for row in &moved {
                let shard: Option<i16> = row.try_get("shard")?;
                if let Some(shard) = shard.and_then(|shard| u8::try_from(shard).ok()) {
                    let of_shard = row.try_get("of_shard")?;
                    shared.generation.heard(KeyShard(shard), of_shard);
                }
            }
            shared.generation.confirmed(generation, began, VALID);
            if generation == acknowledged {
                return Ok(());
            }
        }
    }

    /// Beats, and handles each notification immediately, until the connection is lost.
    async fn listen(&mut self, shared: &Shared) -> Failure {
        loop {
            match timeout(BEAT, self.heard.recv()).await {
                Ok(None) => return Failure::unavailable("the listening connection was lost"),
                Ok(Some(note)) => {
                    if shared.ear.take(&note) {
                        continue;
                    }
                    // A key was changed: the beat reads which shards moved.
                }
                Err(_) => {}
            }
            if let Err(failure) = self.beat(shared).await {
                return failure;
            }
        }
    }
}

/// Remembers the changes after one generation of the database and up to another. If a key cannot be
/// read, the remembered changes begin after it.
fn remember(shared: &Shared, (since, up_to): (i64, i64), moved: &[Row]) -> Result<()> {
    let number = |generation| KeyGeneration(shared.generation.number(generation));
    let mut changes = Vec::new();
    for row in moved {
        let key: Option<&str> = row.try_get("lookup")?;
        if let Some(Ok(key)) = key.map(str::parse) {
            changes.push((number(row.try_get("changed")?), key));
        }
    }
    let mut recent = shared.recent.lock().unwrap_or_else(PoisonError::into_inner);
    recent.add(number(since), number(up_to), &changes);
    Ok(())
}

/// Listens, and reconnects whenever the connection is lost. A panic (of the platform's subscriber,
/// say) costs the connection.
pub(super) async fn keep_alive(connector: Connector, first: Listening, shared: Arc<Shared>) {
    let mut listening = Some(first);
    while AssertUnwindSafe(listen_always(&connector, &mut listening, &shared))
        .catch_unwind()
        .await
        .is_err()
    {
        shared.generation.lost();
        sleep(FIRST_PAUSE).await;
    }
}

async fn listen_always(connector: &Connector, listening: &mut Option<Listening>, shared: &Shared) {
    loop {
        if let Some(mut listening) = listening.take() {
            let failure = listening.listen(shared).await;
            shared.generation.lost();
            tracing::warn!(
                cause = failure.cause(),
                "no notice of changed keys arrives; until it does, keys are read from the database"
            );
        }
        let mut pause = FIRST_PAUSE;
        *listening = loop {
            let share = rand::rng().random_range(0.5..=1.0);
            sleep(pause.mul_f64(share)).await;
            match connector.connect(shared).await {
                Ok(listening) => break Some(listening),
                Err(failure) => {
                    tracing::debug!(cause = failure.cause(), "no listening connection yet");
                }
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
        };
        // Notifications in between were missed.
        shared.ear.hear(News::all());
        tracing::info!("notices of changed keys arrive again");
    }
}
