//! The descriptors of this process: their number, and how they are shared out.

use std::io;

use rustix::process::{Resource, getrlimit, setrlimit};

/// Descriptors for the store, the standard streams and the listeners: SQLite has six connections of
/// three files each, PostgreSQL six sockets.
const STORE: u64 = 64;
/// The engine's default maximum: 1,024 requests in flight, as many more while targets stall, and
/// 2,048 idle connections.
const ENGINE: u64 = 4096;
/// A server cannot work with fewer.
const LEAST: u64 = 256;
/// More are of no use, and some systems have a billion.
const MOST: u64 = 65_536;
const CONNECTIONS: u64 = 8192;

/// The distribution of file descriptors. The engine and the store come first; half of the rest is
/// for clients, so that they cannot silence the deliveries.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Descriptors {
    /// Connections of clients.
    pub connections: usize,
    /// Requests that the engine may have in flight (`InFlightLimits::total`). As many again may
    /// come on top while targets stall.
    pub in_flight: usize,
    /// Connections to targets that may lie idle (`SenderBuilder::max_idle`).
    pub idle: usize,
}

impl Descriptors {
    /// Raises the limit of this process as far as the system allows (the hard limit, at most
    /// 65,536), and shares out what there is.
    ///
    /// # Errors
    /// Below 256; it says how to raise the limit.
    pub fn of_this_process() -> io::Result<Self> {
        let mut limit = getrlimit(Resource::Nofile);
        let wanted = limit.maximum.map_or(MOST, |hard| hard.min(MOST));
        if limit.current.is_some_and(|soft| soft < wanted) {
            limit.current = Some(wanted);
            // If this is refused, the limit is unchanged.
            let _ = setrlimit(Resource::Nofile, limit);
        }
        let now = getrlimit(Resource::Nofile).current;
        Self::of(now.unwrap_or(MOST))
    }

    /// Shares out this many descriptors.
    ///
    /// # Errors
    /// Below 256; it says how to raise the limit.
    pub fn of(limit: u64) -> io::Result<Self> {
        if limit < LEAST {
            return Err(io::Error::other(format!(
                "this process may open {limit} files and needs at least {LEAST}: raise the limit, as with `ulimit -n 4096` or LimitNOFILE of systemd"
            )));
        }
        let engine = ((limit - STORE) / 2).min(ENGINE);
        let connections = ((limit - STORE - engine) / 2).min(CONNECTIONS);
        let count = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        Ok(Self {
            connections: count(connections),
            in_flight: count(engine / 4),
            idle: count(engine / 2),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_never_get_what_engine_and_store_need() {
        for limit in [256, 1024, 4096, 20_000, 65_536, u64::MAX] {
            let shares = Descriptors::of(limit).unwrap();
            let used = shares.connections + 2 * shares.in_flight + shares.idle;
            let left = limit - u64::try_from(used).unwrap();
            assert!(left >= STORE, "{limit}: {shares:?}");
            assert!(
                shares.connections >= 48 && shares.in_flight >= 24,
                "{limit}: {shares:?}"
            );
        }
        assert_eq!(
            Descriptors::of(65_536).unwrap().in_flight,
            1024,
            "the engine's default"
        );
    }

    #[test]
    fn too_few_are_refused_with_what_to_do() {
        let refused = Descriptors::of(255).unwrap_err();
        let text = refused.to_string();
        assert!(text.contains("may open 255 files") && text.contains("ulimit -n"));
    }
}
