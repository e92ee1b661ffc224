//! Starts, restarts and ends the engine's tasks.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::guard::guarded;
use crate::meter;

/// How long a shutdown waits for the store when its grace is over.
const LAST: Duration = Duration::from_secs(5);
/// The pause before a part that panicked is restarted.
const RESTART_PAUSE: Duration = Duration::from_millis(200);

/// Cheap to clone; clones share their state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lifecycle {
    /// Cancelled when nothing new is claimed; requests in flight may end.
    stop: CancellationToken,
    /// Cancelled when requests in flight are given back.
    abort: CancellationToken,
    tasks: TaskTracker,
    parts: Restarts,
}

/// The supervised parts, and how often each was restarted.
#[derive(Clone, Debug, Default)]
struct Restarts(Arc<Mutex<BTreeMap<&'static str, u64>>>);

impl Restarts {
    /// Runs a part, again whenever it panics. It is listed from now on.
    fn restart<F>(
        self,
        name: &'static str,
        part: impl Fn() -> F + Send,
    ) -> impl Future<Output = ()> + Send
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.lock().entry(name).or_default();
        async move {
            while let Err(error) = tokio::spawn(part()).await {
                if error.is_cancelled() {
                    return; // The runtime ends.
                }
                *self.lock().entry(name).or_default() += 1;
                meter::part_restart(name);
                guarded(|| {
                    tracing::error!(part = name, "a part of the engine panicked; restarting it");
                });
                tokio::time::sleep(RESTART_PAUSE).await;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<&'static str, u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lifecycle {
    pub(crate) fn is_running(&self) -> bool {
        !self.stop.is_cancelled()
    }

    /// Whether requests in flight must be given back.
    pub(crate) fn is_aborted(&self) -> bool {
        self.abort.is_cancelled()
    }

    /// Ready when the engine stops.
    pub(crate) async fn stopped(&self) {
        self.stop.cancelled().await;
    }

    /// Ready when requests in flight must be given back.
    pub(crate) async fn aborted(&self) {
        self.abort.cancelled().await;
    }

    /// Waits, but no longer than the engine runs.
    pub(crate) async fn rest(&self, time: Duration) {
        tokio::select! {
            biased;
            () = self.stopped() => {}
            () = tokio::time::sleep(time) => {}
        }
    }

    /// Starts a task that a shutdown waits for.
    pub(crate) fn spawn<F>(&self, task: F) -> JoinHandle<F::Output>
    where
        F: Future<Output: Send> + Send + 'static,
    {
        self.tasks.spawn(task)
    }

    /// Runs a part until it returns, which it does when the engine stops. One that panics (because
    /// the store does, for example) is restarted after a moment.
    pub(crate) fn supervise<F>(&self, name: &'static str, part: impl Fn() -> F + Send + 'static)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.tasks.spawn(self.parts.clone().restart(name, part));
    }

    /// As [`supervise`](Self::supervise), for one of the loops of a part.
    pub(crate) fn supervise_shared<P, F>(
        &self,
        name: &'static str,
        part: &Arc<P>,
        run: impl Fn(Arc<P>) -> F + Send + 'static,
    ) where
        P: Send + Sync + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        let part = part.clone();
        self.supervise(name, move || run(part.clone()));
    }

    /// As [`supervise`](Self::supervise), for a part that ends when it is no longer needed: a
    /// shutdown does not wait for it.
    pub(crate) fn supervise_unawaited<F>(
        &self,
        name: &'static str,
        part: impl Fn() -> F + Send + 'static,
    ) where
        F: Future<Output = ()> + Send + 'static,
    {
        tokio::spawn(self.parts.clone().restart(name, part));
    }

    /// Returns how often parts were restarted because they had panicked.
    pub(crate) fn restarts(&self) -> u64 {
        self.parts.lock().values().sum()
    }

    /// Returns all parts, and how often each was restarted.
    #[cfg(test)]
    pub(crate) fn parts(&self) -> BTreeMap<&'static str, u64> {
        self.parts.lock().clone()
    }

    /// Stops: requests in flight may end for as long as `grace`; then they are given back.
    pub(crate) async fn shutdown(&self, grace: Duration) {
        self.stop.cancel();
        self.tasks.close();
        if tokio::time::timeout(grace, self.tasks.wait())
            .await
            .is_err()
        {
            self.abort.cancel();
            // Giving back is one settlement; a store that hangs must not delay the platform.
            let _ = tokio::time::timeout(LAST, self.tasks.wait()).await;
        }
        self.abort.cancel();
    }

    /// Runs one last task of a shutdown: even if it panics or hangs, the shutdown ends.
    pub(crate) async fn finish(&self, task: impl Future<Output = ()> + Send + 'static) {
        let _ = tokio::time::timeout(LAST, tokio::spawn(task)).await;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::time::Instant;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn panicking_part_is_restarted_until_it_returns() {
        let lifecycle = Lifecycle::default();
        let starts = Arc::new(AtomicUsize::new(0));
        let counted = starts.clone();
        lifecycle.supervise("test", move || {
            let starts = counted.clone();
            async move {
                assert!(starts.fetch_add(1, Ordering::SeqCst) >= 3, "on purpose");
            }
        });
        lifecycle.shutdown(Duration::from_secs(10)).await;
        assert_eq!(starts.load(Ordering::SeqCst), 4);
        assert_eq!(lifecycle.restarts(), 3);
        assert!(!lifecycle.is_running());
    }

    #[tokio::test(start_paused = true)]
    async fn shutdown_waits_for_grace_then_aborts_within_limit() {
        let (lifecycle, began) = (Lifecycle::default(), Instant::now());
        let (patient, deaf) = (lifecycle.clone(), lifecycle.clone());
        let asked = lifecycle.spawn(async move {
            patient.aborted().await;
            began.elapsed()
        });
        deaf.spawn(std::future::pending::<()>());
        lifecycle.shutdown(Duration::from_secs(3)).await;
        assert_eq!(asked.await.unwrap().as_secs(), 3);
        assert_eq!(began.elapsed().as_secs(), 3 + LAST.as_secs());
    }

    #[tokio::test(start_paused = true)]
    async fn shutdown_ends_once_all_tasks_have_ended() {
        let (lifecycle, began) = (Lifecycle::default(), Instant::now());
        lifecycle.spawn(tokio::time::sleep(Duration::from_secs(2)));
        lifecycle.supervise_unawaited("test", std::future::pending);
        lifecycle.shutdown(Duration::from_secs(60)).await;
        assert_eq!(began.elapsed().as_secs(), 2);
        lifecycle.finish(async { panic!("on purpose") }).await;
        lifecycle.finish(std::future::pending()).await;
        assert_eq!(began.elapsed().as_secs(), 2 + LAST.as_secs());
    }
}
