//! Forms that can be submitted only once: a reload must not create another key and show it.

use std::collections::{HashSet, VecDeque};
use std::sync::{Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// How many used tickets are remembered; an older one could be used again.
const REMEMBERED: usize = 10_000;
/// The length of a ticket as text.
const LENGTH: usize = 22;

/// The tickets that were used in this process. On another node a second use is accepted, but the
/// name of the key, which is already taken, refuses it.
#[derive(Debug, Default)]
pub(crate) struct Tickets(Mutex<Used>);

#[derive(Debug, Default)]
struct Used {
    known: HashSet<String>,
    oldest: VecDeque<String>,
}

impl Tickets {
    /// A new ticket for a form.
    pub(crate) fn issue() -> String {
        URL_SAFE_NO_PAD.encode(rand::random::<[u8; 16]>())
    }

    /// Uses up a ticket; `false` if it was used before or is not one.
    pub(crate) fn take(&self, ticket: &str) -> bool {
        if ticket.len() != LENGTH {
            return false;
        }
        let mut used = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !used.known.insert(ticket.to_owned()) {
            return false;
        }
        used.oldest.push_back(ticket.to_owned());
        if used.oldest.len() > REMEMBERED
            && let Some(oldest) = used.oldest.pop_front()
        {
            used.known.remove(&oldest);
        }
        true
    }

    /// Gives a ticket back: what it was taken for failed.
    pub(crate) fn put_back(&self, ticket: &str) {
        let mut used = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        used.known.remove(ticket);
        used.oldest.retain(|other| other != ticket);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_works_once_unless_it_is_put_back() {
        let tickets = Tickets::default();
        let ticket = Tickets::issue();
        assert!(tickets.take(&ticket));
        assert!(!tickets.take(&ticket));
        tickets.put_back(&ticket);
        assert!(tickets.take(&ticket));
        assert!(!tickets.take(""));
    }

    #[test]
    fn the_number_of_remembered_tickets_is_bounded() {
        let tickets = Tickets::default();
        for _ in 0..REMEMBERED + 500 {
            assert!(tickets.take(&Tickets::issue()));
        }
        let used = tickets.0.lock().unwrap();
        assert_eq!(
            (used.known.len(), used.oldest.len()),
            (REMEMBERED, REMEMBERED)
        );
    }
}
