//! The division of enqueues into statements that keep the required order.

use std::collections::HashSet;

use gatepost_ids::Realm;
use gatepost_storage::webhooks::Precondition;

use super::columns::{Item, MOST, parts, weight};

/// Selects the items that can share a statement, in order, and leaves the others for later: the
/// second use of a source must see the first, an item that deletes tasks has its own statement, and
/// the weight of a statement is limited.
pub(super) fn without_rivals(items: &[Item], left: Vec<usize>) -> (Vec<usize>, Vec<usize>) {
    let (mut occurrences, mut rows) = (HashSet::new(), HashSet::new());
    let (mut round, mut rest) = (Vec::new(), Vec::new());
    let (mut closed, mut room) = (false, MOST);
    for at in left {
        let Some(item) = items.get(at) else {
            continue;
        };
        let (batch, _) = item;
        let (occurrence, outbox) = parts(&batch.origin);
        let is_rival = (occurrence.as_ref()).is_some_and(|id| occurrences.contains(id))
            || outbox.is_some_and(|row| rows.contains(&row))
            || !batch.consume.is_empty() && !round.is_empty();
        closed |= is_rival;
        if closed {
            rest.push(at);
            continue;
        }
        occurrences.extend(occurrence);
        rows.extend(outbox);
        round.push(at);
        room = room.saturating_sub(weight(item));
        closed = room == 0 || !batch.consume.is_empty();
    }
    (round, rest)
}

/// The property that two items share if their order matters.
#[derive(Eq, Hash, PartialEq)]
enum Tie {
    Realm(Realm),
    Webhook(i64),
}

/// Divides items into groups that do not depend on each other's order: the items of a realm are in
/// one group, and so are the items without a realm that have the same webhook. `System` and
/// `Shared` join groups only for items that name no other realm.
pub(super) fn apart(items: &[Item]) -> Vec<Vec<usize>> {
    let mut groups: Vec<(HashSet<Tie>, Vec<usize>)> = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let mut group = (ties(item), vec![at]);
        groups.retain_mut(|(ties, members)| {
            let is_apart = ties.is_disjoint(&group.0);
            if !is_apart {
                group.0.extend(ties.drain());
                group.1.append(members);
            }
            is_apart
        });
        group.1.sort_unstable();
        groups.push(group);
    }
    groups.into_iter().map(|(_, members)| members).collect()
}

fn ties((batch, _): &Item) -> HashSet<Tie> {
    let Precondition::Realms(places) = &batch.precondition else {
        let webhooks = batch
            .deliveries
            .iter()
            .map(|new| Tie::Webhook(new.webhook.0));
        return webhooks.collect();
    };
    let places = places.iter().map(|(place, _)| *place);
    let is_own = |place: &Realm| !matches!(place, Realm::System | Realm::Shared);
    let own: HashSet<Tie> = places.clone().filter(is_own).map(Tie::Realm).collect();
    match own.is_empty() {
        true => places.map(Tie::Realm).collect(),
        false => own,
    }
}
