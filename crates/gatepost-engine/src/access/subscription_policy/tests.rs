//! A scripted `SubscriptionPolicy`.

use std::sync::Arc;
use std::time::Duration;

use gatepost_ids::{Audience, ObjectId, OwnerId, Realm, TenantId};
use tokio::time::Instant;
use webhook_model::{Object, Occurrence};

use super::{Decision, PolicyCache, Question};
use crate::access::failures::Failures;
use crate::access::testing::{Manner, Platform};
use crate::guard::PATIENCE;

const SECOND: Duration = Duration::from_secs(1);
const OWNERS: [OwnerId; 3] = [OwnerId(1), OwnerId(2), OwnerId(3)];

fn policies(platform: &Arc<Platform>) -> Arc<PolicyCache> {
    PolicyCache::new(platform.clone(), Arc::new(Failures::none()))
}

/// Returns a question about an occurrence on an object of a tenant.
fn question(object: u32, tenant: u128) -> Question {
    let audience = Audience::Tenant(TenantId(tenant));
    let occurrence = Occurrence::new("vms".parse().unwrap(), "poweron".parse().unwrap(), audience)
        .with_object(Object::new(ObjectId::from(object), "db-1"));
    Question::of(&occurrence, Realm::Tenant(TenantId(tenant)))
}

async fn wait(policies: &Arc<PolicyCache>, question: &Question) -> Vec<Option<Decision>> {
    let until = Instant::now() + PATIENCE;
    policies.wait(question, &OWNERS, until).await
}

#[tokio::test(start_paused = true)]
async fn owners_are_asked_together_and_cached_five_seconds() {
    let platform = Platform::new();
    let policies = policies(&platform);
    platform.may(2, Decision::No);
    platform.may(3, Decision::NoSuchObject);
    let question = question(7, 1);
    let expected = [Decision::Yes, Decision::No, Decision::NoSuchObject].map(Some);
    assert_eq!(policies.now(&question, &OWNERS), expected);
    assert_eq!(
        platform.watched(),
        [("Instance(ObjectId(7))".into(), OWNERS.to_vec())]
    );
    assert_eq!(policies.now(&question, &OWNERS), expected);
    assert_eq!(platform.watched(), [], "they are kept");
    policies.now(&question, &[OwnerId(1), OwnerId(4)]);
    assert_eq!(
        platform.watched()[0].1,
        [OwnerId(4)],
        "only what is not known"
    );
    tokio::time::advance(5 * SECOND).await;
    platform.may(2, Decision::Yes);
    assert_eq!(policies.now(&question, &OWNERS)[1], Some(Decision::Yes));
}

#[tokio::test(start_paused = true)]
async fn cached_answer_is_not_used_for_another_question() {
    let platform = Platform::new();
    let policies = policies(&platform);
    policies.now(&question(7, 1), &OWNERS);
    platform.watched();
    for other in [question(8, 1), question(7, 2)] {
        policies.now(&other, &OWNERS);
        assert_eq!(platform.watched().len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn decision_is_yes_only_if_platform_says_yes() {
    let cases = [
        (Manner::Now, Some(Decision::Yes)),
        (Manner::Later(3 * SECOND), Some(Decision::Yes)),
        (Manner::Later(6 * SECOND), None),
        (Manner::Hangs, None),
        (Manner::Fails, None),
        (Manner::FailsLater, None),
        (Manner::Panics, None),
        (Manner::PanicsLater, None),
        (Manner::OneTooFew, None),
    ];
    for (manner, expected) in cases {
        let platform = Platform::new();
        let policies = policies(&platform);
        platform.set_watch_manner(manner);
        let began = Instant::now();
        let may = wait(&policies, &question(7, 1)).await;
        assert_eq!(may, [expected; 3], "{manner:?}");
        assert!(began.elapsed() <= 5 * SECOND, "{manner:?}");
        // The question itself ends at that moment, too.
        tokio::time::sleep(Duration::from_millis(1)).await;
        let failures = u64::from(expected.is_none());
        assert_eq!(policies.failures.all(), failures, "{manner:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn slow_decision_is_asked_once_and_then_known() {
    let platform = Platform::new();
    let policies = policies(&platform);
    platform.set_watch_manner(Manner::Later(SECOND));
    let question = question(7, 1);
    for _ in 0..1_000 {
        assert_eq!(policies.now(&question, &OWNERS), [None; 3]);
    }
    assert_eq!(wait(&policies, &question).await, [Some(Decision::Yes); 3]);
    assert_eq!(platform.watched().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn hanging_decisions_of_one_tenant_delay_no_other() {
    let platform = Platform::new();
    let policies = policies(&platform);
    platform.set_watch_manner(Manner::Hangs);
    for object in 0..100 {
        policies.now(&question(object, 1), &OWNERS);
    }
    platform.set_watch_manner(Manner::Later(SECOND));
    assert_eq!(
        wait(&policies, &question(1, 2)).await,
        [Some(Decision::Yes); 3]
    );
    let began = Instant::now();
    assert_eq!(wait(&policies, &question(200, 1)).await, [None; 3]);
    assert_eq!(
        began.elapsed(),
        Duration::ZERO,
        "full, and nothing is waited for"
    );
    tokio::time::sleep(5 * SECOND).await;
    let there_is_room = wait(&policies, &question(200, 1)).await;
    assert_eq!(there_is_room, [Some(Decision::Yes); 3]);
}

#[tokio::test(start_paused = true)]
async fn failed_decision_is_retried_after_one_second() {
    let platform = Platform::new();
    let policies = policies(&platform);
    platform.set_watch_manner(Manner::Fails);
    for _ in 0..1_000 {
        assert_eq!(policies.now(&question(7, 1), &OWNERS), [None; 3]);
    }
    assert_eq!(platform.watched().len(), 1);
    platform.set_watch_manner(Manner::Now);
    tokio::time::advance(SECOND).await;
    assert_eq!(
        policies.now(&question(7, 1), &OWNERS),
        [Some(Decision::Yes); 3]
    );
}

#[tokio::test(start_paused = true)]
async fn decision_cache_stays_bounded_with_many_users() {
    let platform = Platform::new();
    let policies = policies(&platform);
    for tens in 0..20_000 {
        let owners: Vec<_> = (0..10).map(|n| OwnerId(10 * tens + n)).collect();
        assert_eq!(
            policies.now(&question(7, 1), &owners),
            [Some(Decision::Yes); 10]
        );
    }
    let count = policies.lock().count();
    assert!(
        (10_000..=super::policy_cache::MOST).contains(&count),
        "{count}"
    );
}
