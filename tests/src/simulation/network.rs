//! The network between processes and targets: names, addresses, and the behaviour of targets.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};

use delivery::{Dial, DialFuture, DnsFault, IoStream, Resolve, ResolveFuture};
use gatepost_storage::Clock as _;
use tokio_util::sync::CancellationToken;

use super::clock::VirtualClock;
use super::script::Mood;
use super::serve;
use super::trace::Trace;

/// The host that has an address which the policy refuses.
pub(super) const INNER: &str = "inner.example";

/// A request that came to a target.
#[derive(Clone, Debug)]
pub(super) struct Request {
    /// The number of the host.
    pub host: usize,
    /// `webhook-id`.
    pub id: String,
    pub body: String,
    pub carried: Carried,
    /// The time at which its head was read.
    pub at: chrono::DateTime<chrono::Utc>,
    /// The status that was sent, and its time; `None` without an answer.
    pub answered: Option<(u16, chrono::DateTime<chrono::Utc>)>,
    /// The number of seconds in the answer's `Retry-After`.
    pub leave_alone: Option<u64>,
    /// The time of its answer, or of the connection's end.
    pub over: Option<chrono::DateTime<chrono::Utc>>,
    /// Whether its connection had served another request and was closed before any byte of an
    /// answer: the sender sends it once more, in the same attempt.
    pub repeated: bool,
}

/// A request, as it is read.
pub(super) struct Came {
    pub id: String,
    pub body: String,
    pub carried: Carried,
}

/// The credentials in a request's headers.
#[derive(Clone, Debug)]
pub(super) struct Carried {
    pub authorization: String,
    /// `webhook-timestamp`.
    pub timestamp: String,
    /// `webhook-signature`.
    pub signatures: String,
}

/// All targets.
#[derive(Debug)]
pub(super) struct Network {
    state: Mutex<State>,
    clock: VirtualClock,
    trace: Arc<Mutex<Trace>>,
}

#[derive(Debug, Default)]
struct State {
    moods: Vec<Mood>,
    seen: Vec<Request>,
    /// The number of requests under way, and its maximum, by host.
    under_way: Vec<(usize, usize)>,
    /// Forbidden addresses that were dialled.
    forbidden: Vec<IpAddr>,
}

impl Network {
    pub(super) fn new(hosts: usize, clock: VirtualClock, trace: Arc<Mutex<Trace>>) -> Self {
        let state = State {
            moods: vec![Mood::Well; hosts],
            under_way: vec![(0, 0); hosts],
            ..State::default()
        };
        Self {
            state: Mutex::new(state),
            clock,
            trace,
        }
    }

    /// Returns the name of a host.
    pub(super) fn name(host: usize) -> String {
        format!("host{host}.example")
    }

    pub(super) fn mood(&self, host: usize) -> Mood {
        self.state.lock().unwrap().moods[host]
    }

    pub(super) fn set(&self, host: usize, mood: Mood) {
        self.state.lock().unwrap().moods[host] = mood;
    }

    /// Records a request; returns its number.
    pub(super) fn arrived(&self, host: usize, came: Came) -> usize {
        let Came { id, body, carried } = came;
        let mut state = self.state.lock().unwrap();
        self.trace
            .lock()
            .unwrap()
            .line(format_args!("host {host}: {id} {body}"));
        let (now, most) = &mut state.under_way[host];
        *now += 1;
        *most = (*most).max(*now);
        state.seen.push(Request {
            host,
            id,
            body,
            carried,
            at: self.clock.now(),
            answered: None,
            leave_alone: None,
            over: None,
            repeated: false,
        });
        state.seen.len() - 1
    }

    /// Records that its reused connection is closed before any byte of an answer.
    pub(super) fn repeats(&self, request: usize) {
        self.state.lock().unwrap().seen[request].repeated = true;
    }

    /// Records its answer, or that there was none.
    pub(super) fn ended(&self, request: usize, status: Option<u16>, leave_alone: Option<u64>) {
        let mut state = self.state.lock().unwrap();
        let now = self.clock.now();
        let ended = &mut state.seen[request];
        ended.answered = status.map(|status| (status, now));
        ended.leave_alone = leave_alone;
        ended.over = Some(now);
        let (host, id) = (ended.host, ended.id.clone());
        self.trace
            .lock()
            .unwrap()
            .line(format_args!("host {host}: {id} {status:?}"));
        state.under_way[host].0 -= 1;
    }

    /// Returns all requests, the largest number of concurrent ones by host, and the forbidden
    /// addresses that were dialled.
    pub(super) fn end(&self) -> (Vec<Request>, Vec<usize>, Vec<IpAddr>) {
        let mut state = self.state.lock().unwrap();
        let most = state.under_way.iter().map(|(_, most)| *most).collect();
        (
            std::mem::take(&mut state.seen),
            most,
            std::mem::take(&mut state.forbidden),
        )
    }
}

/// The network of one process, until that is killed.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) network: Arc<Network>,
    pub(super) cut: CancellationToken,
}

/// Returns the number of the host with this address.
fn host_of(ip: IpAddr) -> Option<usize> {
    match ip {
        IpAddr::V4(ip) if ip.octets()[..2] == [93, 184] => {
            Some(usize::from(ip.octets()[2]) * 256 + usize::from(ip.octets()[3]))
        }
        _ => None,
    }
}

impl Resolve for Link {
    fn resolve<'a>(&'a self, host: &'a str) -> ResolveFuture<'a> {
        let number = host
            .strip_prefix("host")
            .and_then(|n| n.strip_suffix(".example"));
        let found = match number.and_then(|n| n.parse::<u16>().ok()) {
            Some(n) => {
                let [high, low] = n.to_be_bytes();
                Ok(vec![Ipv4Addr::new(93, 184, high, low).into()])
            }
            None if host == INNER => Ok(vec![Ipv4Addr::new(10, 0, 0, 1).into()]),
            None => Err(DnsFault::NoAddress),
        };
        Box::pin(async move { found })
    }
}

impl Dial for Link {
    fn dial(&self, addr: SocketAddr) -> DialFuture<'_> {
        Box::pin(async move {
            let Some(host) = host_of(addr.ip()) else {
                self.network.state.lock().unwrap().forbidden.push(addr.ip());
                return Err(io::ErrorKind::HostUnreachable.into());
            };
            match self.network.mood(host) {
                Mood::Refusing => return Err(io::ErrorKind::ConnectionRefused.into()),
                Mood::Unreachable => std::future::pending().await,
                _ if self.cut.is_cancelled() => std::future::pending().await,
                _ => {}
            }
            let (ours, theirs) = tokio::io::duplex(64 * 1024);
            let (network, cut) = (self.network.clone(), self.cut.clone());
            tokio::spawn(async move {
                let served = serve::connection(&network, host, theirs);
                cut.run_until_cancelled(served).await;
            });
            Ok(Box::new(ours) as Box<dyn IoStream>)
        })
    }
}
