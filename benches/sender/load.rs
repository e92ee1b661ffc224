//! The load on a client.

use std::fmt;
use std::future::Future;

use benches::thread_cpu;

#[derive(Clone, Copy)]
pub struct Load {
    pub in_flight: usize,
    pub requests: usize,
}

impl Load {
    pub const FULL: Self = Self {
        in_flight: 256,
        requests: 25_600,
    };

    /// Keeps calls going until all are done; returns the CPU time for each in microseconds.
    pub async fn put_on<F>(self, call: impl Fn() -> F + Clone + Send + 'static) -> f64
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let before = thread_cpu();
        let workers: Vec<_> = (0..self.in_flight)
            .map(|_| {
                let call = call.clone();
                tokio::spawn(async move {
                    for _ in 0..self.requests / self.in_flight {
                        call().await;
                    }
                })
            })
            .collect();
        for worker in workers {
            worker.await.unwrap();
        }
        (thread_cpu() - before).as_secs_f64() * 1e6 / self.requests as f64
    }
}

impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} requests, {} in flight, loopback; microseconds of client CPU each",
            self.requests, self.in_flight
        )
    }
}
