//! The book over a scripted platform.

use std::sync::Arc;
use std::time::Duration;

use gatepost_ids::{AccessLevel, OwnerId, TenantId};
use tokio::time::Instant;

use super::{AccountBook, Answer, News};
use crate::access::failures::Failures;
use crate::access::testing::{Manner, Platform};

const OWNER: OwnerId = OwnerId(1);
const SECOND: Duration = Duration::from_secs(1);

fn book(platform: &Arc<Platform>) -> (Arc<AccountBook>, News) {
    AccountBook::new(platform.clone(), false, Arc::new(Failures::none()))
}

#[tokio::test(start_paused = true)]
async fn an_answer_holds_for_five_seconds() {
    let platform = Platform::new();
    let (book, _news) = book(&platform);
    platform.user(1, 7);
    let tenant = || book.now(OWNER).unwrap().unwrap().unwrap().tenant;
    assert_eq!(tenant(), Some(TenantId(7)));
    platform.user(1, 8);
    tokio::time::advance(5 * SECOND - Duration::from_millis(1)).await;
    assert_eq!(tenant(), Some(TenantId(7)));
    assert_eq!(platform.asked(), [OWNER]);
    tokio::time::advance(Duration::from_millis(1)).await;
    assert_eq!(tenant(), Some(TenantId(8)));
    assert_eq!(platform.asked(), [OWNER]);
}

#[tokio::test(start_paused = true)]
async fn platform_answers_or_errors_within_five_seconds() {
    let cases = [
        (Manner::Now, true, None),
        (Manner::Later(3 * SECOND), true, None),
        (
            Manner::Later(6 * SECOND),
            false,
            Some("no answer within 5 seconds"),
        ),
        (Manner::Hangs, false, Some("no answer within 5 seconds")),
        (Manner::Fails, false, Some("down")),
        (Manner::FailsLater, false, Some("down")),
        (Manner::Panics, false, Some("its code panicked")),
        (Manner::PanicsLater, false, Some("its code panicked")),
    ];
    for (manner, good, error) in cases {
        let platform = Platform::new();
        let (book, _news) = book(&platform);
        platform.set_manner(manner);
        let began = Instant::now();
        let answer = book.wait(OWNER).await;
        assert!(began.elapsed() <= 5 * SECOND, "{manner:?}");
        assert_eq!(answer.is_ok(), good, "{manner:?}");
        assert_eq!(answer.err().as_deref(), error, "{manner:?}");
        assert_eq!(book.failures.all(), u64::from(!good), "{manner:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn slow_account_is_unknown_then_fetched_in_background() {
    let platform = Platform::new();
    let (book, _news) = book(&platform);
    platform.set_manner(Manner::Later(SECOND));
    assert_eq!(book.now(OWNER), None);
    assert_eq!(book.now(OWNER), None);
    tokio::time::sleep(2 * SECOND).await;
    assert!(book.now(OWNER).unwrap().is_ok());
    assert_eq!(platform.asked(), [OWNER], "the question went on by itself");
}

#[tokio::test(start_paused = true)]
async fn concurrent_waiters_for_one_user_ask_platform_once() {
    let platform = Platform::new();
    let (book, _news) = book(&platform);
    platform.set_manner(Manner::Later(SECOND));
    let waiting: Vec<_> = (0..1_000)
        .map(|_| {
            let book = book.clone();
            tokio::spawn(async move { book.wait(OWNER).await })
        })
        .collect();
    for waiting in waiting {
        assert!(waiting.await.unwrap().is_ok());
    }
    assert_eq!(platform.asked(), [OWNER]);
}

#[tokio::test(start_paused = true)]
async fn hanging_account_query_does_not_delay_other_users() {
    let platform = Platform::new();
    let (book, _news) = book(&platform);
    platform.set_manner_about(1, Manner::Hangs);
    assert_eq!(book.now(OWNER), None);
    let began = Instant::now();
    assert!(book.wait(OwnerId(2)).await.is_ok());
    assert_eq!(began.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn failed_account_query_is_retried_after_one_second() {
    let platform = Platform::new();
    let (book, _news) = book(&platform);
    platform.set_manner(Manner::Fails);
    for _ in 0..1_000 {
        assert!(book.now(OWNER).unwrap().is_err());
    }
    assert_eq!(platform.asked(), [OWNER]);
    platform.set_manner(Manner::Now);
    tokio::time::advance(SECOND).await;
    assert!(book.now(OWNER).unwrap().is_ok());
}

#[tokio::test(start_paused = true)]
async fn ten_thousand_slow_accounts_load_within_one_second() {
    let platform = Platform::new();
    let (book, _news) = book(&platform);
    platform.set_manner(Manner::Later(Duration::from_millis(1)));
    let users = || (0..10_000).map(OwnerId);
    users().for_each(|user| drop(book.now(user)));
    tokio::time::sleep(SECOND).await;
    assert!(users().all(|user| book.known(user).is_some()));
    // They stay known while they are asked about again.
    for _ in 0..60 {
        tokio::time::advance(SECOND).await;
        assert!(users().all(|user| book.now(user).is_some()));
        tokio::time::sleep(SECOND).await;
    }
}

#[tokio::test(start_paused = true)]
async fn last_answer_is_used_for_minute_during_refresh() {
    let platform = Platform::new();
    let (book, _news) = book(&platform);
    platform.user(1, 7);
    let enabled = |answer: Option<Answer>| answer.map(|a| a.unwrap().unwrap().enabled);
    assert_eq!(enabled(book.now(OWNER)), Some(true));
    platform.set_manner(Manner::Later(2 * SECOND));
    platform.enable(1, false);
    tokio::time::advance(6 * SECOND).await;
    assert_eq!(enabled(book.now(OWNER)), Some(true), "while it is asked");
    assert_eq!(
        enabled(Some(book.wait(OWNER).await)),
        Some(false),
        "a waiting call receives the new one"
    );
    assert_eq!(enabled(book.now(OWNER)), Some(false));
    for (seconds, used) in [(59, Some(false)), (61, None)] {
        book.wait(OWNER).await.unwrap();
        tokio::time::advance(seconds * SECOND).await;
        assert_eq!(enabled(book.now(OWNER)), used, "after {seconds} s");
    }
}

#[tokio::test(start_paused = true)]
async fn changed_user_is_unknown_until_platform_answers() {
    let platform = Platform::new();
    let (book, _news) = book(&platform);
    assert!(book.now(OWNER).is_some());
    platform.set_manner(Manner::Later(SECOND));
    let again = tokio::spawn({
        let book = book.clone();
        async move { book.ask_again(OWNER).await }
    });
    tokio::time::sleep(SECOND / 2).await;
    assert_eq!(book.now(OWNER), None, "the last answer is not used");
    assert!(again.await.unwrap().is_ok());
}

#[tokio::test(start_paused = true)]
async fn slow_users_of_one_tenant_delay_no_others() {
    let platform = Platform::new();
    let (book, _news) = book(&platform);
    for n in 0..1_000 {
        platform.user(n, 7);
        book.now(OwnerId(n));
    }
    platform.user(5_000, 8);
    tokio::time::advance(6 * SECOND).await;
    platform.set_manner(Manner::Later(Duration::from_millis(1)));
    for n in 0..1_000 {
        book.now(OwnerId(n));
    }
    assert!(book.wait(OwnerId(5_000)).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_hundred_thousand_users_are_kept_within_bounds() {
    let platform = Platform::new();
    let (book, mut news) = book(&platform);
    for n in 0..100_000 {
        assert!(book.now(OwnerId(n)).unwrap().is_ok());
    }
    assert!(
        book.count() <= super::account_cache::MOST,
        "{}",
        book.count()
    );
    let mut told = 0;
    while news.try_recv().is_ok() {
        told += 1;
    }
    assert_eq!(told, super::account_cache::NEWS);
}

#[tokio::test(start_paused = true)]
async fn account_answer_is_notified_until_store_matches_it() {
    let platform = Platform::new();
    let (book, mut news) = book(&platform);
    let mut told = async || {
        tokio::time::advance(5 * SECOND).await;
        let answer = book.now(OWNER).unwrap().unwrap();
        let told = std::iter::from_fn(|| news.try_recv().ok());
        (answer, told.collect::<Vec<_>>())
    };
    assert_eq!(told().await.1, [OWNER]);
    let (answer, again) = told().await;
    assert_eq!(again, [OWNER]);
    book.settled(OWNER, answer);
    assert_eq!(told().await.1, []);
    platform.enable(1, false);
    assert_eq!(told().await.1, [OWNER]);
    book.settled(OWNER, answer);
    assert_eq!(
        told().await.1,
        [OWNER],
        "what was settled is not what is true now"
    );
}

#[tokio::test(start_paused = true)]
async fn ask_again_does_not_reuse_a_running_question() {
    let platform = Platform::new();
    let (book, _news) = book(&platform);
    platform.set_manner(Manner::Later(2 * SECOND));
    platform.user(1, 7);
    assert_eq!(book.now(OWNER), None);
    tokio::time::sleep(SECOND).await;
    let began = Instant::now();
    book.ask_again(OWNER).await.unwrap();
    assert_eq!(
        began.elapsed(),
        3 * SECOND,
        "the first question, then its own"
    );
    assert_eq!(platform.asked().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn one_system_account_with_tenant_is_an_error() {
    let platform = Platform::new();
    let (book, _news) = AccountBook::new(platform.clone(), true, Arc::new(Failures::none()));
    platform.account(1, AccessLevel::User, 7);
    let error = book.wait(OWNER).await.unwrap_err();
    assert_eq!(
        &*error,
        "it said one_system, but this account names a tenant"
    );
    assert!(
        book.wait(OwnerId(2)).await.is_ok(),
        "an error of that user only"
    );
}
