//! An HTTP/1 connection, driven by its user.

use std::future::{Future, poll_fn};
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use http::{Method, Request, Response};
use http_body::{Body as _, Frame};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::time::Instant;

use super::request_head::{NextHead, OwnHead};
use crate::connect::Stream;
use crate::meter::{Meter, Metered};

/// The maximum size of a response's head.
const MAX_HEAD: usize = 32 * 1024;
/// The maximum number of header lines of a response. hyper's default is 100, and some receivers
/// send more.
const MAX_LINES: usize = 256;
/// The maximum size of everything before a complete head, including interim responses (1xx).
const MAX_BEFORE_HEAD: u64 = 128 * 1024;

type Driver = http1::Connection<TokioIo<OwnHead<Metered<Stream>>>, Full<Bytes>>;

pub(crate) struct H1 {
    sender: http1::SendRequest<Full<Bytes>>,
    /// `None` once the connection has ended; it must not be polled again.
    driver: Option<Driver>,
    next_head: Arc<NextHead>,
    pub(crate) meter: Arc<Meter>,
    pub(crate) peer: SocketAddr,
    pub(crate) used: Instant,
}

impl H1 {
    pub(crate) async fn new(stream: Stream, peer: SocketAddr) -> Result<Self, hyper::Error> {
        let meter = Arc::new(Meter::default());
        meter.unbound();
        let next_head = Arc::new(NextHead::default());
        let io = TokioIo::new(OwnHead {
            inner: Metered {
                inner: stream,
                meter: Arc::clone(&meter),
                settings: None,
            },
            next: Arc::clone(&next_head),
        });
        let (sender, driver) = http1::Builder::new()
            .max_header_size(MAX_HEAD)
            .max_buf_size(2 * MAX_HEAD)
            .max_headers(MAX_LINES)
            // A receiver whose response breaks RFC 9112 has still received the request: sending it
            // again would repeat it.
            .allow_obsolete_multiline_headers_in_responses(true)
            .allow_spaces_after_header_name_in_responses(true)
            .handshake(io)
            .await?;
        Ok(Self {
            sender,
            driver: Some(driver),
            next_head,
            meter,
            peer,
            used: Instant::now(),
        })
    }

    /// Sends a request and waits for the head of its response. `head` is the whole head with its
    /// empty line; it names this method and the length of this body.
    pub(crate) async fn exchange(
        &mut self,
        method: Method,
        head: Vec<u8>,
        body: Bytes,
    ) -> Result<Response<Incoming>, hyper::Error> {
        self.meter.bound(MAX_BEFORE_HEAD);
        self.next_head.set(head);
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = method;
        let mut response = pin!(self.sender.try_send_request(request));
        let driver = &mut self.driver;
        let head = poll_fn(|cx| {
            drive(driver, cx);
            // Only the driver makes progress, and it is polled here: it needs no separate waker.
            response
                .as_mut()
                .poll(&mut Context::from_waker(Waker::noop()))
        })
        .await;
        self.meter.unbound();
        head.map_err(hyper::client::conn::TrySendError::into_error)
    }

    /// Returns the next part of a response's body.
    pub(crate) async fn next_frame(
        &mut self,
        body: &mut Incoming,
    ) -> Option<Result<Frame<Bytes>, hyper::Error>> {
        let frame = |body: &mut Incoming| {
            Pin::new(body).poll_frame(&mut Context::from_waker(Waker::noop()))
        };
        poll_fn(|cx| {
            // A small body has arrived with its head.
            let here = frame(body);
            if here.is_ready() {
                return here;
            }
            drive(&mut self.driver, cx);
            frame(body)
        })
        .await
    }

    /// Returns whether another request can be sent: nothing is left to write, and the other side
    /// has neither closed nor sent unrequested data.
    pub(crate) fn is_alive(&mut self) -> bool {
        drive(&mut self.driver, &mut Context::from_waker(Waker::noop()));
        self.driver.is_some() && self.sender.is_ready() && self.next_head.is_written()
    }
}

fn drive(driver: &mut Option<Driver>, cx: &mut Context<'_>) {
    if let Some(connection) = driver
        && let Poll::Ready(_) = Pin::new(connection).poll(cx)
    {
        // The response or its body has reported all errors of the connection.
        *driver = None;
    }
}

impl std::fmt::Debug for H1 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("H1")
            .field("alive", &self.driver.is_some())
            .finish_non_exhaustive()
    }
}
