//! The exchange: from a checked URL to a response, over an idle connection or a new one.

use std::sync::Arc;

use bytes::Bytes;
use chrono::{DateTime, Utc};
use http::Response;
use http_body::Body as _;
use http_body_util::BodyExt as _;
use hyper::body::Incoming;

use super::classify::{hyper_class, is_connection_lost};
use super::core::Sender;
use super::message::header_list_size;
use crate::outcome::{ErrorClass, Phase, Protocol};
use crate::pool::{H1, H2, Idle, Shelf};
use crate::progress::Progress;
use crate::request::{Request, RequestError};
use crate::tls::of_rustls;

/// The maximum number of dead idle connections before a new one is opened.
const MAX_STALE: usize = 4;

/// The reason why an exchange failed.
enum Failed {
    /// The connection was lost before any byte of the response. For a reused connection this is not
    /// an outcome, and the request is sent again.
    Lost(ErrorClass),
    /// The target may have received the request: the attempt is over.
    Spent(ErrorClass),
    /// No byte of the request was written: another connection may be tried.
    Unsent(ErrorClass),
}

impl Sender {
    /// Sends one request and reads its response.
    pub(super) async fn exchange(
        &self,
        request: &Request,
        now: DateTime<Utc>,
        progress: &mut Progress,
    ) -> Result<(), ErrorClass> {
        self.check(request)?;
        let signed = self.signed(request, now).await;
        let request = signed.as_ref().unwrap_or(request);
        self.parts.tls.set_time(now);
        let shelf = self.parts.pool.shelf(request);
        let mut is_repeat = false;
        for _ in 0..MAX_STALE {
            let Some(idle) = shelf.take(self.parts.pool.limits.idle_for, progress.entered) else {
                break;
            };
            match self.over_idle(idle, &shelf, request, now, progress).await {
                Err(Failed::Unsent(_)) => {}
                Err(Failed::Lost(_)) => {
                    is_repeat = true;
                    break;
                }
                Err(Failed::Spent(class)) => return Err(class),
                Ok(()) => return Ok(()),
            }
        }
        progress.repeated |= is_repeat;
        let ended = self.over_opened(&shelf, request, now, progress).await;
        // Another attempt may have opened it.
        let ended = match ended {
            Err(Failed::Lost(_)) if progress.reused && !is_repeat => {
                progress.repeated = true;
                self.over_opened(&shelf, request, now, progress).await
            }
            Err(Failed::Unsent(_)) if progress.reused => {
                self.over_opened(&shelf, request, now, progress).await
            }
            ended => ended,
        };
        ended.map_err(|(Failed::Lost(class) | Failed::Spent(class) | Failed::Unsent(class))| class)
    }

    /// Over a new connection, or one that another attempt has just opened.
    async fn over_opened(
        &self,
        shelf: &Arc<Shelf>,
        request: &Request,
        now: DateTime<Utc>,
        progress: &mut Progress,
    ) -> Result<(), Failed> {
        progress.reused = false;
        // Boxed: rare compared with reuse, and large because of the TLS handshake.
        let opened = Box::pin(self.open(shelf, request, progress)).await;
        let opened = opened.map_err(Failed::Spent)?;
        self.over(opened, shelf, request, now, progress).await
    }

    async fn over_idle(
        &self,
        idle: Idle,
        shelf: &Arc<Shelf>,
        request: &Request,
        now: DateTime<Utc>,
        progress: &mut Progress,
    ) -> Result<(), Failed> {
        // It may have been opened under a wider policy.
        if let Err(refusal) = self.policy.check_at(idle.peer()) {
            return Err(Failed::Unsent(refusal.into()));
        }
        progress.reused = true;
        self.over(idle, shelf, request, now, progress).await
    }

    async fn over(
        &self,
        connection: Idle,
        shelf: &Arc<Shelf>,
        request: &Request,
        now: DateTime<Utc>,
        progress: &mut Progress,
    ) -> Result<(), Failed> {
        match connection {
            Idle::H1(connection) => {
                self.over_h1(connection, shelf, request, now, progress)
                    .await
            }
            Idle::H2(mut connection) => {
                let begun = connection.begin();
                let ended = self.over_h2(&mut connection, request, now, progress).await;
                drop(begun);
                match &ended {
                    Err(Failed::Lost(_) | Failed::Unsent(_)) => shelf.forget(&connection),
                    _ => shelf.end_request(),
                }
                ended
            }
        }
    }

    async fn over_h1(
        &self,
        mut connection: Box<H1>,
        shelf: &Arc<Shelf>,
        request: &Request,
        now: DateTime<Utc>,
        progress: &mut Progress,
    ) -> Result<(), Failed> {
        let message = self.parts.h1_message(request, now);
        let (head, shown) = message.map_err(Failed::Spent)?;
        let (method, body) = (request.fixed.method.clone(), request.body.clone());
        let (before, read) = (connection.meter.written(), connection.meter.read());
        let whole = u64::try_from(head.len() + body.len())
            .unwrap_or(u64::MAX)
            .saturating_add(before);
        progress.address = Some(connection.peer);
        progress.writing = Some((Arc::clone(&connection.meter), whole));
        progress.request_head = shown;
        progress.enter(Phase::Head);
        let exchanged = connection.exchange(method, head, body).await;
        let response = exchanged.map_err(|error| {
            let class = hyper_class(&error);
            if connection.meter.written() == before {
                progress.unsent();
                Failed::Unsent(class)
            } else if connection.meter.read() == read {
                Failed::Lost(class)
            } else {
                Failed::Spent(class)
            }
        })?;
        let mut body = take_head(response, Protocol::Http1, progress);
        while !body.is_end_stream() {
            match connection.next_frame(&mut body).await {
                Some(Ok(frame)) => {
                    if !self.keep(frame, request, progress) {
                        return Ok(());
                    }
                }
                Some(Err(_)) => return Ok(()), // the status has decided
                None => break,
            }
        }
        progress.body.complete();
        if connection.is_alive() {
            connection.used = progress.entered;
            self.parts.pool.put(shelf, connection);
        }
        Ok(())
    }

    async fn over_h2(
        &self,
        connection: &mut H2,
        request: &Request,
        now: DateTime<Utc>,
        progress: &mut Progress,
    ) -> Result<(), Failed> {
        let message = self.parts.h2_message(request, now);
        let (message, shown) = message.map_err(Failed::Spent)?;
        progress.address = Some(connection.peer);
        progress.writing = None;
        let limit = connection.header_limit();
        if header_list_size(&message) > u64::from(limit) {
            let error = RequestError::HeadersBeyondTarget(limit);
            return Err(Failed::Spent(error.into()));
        }
        progress.request_head = shown;
        progress.enter(Phase::Head);
        let response = connection.exchange(message).await.map_err(|mut error| {
            let unsent = error.take_message().is_some();
            let class = match connection.tls_error() {
                Some(error) => ErrorClass::Tls(of_rustls(error)),
                None => hyper_class(error.error()),
            };
            if unsent {
                progress.unsent();
                Failed::Unsent(class)
            } else if is_connection_lost(error.error()) {
                Failed::Lost(class)
            } else {
                Failed::Spent(class)
            }
        })?;
        let mut body = take_head(response, Protocol::Http2, progress);
        while !body.is_end_stream() {
            match body.frame().await {
                Some(Ok(frame)) => {
                    if !self.keep(frame, request, progress) {
                        return Ok(());
                    }
                }
                Some(Err(_)) => return Ok(()), // the status has decided
                None => break,
            }
        }
        progress.body.complete();
        Ok(())
    }

    /// Stores a piece of the body. Returns `false` if the limit is reached. Trailers are dropped.
    fn keep(
        &self,
        frame: http_body::Frame<Bytes>,
        request: &Request,
        progress: &mut Progress,
    ) -> bool {
        let limit = request.fixed.capture.unwrap_or(self.parts.capture);
        match frame.into_data() {
            Ok(piece) => progress.body.push(piece, limit),
            Err(_) => true,
        }
    }
}

/// Takes the response's head. After it the status decides, even if reading the body fails.
fn take_head(
    response: Response<Incoming>,
    protocol: Protocol,
    progress: &mut Progress,
) -> Incoming {
    let (head, body) = response.into_parts();
    progress.status = Some(head.status.as_u16());
    progress.protocol = Some(protocol);
    progress.head = Some(head.headers);
    progress.body.begin();
    progress.enter(Phase::Body);
    body
}
