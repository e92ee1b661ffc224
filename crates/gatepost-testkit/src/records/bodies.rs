//! The parts of a record that may be large, and are read only on request.

use gatepost_storage::webhooks::EventQuery;
use gatepost_storage::{Bodies, Page, Scope};
use webhook_model::{Action, Message};

use crate::fixtures::{UNLIMITED, at, event, task, webhook};
use crate::harness::Webhooks;
use crate::world::tasks_in;

/// A list must read the requested messages of tasks, and filters and contexts of events: all of
/// them, none, or up to a number of bytes, page by page, with at least one row each. The rest of a
/// row must be read in any case.
pub async fn r40_a_list_reads_the_requested_bodies(store: Webhooks) {
    let records = &store.records;
    let new = webhook("w");
    let hook = records.insert_webhook(&new, UNLIMITED, at(0)).await;
    let hook = hook.unwrap().id;
    let mut of = None;
    for size in [5, 1, 7] {
        let mut new = task(hook);
        let message: Message = "m".repeat(size).parse().unwrap();
        new.action = Action::Send {
            webhook: hook,
            message,
        };
        of = Some(
            records
                .insert_task(&new, UNLIMITED, at(0))
                .await
                .unwrap()
                .id,
        );
    }
    // The contexts have 12 bytes, 2 and 12, and the filters 2 each.
    for context in ["{\"a\":\"1234\"}", "{}", "{\"a\":\"1234\"}"] {
        let mut new = event(of.unwrap());
        new.context = context.parse().unwrap();
        records.insert_event(&new, UNLIMITED, at(0)).await.unwrap();
    }
    let tasks = |page| tasks_in(Scope::All, page);
    let messages = async |page| {
        let rows = records.list_tasks(&tasks(page)).await.unwrap();
        let size = |action: &Action| match action {
            Action::Send { message, .. } => message.as_str().len(),
            _ => usize::MAX,
        };
        assert!(rows.iter().all(|row| row.value.name.as_str() == "t"), "R40");
        let sizes: Vec<_> = rows.iter().map(|row| size(&row.value.action)).collect();
        (sizes, rows.last().map(|row| row.id))
    };
    let first = Page::first(99);
    assert_eq!(messages(first).await.0, [5, 1, 7], "R40 all messages");
    let none = first.with_bodies(Bodies::Omitted);
    assert_eq!(messages(none).await.0, [0; 3], "R40 no message");
    let six = first.with_bodies(Bodies::UpTo(6));
    let (sizes, last) = messages(six).await;
    assert_eq!(sizes, [5, 1], "R40 six bytes");
    let (sizes, last) = messages(six.beyond(last.unwrap())).await;
    assert_eq!(sizes, [7], "R40 the rest");
    let (sizes, _) = messages(six.beyond(last.unwrap())).await;
    assert!(sizes.is_empty(), "R40 the end");

    let contexts = async |bodies| {
        let query = EventQuery {
            scope: Scope::All,
            task: of,
            event_type: None,
            page: Page::first(99).with_bodies(bodies),
        };
        let rows = records.list_events(&query).await.unwrap();
        let members = rows.iter().map(|row| row.value.context.as_map().len());
        members.collect::<Vec<_>>()
    };
    assert_eq!(contexts(Bodies::All).await, [1, 0, 1], "R40 all contexts");
    assert_eq!(contexts(Bodies::Omitted).await, [0; 3], "R40 no context");
    let some = contexts(Bodies::UpTo(18)).await;
    assert_eq!(some, [1, 0], "R40 as many contexts as come to 18 bytes");
    assert_eq!(contexts(Bodies::UpTo(1)).await, [1], "R40 one at least");
}
