//! From an origin to an open byte stream, past the target policy.

mod dial;
mod proxy;
mod race;
mod resolve;
mod stream;

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

pub use dial::{Dial, DialFuture};
pub use proxy::{Proxy, ProxyError};
pub use resolve::{Resolve, ResolveFuture, SystemResolver};
pub use stream::Wire;
pub(crate) use stream::{Base, Stream};

use crate::egress::TargetPolicy;
use crate::outcome::{DnsFault, ErrorClass, Phase};
use crate::progress::Progress;
use crate::request::{Host, Origin};

/// Opens connections. Every address is judged before it is dialled: there is no other way in.
#[derive(Clone, Debug)]
pub(crate) struct Connector {
    pub(crate) resolver: Arc<dyn Resolve>,
    /// `None` is TCP.
    pub(crate) dial: Option<Arc<dyn Dial>>,
    pub(crate) proxy: Option<Proxy>,
}

impl Connector {
    /// Resolves once, judges every address, and connects to one that was judged.
    ///
    /// The address that comes back is the target's, also behind a proxy.
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
                Ok(race::connect(self.dial.as_deref(), addrs).await?)
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

    /// All addresses of the origin; one bad address refuses the whole name.
    async fn judged(
        &self,
        policy: &TargetPolicy,
        origin: &Origin,
        progress: &mut Progress,
    ) -> Result<Vec<SocketAddr>, ErrorClass> {
        let name = match &origin.host {
            // The literal was judged before, as part of the URL.
            Host::Addr(addr) => return Ok(vec![SocketAddr::new(*addr, origin.port)]),
            Host::Name(name) => name,
        };
        progress.enter(Phase::Dns);
        let addrs = self.addresses(policy, name).await?;
        Ok(addrs
            .into_iter()
            .map(|addr| SocketAddr::new(addr, origin.port))
            .collect())
    }

    /// All addresses of a name, each judged; at least one.
    pub(crate) async fn addresses(
        &self,
        policy: &TargetPolicy,
        name: &str,
    ) -> Result<Vec<IpAddr>, ErrorClass> {
        let addrs: Vec<IpAddr> = self.resolver.resolve(name).await.map_err(ErrorClass::Dns)?;
        if addrs.is_empty() {
            return Err(ErrorClass::Dns(DnsFault::NoAddress));
        }
        for addr in &addrs {
            policy.judge(*addr)?;
        }
        Ok(addrs)
    }
}
