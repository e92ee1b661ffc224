use std::sync::Barrier;

use apikey_core::RateLimit;

use super::bucket::Bucket;
use super::*;

fn limit(requests: u32) -> RateLimit {
    RateLimit::per_minute(requests).unwrap()
}

fn at(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

#[test]
fn concurrent_draws_get_exactly_one_minute_of_requests() {
    let (bucket, start) = (Bucket::default(), Barrier::new(4));
    let draw = || {
        start.wait();
        (0..1_000)
            .filter(|_| bucket.draw(limit(1_000), at(7)).is_ok())
            .count()
    };
    let drawn: usize = std::thread::scope(|scope| {
        let threads = [(); 4].map(|()| scope.spawn(draw));
        threads.into_iter().map(|t| t.join().unwrap()).sum()
    });
    assert_eq!(drawn, 1_000);
}

#[test]
fn a_keys_own_requests_are_drawn_first() {
    let of = |requests| Metered {
        limit: limit(requests),
        bucket: Arc::default(),
    };
    let owner = of(10);
    let shared = Arc::clone(&owner.bucket);
    let meter = Meter::of(Some(of(2)), Some(owner)).unwrap();
    for remaining in [1, 0] {
        let standing = meter.draw(at(0)).unwrap();
        assert_eq!((standing.of, standing.remaining), (RateOf::Key, remaining));
    }
    for _ in 0..100 {
        let refused = meter.draw(at(0)).unwrap_err();
        assert_eq!((refused.of, refused.reset), (RateOf::Key, at(30)));
    }
    let left = shared.draw(limit(10), at(0)).unwrap();
    assert_eq!(left.remaining, 7, "the owner's was drawn from twice");
}

#[test]
fn refilled_buckets_are_forgotten_used_ones_kept() {
    let buckets = Buckets::default();
    let used = buckets.of(u128::MAX, at(0));
    let drawn = |id, now| {
        buckets.of(id, now).draw(limit(60), now).unwrap();
    };
    (0..10_000).for_each(|id| drawn(id, at(0)));
    assert_eq!(buckets.len(), 10_001, "none of them is full");
    (10_000..20_000).for_each(|id| drawn(id, at(99)));
    assert!(buckets.len() < 21_000 && buckets.len() >= 10_001);
    (20_000..60_000).for_each(|id| drop(buckets.of(id, at(999))));
    assert!(buckets.len() < 25_000, "{}", buckets.len());
    assert!(Arc::ptr_eq(&used, &buckets.of(u128::MAX, at(999))));
}

#[test]
fn buckets_stay_within_their_limit() {
    let buckets = Buckets::default();
    for id in 0..300_000 {
        buckets.of(id, at(0)).draw(limit(60), at(0)).unwrap();
    }
    assert_eq!(buckets.len(), 100_000);
}
