//! Connecting: from an origin to an open byte stream, under the target policy.

mod dial;
mod happy_eyeballs;
mod proxy;
mod resolve;
mod stream;

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

pub use dial::{Dial, DialFuture};
pub use proxy::{Proxy, ProxyError};
pub use resolve::{Resolve, ResolveFuture, SystemResolver};
pub use stream::IoStream;
pub(crate) use stream::{Base, Secured, Stream};

use crate::egress::TargetPolicy;
use crate::outcome::{DnsFault, ErrorClass, Phase};
use crate::progress::Progress;
use crate::request::{Host, Origin};

/// Opens connections. Every address is checked against the target policy before it is dialled.
#[derive(Clone, Debug)]
pub(crate) struct Connector {
    pub(crate) resolver: Arc<dyn Resolve>,
    /// `None` means TCP.
    pub(crate) dial: Option<Arc<dyn Dial>>,
    pub(crate) proxy: Option<Proxy>,
}

impl Connector {
    /// Resolves once, checks every address, and connects to a checked one.
    ///
    /// The returned address is the target's, even behind a proxy.
    pub(crate) async fn open(
        &self,
        policy: &TargetPolicy,
        origin: &Origin,
        progress: &mut Progress,
    ) -> Result<(Base, SocketAddr), ErrorClass> {
        let addrs = self.judged(policy, origin, progress).await?;
        match self
            .proxy
            .as_ref()
            .filter(|proxy| !proxy.bypasses(&origin.host, &addrs))
        {
            None => {
                progress.enter(Phase::Connect);
                Ok(happy_eyeballs::connect(self.dial.as_deref(), addrs).await?)
            }
            Some(proxy) => {
                progress.enter(Phase::Proxy);
                let target = *addrs.first().ok_or(ErrorClass::Dns(DnsFault::NoAddress))?;
                let base = proxy
                    .tunnel(self.dial.as_deref(), &*self.resolver, target)
                    .await?;
                Ok((base, target))
            }
        }
    }

    /// Returns all addresses of the origin; one refused address refuses the whole name.
    async fn judged(
        &self,
        policy: &TargetPolicy,
        origin: &Origin,
        progress: &mut Progress,
    ) -> Result<Vec<SocketAddr>, ErrorClass> {
        let name = match &origin.host {
            // The literal was checked before, as part of the URL.
            Host::Addr(addr) => return Ok(vec![SocketAddr::new(*addr, origin.port)]),
            Host::Name(name) => name,
        };
        progress.enter(Phase::Dns);
        self.addresses(policy, name, origin.port).await
    }

    /// Returns all addresses of a name, at least one, each checked for this port.
    pub(crate) async fn addresses(
        &self,
        policy: &TargetPolicy,
        name: &str,
        port: u16,
    ) -> Result<Vec<SocketAddr>, ErrorClass> {
        let addrs: Vec<IpAddr> = self.resolver.resolve(name).await.map_err(ErrorClass::Dns)?;
        if addrs.is_empty() {
            return Err(ErrorClass::Dns(DnsFault::NoAddress));
        }
        let at = |addr| SocketAddr::new(addr, port);
        let targets: Vec<SocketAddr> = addrs.into_iter().map(at).collect();
        targets
            .iter()
            .try_for_each(|target| policy.check_at(*target))?;
        Ok(targets)
    }
}
