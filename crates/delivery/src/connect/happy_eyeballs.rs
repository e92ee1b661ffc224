//! Connecting to one of several addresses (Happy Eyeballs, RFC 8305 in its simplest form).

use std::future::{Future, poll_fn};
use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use tokio::time::sleep;

use super::dial::{Dial, dial};
use super::stream::Base;
use crate::outcome::{ConnectFault, ErrorClass};

/// The head start of an address before the next one is tried as well (RFC 8305 §5).
const HEAD_START: Duration = Duration::from_millis(250);
/// The maximum number of addresses that are tried within one attempt.
const MAX_ADDRESSES: usize = 8;

type Dialling<'a> = Pin<Box<dyn Future<Output = (SocketAddr, io::Result<Base>)> + Send + 'a>>;

/// Returns the first established connection. Addresses are started in order, each 250 ms after the
/// last, or as soon as all before it have failed.
pub(super) async fn connect(
    dialer: Option<&dyn Dial>,
    addrs: Vec<SocketAddr>,
) -> Result<(Base, SocketAddr), ErrorClass> {
    if let [addr] = addrs.as_slice() {
        let base = dial(dialer, *addr).await.map_err(|error| class(&error))?;
        return Ok((base, *addr));
    }
    let mut waiting = addrs.into_iter().take(MAX_ADDRESSES);
    let mut running: Vec<Dialling<'_>> = Vec::new();
    let mut last = ErrorClass::Connect(ConnectFault::Other);
    loop {
        let next = waiting.next();
        let more = next.is_some();
        running.extend(next.map(|addr| start(dialer, addr)));
        if running.is_empty() {
            return Err(last);
        }
        match first(&mut running, more).await {
            Some((addr, Ok(base))) => return Ok((base, addr)),
            Some((_, Err(error))) => last = class(&error),
            None => {} // the head start is over
        }
    }
}

fn start<'a>(dialer: Option<&'a dyn Dial>, addr: SocketAddr) -> Dialling<'a> {
    Box::pin(async move { (addr, dial(dialer, addr).await) })
}

/// Returns the first result, or `None` if the head start is over and another address could be
/// started.
async fn first(
    running: &mut Vec<Dialling<'_>>,
    more: bool,
) -> Option<(SocketAddr, io::Result<Base>)> {
    let mut head_start = pin!(sleep(HEAD_START));
    poll_fn(|cx| {
        for (index, dialling) in running.iter_mut().enumerate() {
            if let Poll::Ready(ended) = dialling.as_mut().poll(cx) {
                drop(running.swap_remove(index));
                return Poll::Ready(Some(ended));
            }
        }
        if more && head_start.as_mut().poll(cx).is_ready() {
            return Poll::Ready(None);
        }
        Poll::Pending
    })
    .await
}

fn class(error: &io::Error) -> ErrorClass {
    use io::ErrorKind as K;
    const EMFILE_AND_FRIENDS: [i32; 3] = [23, 24, 99]; // ENFILE, EMFILE, EADDRNOTAVAIL on Linux
    ErrorClass::Connect(match error.kind() {
        K::ConnectionRefused => ConnectFault::Refused,
        K::HostUnreachable | K::NetworkUnreachable | K::NetworkDown => ConnectFault::Unreachable,
        K::AddrNotAvailable | K::OutOfMemory => ConnectFault::Local,
        _ if error
            .raw_os_error()
            .is_some_and(|n| EMFILE_AND_FRIENDS.contains(&n)) =>
        {
            ConnectFault::Local
        }
        _ => ConnectFault::Other,
    })
}
