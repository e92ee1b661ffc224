//! The command line.

use std::net::SocketAddr;
use std::path::PathBuf;

use examples::passwords::Password;
use examples::private;

use crate::Failure;

/// Where the administrator's password may stand, instead of on the command line.
const PASSWORD_VARIABLE: &str = "GATEPOST_ADMIN_PASSWORD";

/// What the platform prints for `--help`, or when it does not understand its options.
pub(crate) const USAGE: &str = "\
options:
  --listen ADDR              where to listen; 127.0.0.1:8080
  --data DIR|memory|URL      where everything is kept: a folder (DIR/gatepost.db), nowhere, or a PostgreSQL
                             database postgres://…; gatepost-data
  --state DIR                where the hashes of passwords, the sealing key and the certificate are; by default
                             the folder of the data, or gatepost-data
  --seal-key-file FILE       seals the secrets of webhooks under the 64 hexadecimal digits in FILE, which is made
                             if there is none yet; seal.key in the folder of --state
  --tls-self-signed          speaks HTTPS with a certificate of its own, cert.pem in the folder of --state
  --admin-password-file FILE the password of admin, from now on; so says the variable GATEPOST_ADMIN_PASSWORD
                             too. By default it is made and printed at the first start, as those of the others
  --admin-password PW        the same, for everybody on this machine to see in the list of processes
  --metrics-listen ADDR      where /metrics and /status are, for whoever comes; by default they are at the main
                             address, for system administrators
  --allow-private-targets    lets webhooks reach this machine and private networks
  --unlimited                lifts the limits of all users";

/// What the command line says.
#[derive(Debug)]
pub(crate) struct Options {
    pub listen: SocketAddr,
    pub data: String,
    state: Option<PathBuf>,
    seal_key: Option<PathBuf>,
    pub tls: bool,
    pub password: Option<Password>,
    pub metrics: Option<SocketAddr>,
    pub private_targets: bool,
    pub unlimited: bool,
}

impl Options {
    /// `None` if only the usage was asked for.
    pub(crate) fn parse(mut args: impl Iterator<Item = String>) -> Result<Option<Self>, Failure> {
        let mut options = Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            data: "gatepost-data".into(),
            state: None,
            seal_key: None,
            tls: false,
            password: None,
            metrics: None,
            private_targets: false,
            unlimited: false,
        };
        while let Some(option) = args.next() {
            let mut value = || args.next().ok_or_else(|| format!("{option} needs a value"));
            match option.as_str() {
                "--listen" => options.listen = address(&option, &value()?)?,
                "--data" => options.data = value()?,
                "--state" => options.state = Some(value()?.into()),
                "--seal-key-file" => options.seal_key = Some(value()?.into()),
                "--tls-self-signed" => options.tls = true,
                "--admin-password" => options.password = Some(value()?.into()),
                "--admin-password-file" => options.password = Some(password_in(&value()?)?),
                "--metrics-listen" => options.metrics = Some(address(&option, &value()?)?),
                "--allow-private-targets" => options.private_targets = true,
                "--unlimited" => options.unlimited = true,
                "--help" | "-h" => return Ok(None),
                other => return Err(format!("unknown option {other}\n{USAGE}").into()),
            }
        }
        if options.password.is_none() {
            options.password = std::env::var(PASSWORD_VARIABLE).ok().map(Into::into);
        }
        if options
            .password
            .as_ref()
            .is_some_and(|password| password.expose().is_empty())
        {
            return Err("the password of admin is empty".into());
        }
        Ok(Some(options))
    }

    /// Whether nothing is kept.
    pub(crate) fn memory(&self) -> bool {
        self.data == "memory"
    }

    /// Whether everything is kept in a database elsewhere.
    pub(crate) fn postgres(&self) -> bool {
        self.data.starts_with("postgres://") || self.data.starts_with("postgresql://")
    }

    /// Where what is kept beside the data is.
    pub(crate) fn state_folder(&self) -> PathBuf {
        match &self.state {
            Some(folder) => folder.clone(),
            None if self.memory() || self.postgres() => "gatepost-data".into(),
            None => PathBuf::from(&self.data),
        }
    }

    /// A file there.
    pub(crate) fn state(&self, file: &str) -> PathBuf {
        self.state_folder().join(file)
    }

    /// Where the sealing key is.
    pub(crate) fn seal_key(&self) -> PathBuf {
        let named = self.seal_key.clone();
        named.unwrap_or_else(|| self.state("seal.key"))
    }
}

fn address(option: &str, text: &str) -> Result<SocketAddr, Failure> {
    let address = text.parse();
    Ok(address.map_err(|_| format!("{option} needs an address such as 127.0.0.1:8080"))?)
}

fn password_in(file: &str) -> Result<Password, Failure> {
    let password = private::read(file.as_ref())?;
    Ok(password
        .ok_or_else(|| format!("{file}: no such file"))?
        .into())
}
