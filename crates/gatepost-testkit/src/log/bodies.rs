//! Bodies, which may be large and are read only on request.

use gatepost_storage::webhooks::{DeliveryQuery, Disposition, NewDelivery};
use gatepost_storage::{Bodies, Order, Page};

use super::look::{all, number};
use crate::fixtures::{at, claim, direct, end, message, queued, settlement};
use crate::harness::Webhooks;

/// A list must read the requested messages: all, none (but whether they were kept), or up to a
/// number of bytes. In the last case a page must have at least one row and end with the row that
/// reaches the number, and only an empty page is the end.
pub async fn l30_a_list_reads_the_requested_messages(store: Webhooks) {
    let hook = queued(&store, &[]).await;
    let sizes = [3, 0, 4, 9, 1, 2];
    let sized = |(at_row, size): (usize, &usize)| NewDelivery {
        body: "m".repeat(*size).into(),
        ..message(hook, &format!("m{at_row}"), at(0))
    };
    let batch = sizes.iter().enumerate().map(sized).collect();
    store.queue.enqueue(direct(batch), at(0)).await.unwrap();
    let read = async |page: Page<_>| {
        let query = DeliveryQuery {
            webhook: Some(hook),
            ..DeliveryQuery::all(page)
        };
        let rows = store.log.list_deliveries(&query).await.unwrap();
        let bodies: Vec<_> = rows.iter().map(|row| row.body.len()).collect();
        assert!(rows.iter().all(|row| row.message_kept), "L30 kept");
        (bodies, rows.last().map(|row| row.id))
    };
    let whole = read(Page::first(99)).await.0;
    assert_eq!(whole, sizes, "L30 all");
    let none = read(Page::first(99).with_bodies(Bodies::Omitted)).await.0;
    assert_eq!(none, [0; 6], "L30 none");
    for (order, bytes, wanted) in [
        (
            Order::Ascending,
            7,
            vec![vec![3, 0, 4], vec![9], vec![1, 2]],
        ),
        (
            Order::Ascending,
            1,
            vec![vec![3], vec![0, 4], vec![9], vec![1], vec![2]],
        ),
        (Order::Descending, 8, vec![vec![2, 1, 9], vec![4, 0, 3]]),
    ] {
        let mut page = Page::first(99).with_bodies(Bodies::UpTo(bytes));
        page.order = order;
        let mut pages = Vec::new();
        loop {
            let (bodies, last) = read(page).await;
            let Some(last) = last else { break };
            pages.push(bodies);
            page = page.beyond(last);
        }
        assert_eq!(pages, wanted, "L30 up to {bytes}");
    }
    let two = Page::first(2).with_bodies(Bodies::UpTo(99));
    assert_eq!(read(two).await.0, [3, 0], "L30 the limit holds as well");
}

/// The store must return as many of the last attempts of a delivery as requested, with their
/// numbers, oldest first; none for a delivery that has none or does not exist.
pub async fn l31_the_last_attempts_are_the_last_of_all(store: Webhooks) {
    let hook = queued(&store, &["a"]).await;
    let id = number(&store, "a").await;
    assert_eq!(store.log.attempts(id, 9).await.unwrap(), [], "L31 none");
    end(&store, hook, Disposition::Retry { due: at(5) }, 0).await;
    let claimed = claim(&store, hook, 5).await;
    let mut last = settlement(&claimed[0], Disposition::Failed);
    let attempt = last.attempt.as_mut().unwrap();
    attempt.response_body = b"the second".to_vec();
    store.queue.settle(vec![last], at(6)).await.unwrap();
    let all_of_it = store.log.attempts(id, 9).await.unwrap();
    assert_eq!(all_of_it.len(), 2, "L31 two attempts");
    for last in 0..=2 {
        let some = store.log.attempts(id, last).await.unwrap();
        assert_eq!(some, all_of_it[2 - last as usize..], "L31 the last {last}");
    }
    let last = &all_of_it[1];
    assert_eq!(
        (last.number, &last.response_body[..]),
        (2, &b"the second"[..]),
        "L31 as kept"
    );
    store.log.delete_delivery(id, at(7)).await.unwrap();
    assert_eq!(store.log.attempts(id, 9).await.unwrap(), [], "L31 deleted");
    assert_eq!(store.log.list_deliveries(&all()).await.unwrap(), [], "L31");
}
