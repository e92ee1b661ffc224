//! The types of a statement's parameters, for statements without a name.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use gatepost_storage::StoreError;
use tokio::sync::Mutex;
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::haste::Haste;
use super::statement::prepared;
use crate::config::PostgresConfig;
use crate::error::{Failure, Result};
use crate::login::Login;
use crate::tls;

/// How many texts are remembered; then all are forgotten.
const MOST: usize = 1_024;
/// How long the connection stays that asked for the last one.
const STAY: Duration = Duration::from_secs(2);
/// How long an answer is waited for.
const WAIT: Duration = Duration::from_secs(10);

/// Of the parameters of a statement, in order.
type Types = Arc<[Type]>;

/// Asks the server itself, past the pooler, once for each text.
#[derive(Clone)]
pub(crate) struct Learner {
    known: Arc<RwLock<HashMap<Arc<str>, Types>>>,
    direct: Arc<Direct>,
}

struct Direct {
    login: Login,
    tls: MakeRustlsConnect,
    haste: Haste,
    open: Mutex<Open>,
}

/// The connection, and how often it was used.
#[derive(Default)]
struct Open {
    client: Option<Client>,
    used: u64,
}

impl Learner {
    pub(crate) fn new(
        config: &PostgresConfig,
        haste: &Haste,
    ) -> std::result::Result<Self, StoreError> {
        let direct = Direct {
            login: config.direct_driver()?,
            tls: tls::connector(config)?,
            haste: haste.clone(),
            open: Mutex::default(),
        };
        Ok(Self {
            known: Arc::default(),
            direct: Arc::new(direct),
        })
    }

    /// The types of the parameters of a statement.
    pub(crate) async fn types(&self, text: &Arc<str>, begin: &str) -> Result<Types> {
        if let Some(types) = self.known(text) {
            return Ok(types);
        }
        let asked = tokio::time::timeout(WAIT, self.direct.prepared(text, begin));
        let asked = asked
            .await
            .map_err(|_| Failure::unavailable("the database did not answer in time"))?;
        let types: Types = asked?.params().into();
        let mut all = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MOST {
            all.clear();
        }
        all.insert(Arc::clone(text), Arc::clone(&types));
        Ok(types)
    }

    fn known(&self, text: &str) -> Option<Types> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.get(text).map(Arc::clone)
    }
}

impl Direct {
    /// One caller at a time.
    async fn prepared(self: &Arc<Self>, text: &str, begin: &str) -> Result<Statement> {
        let mut open = self.open.lock().await;
        open.used += 1;
        let client = match open.client.take().filter(|client| !client.is_closed()) {
            Some(client) => client,
            None => {
                let (client, connection) = self.login.now().connect(self.tls.clone()).await?;
                tokio::spawn(connection);
                tokio::spawn(Arc::clone(self).close_when_idle());
                client
            }
        };
        let prepared = prepared(&client, (&self.haste, begin), text).await?;
        open.client = Some(client);
        Ok(prepared)
    }

    async fn close_when_idle(self: Arc<Self>) {
        let mut used = 0;
        loop {
            tokio::time::sleep(STAY).await;
            let mut open = self.open.lock().await;
            if open.used == used {
                open.client = None;
                return;
            }
            used = open.used;
        }
    }
}
