//! The drain of the outbox: its dependencies and loops.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use gatepost_ids::{Audience, Realm};
use tokio::sync::Mutex;
use webhook_model::Occurrence;

use super::emitter::Emitter;
use super::waiting_rows::WaitingRows;
use crate::core::Core;
use crate::error::EmitError;
use crate::guard::guarded;
use crate::poll_backoff;

/// Audiences that this process works off concurrently.
const PARTS: u32 = 4;
/// How many times per poll interval the store is asked while others write.
const OFTEN: u32 = 4;
/// Consecutive questions without a row after which the store is asked once per poll interval.
const QUIET: u32 = 40;

/// The realms that receive an audience's rows; `None` when they are not known soon.
pub(super) type RealmsOf = HashMap<Audience, Option<Result<Vec<Realm>, EmitError>>>;

#[derive(Debug)]
pub(crate) struct OutboxDrain {
    pub(super) core: Arc<Core>,
    pub(super) emitter: Arc<Emitter>,
    /// The interval at which the store is asked for rows of others, if none was written for a
    /// while.
    poll: Duration,
    /// Consecutive questions, of all parts, that found nothing.
    in_vain: AtomicU32,
    /// Held by the part that listens for rows of others.
    listener: Mutex<()>,
    /// Rows that wait for the platform's answer.
    pub(super) waiting: Arc<WaitingRows>,
}

impl OutboxDrain {
    pub(crate) fn new(emitter: Arc<Emitter>, poll: Duration) -> Self {
        Self {
            core: emitter.core.clone(),
            emitter,
            poll,
            in_vain: AtomicU32::new(0),
            listener: Mutex::default(),
            waiting: Arc::default(),
        }
    }

    /// Starts its parts, each of which works off one audience at a time; they end when the engine
    /// stops.
    pub(crate) fn start(self: &Arc<Self>) {
        for part in 0..PARTS {
            let (drain, holder) = (self.clone(), self.core.holder.wrapping_add(part.into()));
            self.core
                .lifecycle
                .supervise("outbox", move || drain.clone().run(holder));
        }
    }

    /// Stores an occurrence to be fanned out shortly afterwards.
    pub(crate) async fn push(&self, occurrence: &Occurrence) -> Result<(), EmitError> {
        let now = self.core.clock.now()?;
        let occurrence = self.emitter.traces().joined(Cow::Borrowed(occurrence));
        self.core.store.push_outbox(&occurrence, now).await?;
        self.emitter.wake.notify_one();
        Ok(())
    }

    /// Looks for rows that the platform has written, here and in other processes.
    pub(crate) fn written(&self) {
        self.emitter.wake.notify_one();
        self.core.store.outbox_written();
    }

    /// Fans out waiting rows, until the engine stops.
    async fn run(self: Arc<Self>, holder: u128) {
        let mut going = Vec::new();
        while self.core.lifecycle.is_running() {
            match self.drain(holder, &mut going).await {
                Ok(0) => self.idle().await,
                Ok(_) => self.in_vain.store(0, Ordering::Relaxed),
                Err(error) => {
                    guarded(|| tracing::warn!(%error, "could not drain the outbox"));
                    self.core.lifecycle.rest(self.poll / OFTEN).await;
                }
            }
        }
    }

    /// Waits until there may be rows. One of the parts listens; the part that finds some wakes the
    /// next.
    async fn idle(&self) {
        let listen = async {
            let _listener = self.listener.lock().await;
            let pause = match self.in_vain.fetch_add(1, Ordering::Relaxed) {
                in_vain if in_vain < QUIET => self.poll / OFTEN,
                in_vain => poll_backoff::pause(self.poll, in_vain - QUIET),
            };
            tokio::select! {
                biased;
                () = tokio::time::sleep(pause) => {}
                () = self.core.store.outbox_arrived() => {}
            }
        };
        tokio::select! {
            biased;
            () = self.core.lifecycle.stopped() => {}
            () = listen => {}
            () = self.emitter.wake.notified() => {}
        }
    }
}
