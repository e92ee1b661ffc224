//! The part of a body that is read before its request has a turn: a turn is for work, and not for
//! waiting on a client.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use http_body::{Body as _, Frame};
use hyper::body::Incoming;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The most that is read of one body, in bytes: the whole body, except for large forms and
/// messages. The last piece may exceed it.
const MOST: usize = 64 * 1024;

/// A body, and the part of it that was read.
#[derive(Debug)]
pub(super) struct Ahead {
    /// A copy: the pieces would keep their buffers.
    bytes: BytesMut,
    /// The frame after them that is no data, or the error that ended them.
    after: Option<Result<Frame<Bytes>, hyper::Error>>,
    is_over: bool,
    rest: Incoming,
    budget: Arc<Semaphore>,
    /// The share of the budget that they hold; returned when the request has a turn.
    taken: Option<OwnedSemaphorePermit>,
}

/// The parts of a body that has a turn.
#[derive(Debug)]
pub(super) struct Parts {
    pub bytes: Bytes,
    pub after: Option<Result<Frame<Bytes>, hyper::Error>>,
    /// `None` if the whole body was read.
    pub rest: Option<Incoming>,
}

impl Ahead {
    pub(super) fn new(body: Incoming, budget: Arc<Semaphore>) -> Self {
        Self {
            bytes: BytesMut::new(),
            after: None,
            is_over: body.is_end_stream(),
            rest: body,
            budget,
            taken: None,
        }
    }

    pub(super) fn is_more(&self) -> bool {
        !self.is_over
    }

    /// Reads until the end, or up to the limits.
    pub(super) async fn read(&mut self) {
        while !self.is_over && self.bytes.len() < MOST && self.after.is_none() {
            let rest = &mut self.rest;
            match poll_fn(|cx| Pin::new(&mut *rest).poll_frame(cx)).await {
                None => self.is_over = true,
                Some(Err(error)) => self.after = Some(Err(error)),
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => {
                        self.bytes.extend_from_slice(&data);
                        self.is_over = self.rest.is_end_stream();
                        if !self.is_within_budget(data.len()) {
                            return;
                        }
                    }
                    Err(trailers) => self.after = Some(Ok(trailers)),
                },
            }
        }
    }

    /// Returns whether the client has sent the whole body.
    pub(super) fn is_whole(&self) -> bool {
        self.is_over || self.after.is_some()
    }

    pub(super) fn into_parts(self) -> Parts {
        Parts {
            bytes: self.bytes.freeze(),
            after: self.after,
            rest: (!self.is_over).then_some(self.rest),
        }
    }

    fn is_within_budget(&mut self, bytes: usize) -> bool {
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        let Ok(permit) = self.budget.clone().try_acquire_many_owned(bytes) else {
            return false;
        };
        match &mut self.taken {
            Some(taken) => taken.merge(permit),
            none => *none = Some(permit),
        }
        true
    }
}
