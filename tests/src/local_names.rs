//! Names that resolve to this machine.

use std::net::{IpAddr, Ipv4Addr};

use delivery::{Resolve, ResolveFuture};

/// A resolver that resolves every name to this machine: each target may have its own host, because
/// the engine counts by hosts.
#[derive(Clone, Copy, Debug)]
pub struct Here;

impl Resolve for Here {
    fn resolve<'a>(&'a self, _: &'a str) -> ResolveFuture<'a> {
        Box::pin(async { Ok(vec![IpAddr::V4(Ipv4Addr::LOCALHOST)]) })
    }
}
