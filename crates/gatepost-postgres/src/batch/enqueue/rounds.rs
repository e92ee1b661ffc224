//! Which enqueues can share a statement.

use std::collections::HashSet;

use super::columns::{Item, parts};

/// Selects those that can share a statement, in order, and leaves the others for later: the second
/// use of a source must see the first, one that deletes tasks is alone, and a statement is full at
/// this weight.
pub(super) fn without_rivals(
    items: &[Item],
    left: Vec<usize>,
    weight: impl Fn(&Item) -> usize,
    most: usize,
) -> (Vec<usize>, Vec<usize>) {
    let (mut occurrences, mut rows) = (HashSet::new(), HashSet::new());
    let (mut round, mut rest) = (Vec::new(), Vec::new());
    let (mut closed, mut room) = (false, most);
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
