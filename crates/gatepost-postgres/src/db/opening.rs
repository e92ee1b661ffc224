//! Opens the connections of the pool.

use std::pin::Pin;

use deadpool_postgres::{ConfigConnectImpl, Connect};
use tokio::task::JoinHandle;
use tokio_postgres::{Client, Config, Error};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::login::Login;
use crate::settings::Settings;

/// Opens connections with the current password and the settings of the store.
pub(super) struct Opening {
    login: Login,
    session: Option<String>,
    with: ConfigConnectImpl<MakeRustlsConnect>,
}

type Opened = Result<(Client, JoinHandle<()>), Error>;

impl Opening {
    pub(super) fn new(login: Login, tls: MakeRustlsConnect, settings: &Settings) -> Self {
        let with = ConfigConnectImpl { tls };
        Self {
            login,
            session: settings.of_session(),
            with,
        }
    }
}

impl Connect for Opening {
    fn connect(&self, _: &Config) -> Pin<Box<dyn Future<Output = Opened> + Send + '_>> {
        Box::pin(async {
            let (client, connection) = self.with.connect(&self.login.now()).await?;
            if let Some(session) = &self.session {
                client.batch_execute(session).await?;
            }
            Ok((client, connection))
        })
    }
}
