//! A runtime for tests that do not start one.

/// Runs a future to the end on its own runtime with several threads.
pub fn block_on<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(4)
        .enable_all()
        .build()
        .unwrap()
        .block_on(future)
}

/// Carries these out at the same time, and returns their results in their order.
pub(crate) async fn racing<T: Send + 'static>(
    racers: impl IntoIterator<Item = impl Future<Output = T> + Send + 'static>,
) -> Vec<T> {
    let racers: Vec<_> = racers.into_iter().map(tokio::spawn).collect();
    let mut results = Vec::new();
    for racer in racers {
        results.push(racer.await.unwrap());
    }
    results
}
