//! The occurrences that match an event.

use std::slice::from_ref;

use gatepost_ids::Realm;
use gatepost_storage::webhooks::EventRoute;
use webhook_model::Filter;

use crate::fixtures::{UNLIMITED, at, routes, version};
use crate::harness::Webhooks;
use crate::world::set;

/// An event must keep its filter, also one that was stored but is not understood; every read of the
/// routes, of the whole realm, by event or as a change, must return it.
pub async fn r42_an_event_is_matched_by_its_filter(store: Webhooks) {
    let records = &store.records;
    let of = set(&store, 1, "w").await;
    let filters = [
        r#"{"a.b":{"$in":["é\"\u0000",1.5,null]},"n":{"$gt":9007199254740993}}"#,
        r#"{"old":[1,{"$near":2}]}"#,
        "{}",
    ];
    for text in filters {
        let before = version(&store, Realm::Shared).await;
        let mut row = records.event(of.event).await.unwrap().unwrap();
        row.value.filters = Filter::stored(text).unwrap();
        let edited = records.update_event(&row, UNLIMITED, at(1)).await.unwrap();
        let read = records.event(of.event).await.unwrap().unwrap();
        assert_eq!(edited.value.filters.as_str(), text, "R42 edited");
        assert_eq!(read.value.filters.as_str(), text, "R42 read");

        let expected = EventRoute::of(&edited).unwrap();
        let whole = routes(&store, Realm::Shared).await.events;
        assert_eq!(whole, from_ref(&expected), "R42 of the realm, {text}");
        let (event_type, event) = (&expected.event_type, &expected.event);
        let some = records.routes_of(Realm::Shared, event_type, event).await;
        assert_eq!(some.unwrap().events, whole, "R42 of the event, {text}");
        let changes = records.route_changes(Realm::Shared, before).await.unwrap();
        let Some(changes) = changes else {
            panic!("R42 the last change is forgotten");
        };
        assert_eq!(
            changes.events,
            [(of.event, Some(expected))],
            "R42 as a change, {text}"
        );
    }
}
