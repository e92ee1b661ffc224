//! The search for due deliveries.

use gatepost_ids::OwnerId;
use gatepost_storage::webhooks::{
    DeliveryId, DuePoint, DueQueue, QueueClass, Queues, WebhookQueue,
};
use webhook_model::{Activity, WebhookId};

use crate::fixtures::{START, at, change, direct, message};
use crate::harness::Webhooks;
use crate::world::set;

/// Creates a webhook of each of these owners.
async fn hooks(store: &Webhooks, owners: &[u128]) -> Vec<WebhookId> {
    let mut hooks = Vec::new();
    for owner in owners {
        hooks.push(set(store, *owner, "w").await.webhook);
    }
    hooks
}

fn first(webhook: WebhookId) -> WebhookQueue {
    let class = QueueClass::First;
    WebhookQueue { webhook, class }
}

fn queues(due: &[DueQueue]) -> Vec<WebhookQueue> {
    due.iter().map(|due| due.queue).collect()
}

/// Sweeps all queues, this many at a time, and returns those that may be claimed from.
async fn swept(store: &Webhooks, limit: u32, now: i64) -> Vec<DueQueue> {
    let (mut found, mut after) = (Vec::new(), None);
    for _ in 0..99 {
        let which = Queues::Beyond(after);
        let page = store.queue.queues(which, limit, at(now)).await.unwrap();
        assert!(page.due.len() <= limit as usize, "Q46 the limit");
        found.extend(page.due);
        let Some(Queues::Beyond(next)) = page.more else {
            return found;
        };
        assert!(next > after, "Q46 it continues");
        after = next;
    }
    panic!("Q46 the walk ends");
}

/// Due queues must be those in which something became due within the requested period, its end
/// included: each once, in order. One call must look at no more than the limit, and the next one
/// must continue from there.
pub async fn q43_due_queues_are_those_after_a_point(store: Webhooks) {
    let hooks = hooks(&store, &[1, 2, 3]).await;
    let batch = [(2, 1), (0, 2), (0, 2), (1, 3), (0, 9)];
    let batch = batch.map(|(hook, due)| message(hooks[hook], "m", at(due)));
    let stored = store.queue.enqueue(direct(batch.to_vec()), at(0)).await;
    assert!(stored.is_ok(), "Q43 stored");
    let asked = async |after, until| {
        let after = Queues::Due(DuePoint {
            due: at(after),
            delivery: DeliveryId(i64::MAX),
        });
        let found = store.queue.queues(after, 99, at(until)).await.unwrap();
        assert_eq!(found.more, None, "Q43 that was all");
        queues(&found.due)
    };
    assert_eq!(asked(-5, 0).await, [], "Q43 before all");
    let all = [first(hooks[0]), first(hooks[1]), first(hooks[2])];
    assert_eq!(asked(-5, 3).await, all, "Q43 all");
    assert_eq!(asked(1, 3).await, all[..2], "Q43 from there");
    assert_eq!(asked(1, 2).await, all[..1], "Q43 until then");
    assert_eq!(asked(3, 8).await, [], "Q43 nothing became due");
    assert_eq!(asked(3, 9).await, all[..1], "Q43 its end included");
    let (mut after, mut found, mut calls) = (Some(START), Vec::new(), 0);
    while let Some(from) = after {
        let page = store.queue.queues(Queues::Due(from), 1, at(3)).await;
        let page = page.unwrap();
        assert!(page.due.len() <= 1, "Q43 the limit");
        found.extend(queues(&page.due));
        after = match page.more {
            Some(Queues::Due(more)) => Some(more),
            _ => None,
        };
        assert!(after.is_none_or(|more| more > from), "Q43 it continues");
        calls += 1;
        assert!(calls < 9, "Q43 it ends");
    }
    let wanted = [all[2], all[0], all[0], all[1]];
    assert_eq!(found, wanted, "Q43 one at a time");
}

/// If a caller requests the queues of some webhooks, the due ones must be returned, each once and
/// in order, with the data of a due queue; an unknown webhook must have none.
pub async fn q45_queues_are_those_of_the_requested_webhooks(store: Webhooks) {
    let hooks = hooks(&store, &[1, 2, 3, 4]).await;
    for (webhook, due) in hooks.iter().zip([3, 1, 2, 50]) {
        let batch = direct(vec![message(*webhook, "m", at(due))]);
        store.queue.enqueue(batch, at(0)).await.unwrap();
    }
    let unknown = WebhookId(hooks[3].0 + 1000);
    let asked = [hooks[2], unknown, hooks[0], hooks[2], hooks[3]];
    let found = store.queue.queues_of(&asked, at(9)).await.unwrap();
    let found: Vec<_> = found.iter().map(|d| (d.queue, d.due, d.owner)).collect();
    let wanted = [
        (first(hooks[0]), at(3), OwnerId(1)),
        (first(hooks[2]), at(2), OwnerId(3)),
    ];
    assert_eq!(found, wanted, "Q45");
    let early = store.queue.queues_of(&asked, at(2)).await.unwrap();
    assert_eq!(queues(&early), [first(hooks[2])], "Q45 what is due by then");
    let none = store.queue.queues_of(&[], at(9)).await.unwrap();
    assert_eq!(none, [], "Q45 nobody");
}

/// A sweep must visit every queue in which something waits, in order, at most the limit in one
/// call, and return those that can be claimed from.
pub async fn q46_a_sweep_visits_every_queue(store: Webhooks) {
    let hooks = hooks(&store, &[1, 2, 3, 4, 5]).await;
    for (webhook, due) in hooks.iter().zip([3, 1, 50, 2, 3]) {
        let batch = direct(vec![message(*webhook, "m", at(due))]);
        store.queue.enqueue(batch, at(0)).await.unwrap();
    }
    change(&store, hooks[3], |w| w.activity = Activity::Disabled).await;
    let wanted = [hooks[0], hooks[1], hooks[4]].map(first);
    for limit in [1, 2, 5, 99] {
        let found = swept(&store, limit, 9).await;
        assert_eq!(queues(&found), wanted, "Q46 {limit} at a time");
        assert_eq!(found[1].due, at(1), "Q46 the head's due time");
    }
    let beyond = async |queue, limit| {
        let which = Queues::Beyond(queue);
        store.queue.queues(which, limit, at(9)).await.unwrap()
    };
    let last = Some(first(hooks[2]));
    let more = Some(Queues::Beyond(last));
    assert_eq!(beyond(None, 3).await.more, more, "Q46 not due, but visited");
    let rest = beyond(last, 9).await;
    assert_eq!(queues(&rest.due), wanted[2..], "Q46 the rest");
    assert_eq!(rest.more, None, "Q46 none beyond");
}
