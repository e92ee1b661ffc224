//! Which enqueues can share a statement.

use std::collections::HashSet;

use super::columns::{Item, parts};

/// Selects those that can share a statement and leaves the others for later: the second use of a
/// source or a message id must see the first.
pub(super) fn without_rivals(items: &[Item], left: Vec<usize>) -> (Vec<usize>, Vec<usize>) {
    let (mut occurrences, mut rows) = (HashSet::new(), HashSet::new());
    let mut messages = HashSet::new();
    let (mut round, mut rest) = (Vec::new(), Vec::new());
    for at in left {
        let Some((batch, _)) = items.get(at) else {
            continue;
        };
        let (occurrence, outbox) = parts(&batch.origin);
        let fits = !(occurrence.as_ref()).is_some_and(|id| occurrences.contains(id))
            && !outbox.is_some_and(|row| rows.contains(&row))
            && !batch
                .deliveries
                .iter()
                .any(|d| messages.contains(&d.message_id))
            && rest.is_empty();
        if !fits {
            rest.push(at);
            continue;
        }
        occurrences.extend(occurrence);
        rows.extend(outbox);
        messages.extend(batch.deliveries.iter().map(|d| &d.message_id));
        round.push(at);
    }
    (round, rest)
}
