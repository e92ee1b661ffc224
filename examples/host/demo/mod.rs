//! The demonstration: a webhook, a task and an event of admin, and a receiver on this machine, the
//! webhook's target, so that the first minute ends with a visible delivery.
//!
//! It comes with the first start in a new folder, or with `--demo`. The receiver's address is kept
//! next to the data: later starts serve it again for as long as the webhook leads there.

mod page;
mod receiver;
mod records;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use examples::platform::Platform;
use examples::private;
use gatepost_manage::{Actor, Management};
use receiver::Receiver;
use tokio::net::TcpListener;
use webhook_model::{OwnerId, WebhookId};

use crate::failure::{Failure, InWords};
use crate::options::{Options, WithDemo};

/// The file next to the data that holds the receiver's address and the number of the webhook.
const FILE: &str = "demo";
/// The owner of the records.
const ADMIN: OwnerId = OwnerId(1);

/// A receiver that listens. The engine must know it before it starts, because it may send there.
#[derive(Debug)]
pub(crate) struct Demo {
    listener: TcpListener,
    /// The receiver's address, on the loopback interface only.
    pub addr: SocketAddr,
    webhook: Option<WebhookId>,
    file: Option<PathBuf>,
}

impl Demo {
    /// Prepares the demonstration of this start, if there should be one. `first` says that the data
    /// are new, `listens` is the platform's address.
    pub(crate) async fn of(
        options: &Options,
        first: bool,
        listens: SocketAddr,
    ) -> Result<Option<Self>, Failure> {
        let file = (!options.memory()).then(|| options.state(FILE));
        let wanted = match options.demo {
            WithDemo::Always => true,
            WithDemo::AtFirst => first && listens.ip().is_loopback(),
            WithDemo::Never => return Ok(None),
        };
        let kept = match &file {
            Some(file) => private::read(file).in_words(|| "cannot read what is kept".into())?,
            None => None,
        };
        if let Some((addr, webhook)) = kept.as_deref().and_then(parse) {
            return Ok(match TcpListener::bind(addr).await {
                Ok(listener) => Some(Self {
                    listener,
                    addr,
                    webhook: Some(webhook),
                    file,
                }),
                Err(error) => {
                    tracing::warn!(%addr, %error, "the receiver of the demonstration does not listen");
                    None
                }
            });
        }
        if !wanted {
            return Ok(None);
        }
        let what = || "cannot listen for the demonstration".to_owned();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
        let listener = listener.in_words(what)?;
        Ok(Some(Self {
            addr: listener.local_addr().in_words(what)?,
            listener,
            webhook: None,
            file,
        }))
    }

    /// Makes the records that do not exist yet and serves the receiver until the process ends.
    /// Returns `None` if its webhook was deleted or leads elsewhere: then the demonstration is
    /// over.
    pub(crate) async fn begin(
        self,
        management: &Management,
    ) -> Result<Option<SocketAddr>, Failure> {
        let Some(admin) = Platform::principal(ADMIN).map(|admin| management.of(&admin)) else {
            return Ok(None);
        };
        let webhook = match self.webhook {
            Some(webhook) if self.leads_here(&admin, webhook).await => webhook,
            Some(_) => {
                self.forget()?;
                return Ok(None);
            }
            None => self.furnish(&admin).await?,
        };
        let addr = self.addr;
        Receiver::new(admin, webhook, addr).serve(self.listener);
        Ok(Some(addr))
    }

    async fn leads_here(&self, admin: &Actor, webhook: WebhookId) -> bool {
        let row = admin.webhook(webhook).await;
        row.is_ok_and(|row| row.value.url.as_str() == records::url(self.addr))
    }

    async fn furnish(&self, admin: &Actor) -> Result<WebhookId, Failure> {
        let made = records::make(admin, self.addr).await;
        let webhook = made.in_words(|| "cannot make the records of the demonstration".into())?;
        if let Some(file) = &self.file {
            let line = format!("{} {}\n", self.addr, webhook.0);
            let kept = private::write(file, &line);
            kept.in_words(|| "cannot keep where the demonstration listens".into())?;
        }
        Ok(webhook)
    }

    fn forget(&self) -> Result<(), Failure> {
        match &self.file {
            Some(file) => std::fs::remove_file(file)
                .in_words(|| format!("cannot remove the file {}", file.display())),
            None => Ok(()),
        }
    }
}

fn parse(line: &str) -> Option<(SocketAddr, WebhookId)> {
    let (addr, webhook) = line.split_once(' ')?;
    let addr: SocketAddr = addr.parse().ok()?;
    let webhook = WebhookId(webhook.parse().ok()?);
    // A safeguard against an edited file: the engine may send only to this machine.
    addr.ip().is_loopback().then_some((addr, webhook))
}
