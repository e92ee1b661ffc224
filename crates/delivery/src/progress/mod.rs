//! The state of a running attempt, stored outside of it, since a timeout may end it at any point.

mod capture;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use http::HeaderMap;
use tokio::time::Instant;

use self::capture::Capture;
use crate::meter::Meter;
use crate::outcome::{Attempt, CapturedHead, ErrorClass, Phase, Protocol, Timings};
use crate::retry::parse_retry_after;

pub(crate) struct Progress {
    started: Instant,
    phase: Phase,
    /// The beginning of the current phase.
    pub(crate) entered: Instant,
    timings: Timings,
    pub(crate) address: Option<SocketAddr>,
    pub(crate) reused: bool,
    /// Whether a request was sent again.
    pub(crate) repeated: bool,
    /// The number of followed redirects so far.
    pub(crate) redirects: u8,
    pub(crate) protocol: Option<Protocol>,
    pub(crate) status: Option<u16>,
    /// The sent head, as it may be shown.
    pub(crate) request_head: Vec<u8>,
    pub(crate) head: Option<HeaderMap>,
    pub(crate) body: Capture,
    /// The meter of an HTTP/1 connection, and its value once the request is written.
    pub(crate) writing: Option<(Arc<Meter>, u64)>,
}

impl Progress {
    pub(crate) fn new(started: Instant) -> Self {
        Self {
            started,
            phase: Phase::Dns,
            entered: started,
            timings: Timings::default(),
            address: None,
            reused: false,
            repeated: false,
            redirects: 0,
            protocol: None,
            status: None,
            request_head: Vec::new(),
            head: None,
            body: Capture::default(),
            writing: None,
        }
    }

    /// Ends the current phase, and begins another.
    pub(crate) fn enter(&mut self, phase: Phase) {
        let now = Instant::now();
        self.close_phase(now);
        self.phase = phase;
        self.entered = now;
    }

    /// Resets the sent head: nothing of the request was written, except to an earlier connection.
    pub(crate) fn unsent(&mut self) {
        if !self.repeated {
            self.request_head.clear();
        }
    }

    /// Drops the response of a redirect: the next one decides.
    pub(crate) fn next_hop(&mut self) {
        self.redirects = self.redirects.saturating_add(1);
        self.address = None;
        self.reused = false;
        self.protocol = None;
        self.status = None;
        self.request_head.clear();
        self.head = None;
        self.body = Capture::default();
        self.writing = None;
        self.enter(Phase::Dns);
    }

    /// Returns the phase in which the timeout expired.
    pub(crate) fn phase_of_timeout(&self) -> Phase {
        match (&self.phase, &self.writing) {
            (Phase::Head, Some((meter, whole))) if meter.written() < *whole => Phase::Send,
            (phase, _) => *phase,
        }
    }

    /// Creates the finished record. A status that was read decides; a later error only truncates
    /// the body.
    pub(crate) fn into_attempt(
        mut self,
        fault: Option<ErrorClass>,
        started: DateTime<Utc>,
    ) -> Attempt {
        let now = Instant::now();
        self.close_phase(now);
        let outcome = match (self.status, fault) {
            (Some(status @ 200..=299), _) => Ok(status),
            (Some(status), _) => Err(ErrorClass::Status(status)),
            (None, fault) => Err(fault.unwrap_or(ErrorClass::Protocol)),
        };
        let head = self.head.map(|headers| CapturedHead { headers });
        let retry_after = match (&head, self.status) {
            (Some(head), Some(429 | 503)) => head
                .only("retry-after")
                .and_then(|value| parse_retry_after(value, started)),
            _ => None,
        };
        Attempt {
            outcome,
            status: self.status,
            duration: now.duration_since(self.started),
            timings: self.timings,
            body: self.body.finish(),
            retry_after,
            address: self.address,
            protocol: self.protocol,
            reused: self.reused,
            repeated: self.repeated,
            redirects: self.redirects,
            request_head: self.request_head,
            head,
            ..Attempt::unsent(ErrorClass::Protocol, started)
        }
    }

    fn close_phase(&mut self, now: Instant) {
        let took = now.duration_since(self.entered);
        let slot = match self.phase {
            Phase::Dns => &mut self.timings.dns,
            Phase::Connect | Phase::Proxy => &mut self.timings.connect,
            Phase::Tls => &mut self.timings.tls,
            Phase::Send | Phase::Head => &mut self.timings.head,
            Phase::Body => &mut self.timings.body,
        };
        if took > Duration::ZERO {
            *slot = Some(slot.unwrap_or_default() + took);
        }
    }
}
