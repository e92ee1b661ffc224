//! The required options of a builder, and the parts that it creates.

mod idle;
mod restarts;
mod slow_platform;

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use delivery::{Sender, TargetPolicy};
use gatepost_ids::Audience;
use gatepost_kv::MemoryStore;
use gatepost_storage::Clock;
use tokio::time::Instant;
use webhook_model::Occurrence;

use super::EngineBuilder;
use crate::access::testing::Platform;
use crate::engine::Engine;
use crate::error::{EmitError, StartError};
use crate::testing::noon;

/// A clock that follows the time of a test.
#[derive(Debug)]
struct Going(Instant);

impl Clock for Going {
    fn now(&self) -> DateTime<Utc> {
        noon() + self.0.elapsed()
    }

    fn passed(&self) -> Option<Duration> {
        Some(self.0.elapsed())
    }
}

fn builder() -> EngineBuilder {
    let sender = Sender::builder(TargetPolicy::public()).build();
    Engine::builder(Arc::new(MemoryStore::new()), sender.unwrap())
}

#[tokio::test]
async fn engine_starts_only_with_exactly_one_audience_rule() {
    let platform = Platform::new();
    let refused = [
        builder(),
        builder()
            .one_system(platform.clone())
            .one_system(platform.clone()),
        builder()
            .one_system(platform.clone())
            .addressed_only(platform.clone()),
        builder()
            .addressed_only(platform.clone())
            .subscription_policy(platform.clone(), platform.clone()),
    ];
    for builder in refused {
        let error = builder.start().await.unwrap_err();
        assert!(matches!(error, StartError::NoAudience), "{error:?}");
        for word in ["one_system", "addressed_only", "watch"] {
            assert!(error.to_string().contains(word), "{error}");
        }
    }
}

#[tokio::test]
async fn audience_rule_decides_accepted_audiences() {
    let platform = Platform::new();
    let ways = [
        (builder().one_system(platform.clone()), Audience::OneSystem),
        (
            builder().addressed_only(platform.clone()),
            Audience::Operators,
        ),
        (
            builder().subscription_policy(platform.clone(), platform.clone()),
            Audience::Operators,
        ),
    ];
    for (builder, right) in ways {
        let engine = builder.start().await.unwrap();
        for audience in [Audience::OneSystem, Audience::Operators] {
            let (event_type, event) = ("vms".parse().unwrap(), "poweron".parse().unwrap());
            let emitted = engine
                .emit(Occurrence::new(event_type, event, audience))
                .await;
            match emitted {
                Ok(_) => assert_eq!(audience, right),
                Err(EmitError::WrongAudience(_)) => assert_ne!(audience, right),
                Err(error) => panic!("{error}"),
            }
        }
        engine.shutdown(Duration::ZERO).await;
    }
}
