//! Deliveries that were counted instead of stored.

use super::*;

#[tokio::test(start_paused = true)]
async fn rejected_counts_are_hourly_and_notified_each_minute() {
    let world = World::new(small()).await;
    let webhook = world.webhook(OWNER).await;
    let reject = |reason, count| world.authorizer.rejected(OWNER, webhook, reason, count);
    reject(RejectReason::Waiting, 2);
    reject(RejectReason::Waiting, 3);
    reject(RejectReason::Occurrence, 1);
    world.store.fail("count_rejected", 1, Fault::Refused);
    world.authorizer.flush().await;
    let written = async || world.memory.rejected(Scope::All, 10).await.unwrap();
    assert_eq!(written().await, []);
    reject(RejectReason::Waiting, 1);
    world.authorizer.flush().await;
    let rejected = |reason, count| RejectedCount {
        webhook,
        reason,
        minute: noon(),
        count,
    };
    let both = [
        rejected(RejectReason::Waiting, 6),
        rejected(RejectReason::Occurrence, 1),
    ];
    assert_eq!(written().await, both);
    reject(RejectReason::Occurrence, 1);
    world.authorizer.flush().await;
    assert_eq!(
        written().await[1].count,
        2,
        "few counts are written immediately"
    );
    let notice = |count| Notice::Rejected {
        owner: OWNER,
        count,
    };
    assert_eq!(world.noticed.all(1).await, [notice(6)]);
    tokio::time::advance(60 * SECOND).await;
    world.authorizer.flush().await;
    assert_eq!(world.noticed.all(2).await, [notice(6), notice(2)]);
    tokio::time::advance(60 * SECOND).await;
    world.authorizer.flush().await;
    assert_eq!(
        world.authorizer.rejected.held(),
        (0, 0),
        "nothing is left behind"
    );
}

#[tokio::test(start_paused = true)]
async fn rejected_notice_without_capacity_is_added_to_next() {
    let world = World::new(small()).await;
    let (let_go, hang) = mpsc::channel();
    *world.noticed.hang.lock().unwrap() = Some(hang);
    let note = |owner: u32| {
        let (owner, webhook) = (OwnerId::from(owner), WebhookId(owner.into()));
        world
            .authorizer
            .rejected(owner, webhook, RejectReason::Waiting, 1);
    };
    (1..=5).for_each(note);
    for _ in 0..3 {
        world.authorizer.flush().await;
    }
    assert_eq!(world.noticed.all(4).await.len(), 4, "as many as may hang");
    (1..=5).for_each(note);
    drop(let_go);
    world.authorizer.rejected.observer_is_idle().await;
    for _ in 0..3 {
        tokio::time::advance(60 * SECOND).await;
        world.authorizer.flush().await;
        world.authorizer.rejected.observer_is_idle().await;
    }
    let mut said = HashMap::new();
    for notice in world.noticed.all(9).await {
        let Notice::Rejected { owner, count } = notice else {
            panic!("{notice:?}");
        };
        *said.entry(owner).or_insert(0) += count;
    }
    let expected: HashMap<_, _> = (1..=5).map(|owner| (OwnerId(owner), 2)).collect();
    assert_eq!(said, expected);
}

#[tokio::test(start_paused = true)]
async fn rejected_counts_flush_each_minute_and_on_shutdown() {
    let world = World::new(small()).await;
    let mut many = Vec::new();
    for n in 0..20 {
        many.push(world.named(OWNER, &format!("w{n}")).await);
    }
    for second in 0..150 {
        for webhook in &many {
            world
                .authorizer
                .rejected(OWNER, *webhook, RejectReason::Waiting, 1);
        }
        let now = noon() + TimeDelta::seconds(second);
        world.authorizer.rejected.flush(now, false).await.unwrap();
        tokio::time::advance(SECOND).await;
    }
    let writes = world.store.calls_of("count_rejected");
    assert_eq!(writes, 3, "in the first second, after 60 and after 120");
    let counted = async || {
        let rows = world.memory.rejected(Scope::All, 1_000).await.unwrap();
        rows.iter().map(|row| row.count).sum::<u64>()
    };
    assert_eq!(counted().await, 20 * 121);
    let lifecycle = &world.authorizer.owners.lifecycle;
    lifecycle.shutdown(Duration::ZERO).await;
    world.authorizer.flush().await;
    assert_eq!(counted().await, 20 * 150);
}

#[tokio::test(start_paused = true)]
async fn rejected_counts_make_one_row_per_webhook_hour() {
    let world = World::new(small()).await;
    let mut many = Vec::new();
    for n in 0..40 {
        many.push(world.named(OWNER, &format!("w{n}")).await);
    }
    let other = world.webhook(OwnerId(2)).await;
    let at = |minute, second| noon() + TimeDelta::minutes(minute) + TimeDelta::seconds(second);
    let reject = |owner, webhook| {
        world
            .authorizer
            .rejected(owner, webhook, RejectReason::Waiting, 1);
    };
    let flush = |now| world.authorizer.rejected.flush(now, false);
    // At most ten of them in a second.
    for (second, some) in (0..120).zip(many.chunks(10).cycle()) {
        some.iter().for_each(|webhook| reject(OWNER, *webhook));
        reject(OwnerId(2), other);
        flush(at(20, second)).await.unwrap();
        tokio::time::advance(SECOND).await;
    }
    tokio::time::advance(60 * SECOND).await;
    flush(at(22, 0)).await.unwrap();
    reject(OWNER, many[0]);
    tokio::time::advance(60 * SECOND).await;
    flush(at(61, 0)).await.unwrap();
    let rows = world.memory.rejected(Scope::All, 1_000).await.unwrap();
    let rows = rows.iter().map(|row| (row.webhook, row.minute, row.count));
    let mut expected = vec![(many[0], at(60, 0), 1)];
    expected.extend(many.iter().map(|webhook| (*webhook, noon(), 30)));
    expected.push((other, noon(), 120));
    assert_eq!(rows.collect::<Vec<_>>(), expected);
}
