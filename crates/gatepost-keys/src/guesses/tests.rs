//! The limiter compared with an unbounded model, and the guarantees against attackers.

use std::collections::HashMap;
use std::net::IpAddr;
use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::Arc;
use std::time::Duration;

use gatepost_storage::{Clock, ManualClock};
use proptest::prelude::*;

use super::{Attempt, FailureLimit, GuessLimiter, GuessLimits, RetryAfter};

const SECOND: Duration = Duration::from_secs(1);

fn limit(burst: u32, every: Duration, first: Duration, longest: Duration) -> FailureLimit {
    FailureLimit::new(NonZeroU32::new(burst).unwrap(), every).with_delays(first, longest)
}

/// 6 failures from an address, 3 with a name, 4 of a known pair.
fn limits() -> GuessLimits {
    GuessLimits::default()
        .with_address(limit(6, 10 * SECOND, SECOND, 16 * SECOND))
        .with_account(limit(3, 60 * SECOND, SECOND, 64 * SECOND))
        .with_known(limit(4, 10 * SECOND, SECOND, 8 * SECOND))
}

fn limiter(limits: GuessLimits) -> (GuessLimiter, Arc<ManualClock>) {
    let clock = Arc::new(ManualClock::at("2026-01-01T00:00:00Z".parse().unwrap()));
    (GuessLimiter::new(limits, clock.clone()), clock)
}

fn addr(text: &str) -> IpAddr {
    text.parse().unwrap()
}

/// Presents a wrong password.
fn fail(guesses: &GuessLimiter, account: &str, from: &str) -> Result<(), u64> {
    let attempt = guesses.attempt(account, addr(from));
    attempt.map(drop).map_err(RetryAfter::seconds)
}

/// Presents the right password.
fn log_in(guesses: &GuessLimiter, account: &str, from: &str) -> Result<(), u64> {
    let attempt = guesses.attempt(account, addr(from));
    attempt.map(Attempt::succeeded).map_err(RetryAfter::seconds)
}

#[test]
fn account_delays_double_regardless_of_address_and_clock() {
    let (guesses, clock) = limiter(limits());
    let mut elsewhere = (1..).map(|n| format!("10.0.{n}.1"));
    let mut guess = |name| fail(&guesses, name, &elsewhere.next().unwrap());
    for name in ["Ada", " ada", "ADA "] {
        assert_eq!(guess(name), Ok(()));
    }
    for delay in [1, 2, 4, 8, 16, 32] {
        assert_eq!(guess("ada"), Ok(()), "{delay}");
        assert_eq!(guess("ada"), Err(delay));
        clock.advance(Duration::from_millis(500));
        assert_eq!(guess("ada"), Err(delay), "rounded up");
        clock.advance(Duration::from_millis(400));
        clock.jump(chrono::TimeDelta::days(1));
        assert!(guess("ada").is_err(), "who sets the clock opens nothing");
        clock.advance(Duration::from_millis(1_000 * delay - 900));
    }
    assert_eq!(guess("bob"), Ok(()), "another account");
}

#[test]
fn owner_is_not_locked_out_at_known_address() {
    let (guesses, _) = limiter(limits());
    assert_eq!(log_in(&guesses, "ada", "10.0.0.1"), Ok(()));
    // Strangers use up the name, and one at the same address uses up the address.
    for n in 0..100 {
        let _ = fail(&guesses, "ada", &format!("10.1.0.{n}"));
        let _ = fail(&guesses, &format!("user{n}"), "10.0.0.1");
    }
    assert!(fail(&guesses, "ada", "10.2.0.1").is_err(), "by name");
    assert!(fail(&guesses, "eve", "10.0.0.1").is_err(), "by address");
    assert_eq!(log_in(&guesses, "ada", "10.0.0.1"), Ok(()));
    // The known pair has a limit too, so that nobody guesses from there without end.
    for _ in 0..5 {
        assert_eq!(fail(&guesses, "ada", "10.0.0.1"), Ok(()));
    }
    assert_eq!(log_in(&guesses, "ada", "10.0.0.1"), Err(1));
}

#[test]
fn concurrent_attempts_count_against_the_limit() {
    let (guesses, _) = limiter(limits());
    let held: Vec<_> = (0..1_000)
        .filter_map(|_| guesses.attempt("ada", addr("10.0.0.1")).ok())
        .collect();
    assert_eq!(held.len(), 4, "three are free, the fourth blocks");
}

#[test]
fn correct_or_unchecked_passwords_cost_nothing() {
    let (guesses, _) = limiter(limits());
    for n in 0..50 {
        assert_eq!(log_in(&guesses, &format!("user{n}"), "10.0.0.1"), Ok(()));
        guesses
            .attempt("ada", addr("10.0.0.1"))
            .unwrap()
            .not_checked();
    }
    assert_eq!(fail(&guesses, "ada", "10.0.0.1"), Ok(()));
}

#[test]
fn waiting_checks_charge_their_address_and_no_account() {
    let (guesses, _) = limiter(limits());
    let wait = |account: &str, from: &str| {
        let attempt = guesses.attempt(account, addr(from));
        attempt.map(Attempt::kept_waiting)
    };
    for n in 0..7 {
        assert_eq!(wait(&format!("user{n}"), "10.0.0.1"), Ok(()), "{n}");
    }
    assert!(wait("user8", "10.0.0.1").is_err(), "six are free");
    for n in 2..50 {
        let from = format!("10.0.0.{n}");
        assert_eq!(wait("ada", &from), Ok(()), "no name is used up");
    }
    assert_eq!(log_in(&guesses, "bob", "10.0.1.1"), Ok(()));
    for _ in 0..5 {
        assert_eq!(wait("bob", "10.0.1.1"), Ok(()));
    }
    assert!(wait("bob", "10.0.1.1").is_err(), "a known pair has a limit");
}

#[test]
fn wrong_secret_counts_once_for_passwords_too() {
    let (guesses, clock) = limiter(limits());
    let from = addr("2001:db8::1");
    for _ in 0..100 {
        assert_eq!(
            guesses.wrong_secret(b"a key that was deleted", from),
            Ok(())
        );
    }
    for n in 2..=7u8 {
        assert_eq!(guesses.wrong_secret(&[n], from), Ok(()));
    }
    let retry = guesses
        .wrong_secret(b"x", addr("2001:db8::ffff"))
        .unwrap_err();
    assert_eq!(retry.seconds(), 1, "of the same /64");
    assert_eq!(fail(&guesses, "ada", "2001:db8::2"), Err(1));
    assert_eq!(fail(&guesses, "ada", "2001:db8:0:1::2"), Ok(()));
    clock.advance(SECOND);
    assert_eq!(fail(&guesses, "ada", "2001:db8::2"), Ok(()));
}

#[test]
fn full_table_refuses_nobody_and_forgets_no_guesser() {
    let (guesses, _) = limiter(limits().with_remembered(NonZeroUsize::new(64).unwrap()));
    for _ in 0..5 {
        let _ = fail(&guesses, "ada", "10.0.0.1");
    }
    for n in 0..5_000u32 {
        let from = format!("10.{}.{}.1", 1 + n / 256, n % 256);
        assert_eq!(fail(&guesses, &format!("user{n}"), &from), Ok(()));
    }
    assert!(fail(&guesses, "ada", "10.0.0.1").is_err());
    // An account that logs in from many networks displaces nobody.
    assert_eq!(log_in(&guesses, "bob", "172.16.0.1"), Ok(()));
    for n in 0..5_000u32 {
        let from = format!("172.{}.{}.1", 17 + n / 256, n % 256);
        assert_eq!(log_in(&guesses, "eve", &from), Ok(()));
    }
    for n in 0..10 {
        let _ = fail(&guesses, "bob", &format!("192.168.{n}.1"));
    }
    assert!(fail(&guesses, "bob", "192.168.99.1").is_err());
    assert_eq!(log_in(&guesses, "bob", "172.16.0.1"), Ok(()));
}

#[test]
fn debug_text_shows_no_name_or_address() {
    let (guesses, _) = limiter(limits());
    let attempt = guesses.attempt("hunter2", addr("10.0.0.1")).unwrap();
    let text = format!("{guesses:?} {attempt:?}");
    assert!(
        !text.contains("hunter2") && !text.contains("10.0.0.1"),
        "{text}"
    );
}

/// A model that keeps every admitted failure of each address, account and pair.
#[derive(Default)]
struct Model {
    failures: HashMap<String, Vec<Duration>>,
    known: Vec<(u8, u8)>,
}

impl Model {
    /// Replays all failures. Returns how many are not forgiven, and the time until which attempts
    /// are blocked.
    fn standing(&self, what: &str, limit: [u64; 4], now: Duration) -> (u64, Duration) {
        let [burst, every, first, longest] = limit;
        let (mut level, mut since, mut shut) = (0, 0, 0);
        let times = self.failures.get(what).into_iter().flatten();
        let seconds = times.map(Duration::as_secs).map(|time| (time, 1));
        for (time, added) in seconds.chain([(now.as_secs(), 0)]) {
            while level > 0 && time >= since + every {
                level -= 1;
                since += every;
            }
            if level == 0 {
                since = time;
            }
            level += added;
            // From this number on the delay no longer grows.
            let most = burst + 1 + (longest / first).ilog2() as u64;
            level = level.min(most);
            if added == 1 && level > burst {
                shut = time + (first << (level - burst - 1)).min(longest);
            }
        }
        (level, Duration::from_secs(shut))
    }

    fn wait(&self, account: u8, from: u8, now: Duration) -> Duration {
        let shut = if self.known.contains(&(account, from)) {
            self.standing(&format!("pair {account} {from}"), [4, 10, 1, 8], now)
                .1
        } else {
            let address = self.standing(&format!("address {from}"), [6, 10, 1, 16], now);
            let account = self.standing(&format!("account {account}"), [3, 60, 1, 64], now);
            // The address is checked first.
            if address.1 > now {
                address.1
            } else {
                account.1
            }
        };
        shut.saturating_sub(now)
    }

    fn fail(&mut self, account: u8, from: u8, now: Duration) {
        let counted = if self.known.contains(&(account, from)) {
            vec![format!("pair {account} {from}")]
        } else {
            vec![format!("address {from}"), format!("account {account}")]
        };
        for what in counted {
            self.failures.entry(what).or_default().push(now);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_limiter_does_as_the_model(steps in prop::collection::vec((0u8..3, 0u8..3, 0u8..8, 0u64..20), 1..120)) {
        let (guesses, clock) = limiter(limits());
        let mut model = Model::default();
        for (account, from, what, seconds) in steps {
            if what > 4 {
                clock.advance(Duration::from_secs(seconds));
            }
            let now = clock.passed().unwrap();
            let (name, address) = (format!("user{account}"), addr(&format!("10.0.0.{from}")));
            let wait = model.wait(account, from, now);
            match guesses.attempt(&name, address) {
                Err(retry) => prop_assert_eq!(retry.duration(), wait),
                Ok(attempt) => {
                    prop_assert_eq!(wait, Duration::ZERO);
                    if what == 0 {
                        attempt.succeeded();
                        if !model.known.contains(&(account, from)) {
                            model.known.push((account, from));
                        }
                    } else {
                        drop(attempt);
                        model.fail(account, from, now);
                    }
                }
            }
        }
    }
}
