//! The command line.

use std::net::SocketAddr;
use std::path::PathBuf;

use crate::Failure;

/// What the platform prints for `--help`, or when it does not understand its options.
pub(crate) const USAGE: &str = "\
options:
  --listen ADDR              where to listen; 127.0.0.1:8080
  --data DIR|memory|URL      where everything is kept: a folder (DIR/gatepost.db), nowhere, or a PostgreSQL
                             database postgres://…; gatepost-data
  --seal-key-file FILE       seals the secrets of webhooks under the 64 hexadecimal digits in FILE; a new key is
                             written to it if it does not exist
  --tls-self-signed          speaks HTTPS with a certificate of its own, written to DIR/cert.pem
  --admin-password PW        the password of admin; by default a new one is made up at each start
  --allow-private-targets    lets webhooks reach this machine and private networks
  --unlimited                lifts the limits of all users";

/// What the command line says.
#[derive(Debug)]
pub(crate) struct Options {
    pub listen: SocketAddr,
    pub data: String,
    pub seal_key: Option<PathBuf>,
    pub tls: bool,
    pub password: String,
    pub private_targets: bool,
    pub unlimited: bool,
}

impl Options {
    /// `None` if only the usage was asked for.
    pub(crate) fn parse(mut args: impl Iterator<Item = String>) -> Result<Option<Self>, Failure> {
        let mut options = Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            data: "gatepost-data".into(),
            seal_key: None,
            tls: false,
            password: format!("{:016x}", rand::random::<u64>()),
            private_targets: false,
            unlimited: false,
        };
        while let Some(option) = args.next() {
            let mut value = || args.next().ok_or_else(|| format!("{option} needs a value"));
            match option.as_str() {
                "--listen" => {
                    let address = value()?.parse();
                    options.listen =
                        address.map_err(|_| "--listen needs an address such as 127.0.0.1:8080")?;
                }
                "--data" => options.data = value()?,
                "--seal-key-file" => options.seal_key = Some(value()?.into()),
                "--tls-self-signed" => options.tls = true,
                "--admin-password" => options.password = value()?,
                "--allow-private-targets" => options.private_targets = true,
                "--unlimited" => options.unlimited = true,
                "--help" | "-h" => return Ok(None),
                other => return Err(format!("unknown option {other}\n{USAGE}").into()),
            }
        }
        Ok(Some(options))
    }

    /// Whether everything is kept in a database elsewhere.
    pub(crate) fn postgres(&self) -> bool {
        self.data.starts_with("postgres://") || self.data.starts_with("postgresql://")
    }

    /// Where the certificate is written: beside the data, if that is a folder.
    pub(crate) fn certificate(&self) -> PathBuf {
        if self.data == "memory" || self.postgres() {
            PathBuf::from("cert.pem")
        } else {
            PathBuf::from(&self.data).join("cert.pem")
        }
    }
}
