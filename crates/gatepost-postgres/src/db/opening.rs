//! Opens the connections of the pool.

use std::pin::Pin;

use deadpool_postgres::{ConfigConnectImpl, Connect};
use tokio::task::JoinHandle;
use tokio_postgres::{Client, Config, Error};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::login::Login;

/// Each with the password of the moment.
pub(super) struct Opening {
    login: Login,
    with: ConfigConnectImpl<MakeRustlsConnect>,
}

type Opened = Result<(Client, JoinHandle<()>), Error>;

impl Opening {
    pub(super) fn new(login: Login, tls: MakeRustlsConnect) -> Self {
        let with = ConfigConnectImpl { tls };
        Self { login, with }
    }
}

impl Connect for Opening {
    fn connect(&self, _: &Config) -> Pin<Box<dyn Future<Output = Opened> + Send + '_>> {
        self.with.connect(&self.login.now())
    }
}
