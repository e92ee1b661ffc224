//! An HTTP/2 connection, shared by all requests of a group to its origin and driven by a separate
//! task.

use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::{TrySendError, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::sync::watch;
use tokio::time::Instant;

use super::idle_data_limit::{Begun, UnderWay};
use crate::connect::Stream;
use crate::meter::{Meter, Metered, SettingsReader};

/// The maximum head of a response, as announced to receivers (RFC 9113 §6.5.2).
const MAX_HEAD: u32 = 32 * 1024;
/// The maximum unread data in transit: for a stream and for the whole connection.
const STREAM_WINDOW: u32 = 64 * 1024;
const CONNECTION_WINDOW: u32 = 1024 * 1024;
/// The maximum data that may be received while no request is in progress: twice the data that may
/// have been in transit when the last one ended, for frames that keep the connection alive.
const IDLE_BYTES: u64 = 2 * 1024 * 1024;

#[derive(Clone)]
pub(crate) struct H2 {
    sender: http2::SendRequest<Full<Bytes>>,
    meter: Arc<Meter>,
    under_way: Arc<UnderWay>,
    header_limit: watch::Receiver<Option<u32>>,
    pub(crate) peer: SocketAddr,
    pub(crate) used: Instant,
}

impl H2 {
    /// Waits for the target's first SETTINGS: its limits, such as those of headers and streams,
    /// must be known before the first request.
    pub(crate) async fn new(stream: Stream, peer: SocketAddr) -> Result<Self, hyper::Error> {
        let meter = Arc::new(Meter::default());
        let under_way = UnderWay::new(Arc::clone(&meter), IDLE_BYTES);
        let (settings, mut header_limit) = SettingsReader::new();
        let io = TokioIo::new(Metered {
            inner: stream,
            meter: Arc::clone(&meter),
            settings: Some(settings),
        });
        let (sender, driver) = http2::Builder::new(TokioExecutor::new())
            .initial_stream_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .max_header_list_size(MAX_HEAD)
            .handshake(io)
            .await?;
        // Ends when the last handle is dropped or the other side closes.
        tokio::spawn(async move {
            let _ = driver.await;
        });
        // If the connection ends first, the request reports the reason.
        let _ = header_limit.wait_for(Option::is_some).await;
        Ok(Self {
            sender,
            meter,
            under_way,
            header_limit,
            peer,
            used: Instant::now(),
        })
    }

    /// Returns the TLS error that ended the connection, if there is one. An error of HTTP/2 does
    /// not contain it.
    pub(crate) fn tls_error(&self) -> Option<&rustls::Error> {
        self.meter.tls_error()
    }

    pub(crate) fn is_open(&self) -> bool {
        !self.sender.is_closed()
    }

    /// Returns whether both are the same connection.
    pub(super) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.meter, &other.meter)
    }

    pub(super) fn is_under_way(&self) -> bool {
        self.under_way.is_any()
    }

    /// Returns the maximum header list that the target accepts (RFC 9113 §6.5.2).
    pub(crate) fn header_limit(&self) -> u32 {
        self.header_limit.borrow().unwrap_or(u32::MAX)
    }

    /// Begins a request: more data may be received until the returned guard is dropped.
    pub(crate) fn begin(&self) -> Begun {
        self.under_way.begin()
    }

    /// Sends a request and waits for the head of its response. An error with the message in it
    /// means that nothing of it was written.
    pub(crate) async fn exchange(
        &mut self,
        request: Request<Full<Bytes>>,
    ) -> Result<Response<Incoming>, TrySendError<Request<Full<Bytes>>>> {
        self.sender.try_send_request(request).await
    }
}

impl std::fmt::Debug for H2 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("H2")
            .field("open", &self.is_open())
            .finish_non_exhaustive()
    }
}
