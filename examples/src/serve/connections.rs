//! The connections that there are: how many in all and of each network, and which makes room.

use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::activity::Activity;
use super::limits::ServeLimits;

/// All connections of a server.
#[derive(Debug)]
pub(super) struct Connections {
    pub limits: Arc<ServeLimits>,
    pub open: Mutex<Vec<(IpAddr, Weak<Activity>)>>,
}

impl Connections {
    /// A place for a new connection, which has it for as long as it keeps what is returned. If
    /// there are as many as there may be, the one that has been idle for longest makes room: one
    /// of the same network, if that has too many. `None` if none is idle.
    pub(super) fn admit(&self, peer: IpAddr) -> Option<Arc<Activity>> {
        let network = network(peer);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|(_, activity)| activity.strong_count() > 0);
        let own = open.iter().filter(|(of, _)| *of == network).count();
        let too_many_own = own >= self.limits.connections_per_network;
        if too_many_own || open.len() >= self.limits.connections {
            let others = open.iter().enumerate();
            let others = others.filter(|(_, (of, _))| !too_many_own || *of == network);
            let idle = others.filter_map(|(at, (_, activity))| {
                let activity = activity.upgrade()?;
                Some((activity.idle_since()?, at, activity))
            });
            let (_, longest, activity) = idle.min_by_key(|(since, ..)| *since)?;
            open.swap_remove(longest);
            activity.evicted.notify_one();
        }
        let activity = Activity::new(self.limits.clone());
        open.push((network, Arc::downgrade(&activity)));
        Some(activity)
    }
}

/// Who is counted together: an IPv4 address, or the /64 of IPv6 that one subscriber has.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => Ipv6Addr::from_bits(v6.to_bits() >> 64 << 64).into(),
        v4 @ IpAddr::V4(_) => v4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn network_is_an_ipv4_address_or_a_64() {
        let network = |text: &str| network(text.parse().unwrap());
        assert_eq!(network("192.0.2.1"), network("::ffff:192.0.2.1"));
        assert_ne!(network("192.0.2.1"), network("192.0.2.2"));
        assert_eq!(network("2001:db8:0:1::1"), network("2001:db8:0:1:2:3:4:5"));
        assert_ne!(network("2001:db8:0:1::1"), network("2001:db8:0:2::1"));
    }
}
