//! Settlements as columns.

use gatepost_storage::columns::SealedAttempt;
use gatepost_storage::webhooks::{Disposition, Settlement};

use crate::change::most;
use crate::column::{Column, column, micros, without_nul};

/// A settlement and its attempt.
pub(crate) type Sealed = (Settlement, Option<SealedAttempt>);
/// A settlement and its position among all of the call.
pub(super) type Placed = (usize, Sealed);

/// Returns the parameters of `queue/settle_sent.sql`; all of `wave` are settled in one transaction.
pub(super) fn sent<'a>(wave: &[Placed], part: &[&'a Placed]) -> Vec<Column<'a>> {
    let rows = || part.iter().copied();
    let mut columns = vec![tokens(wave)];
    columns.extend(claims(part));
    columns.extend([
        column(rows(), |(_, (s, _))| without_nul(&s.status_info)),
        column(rows(), |(_, (_, made))| {
            made.as_ref().map(|made| made.started)
        }),
        column(rows(), |(_, (_, made))| {
            made.as_ref().map(|made| micros(made.duration))
        }),
        column(rows(), |(_, (_, made))| {
            made.as_ref().map(|made| without_nul(&made.class))
        }),
        column(rows(), |(_, (_, made))| {
            made.as_ref()?.status.map(i32::from)
        }),
        column(rows(), |(_, (_, made))| {
            made.as_ref().map_or(0, |made| most(made.kept_bytes))
        }),
        column(rows(), |(_, (_, made))| made.as_ref()?.detail.as_deref()),
    ]);
    columns
}

/// Returns the parameters of `queue/settle.sql`: the same, with the disposition of each.
pub(super) fn any<'a>(wave: &[Placed], part: &[&'a Placed]) -> Vec<Column<'a>> {
    let rows = || part.iter().copied();
    let mut columns = sent(wave, part);
    columns.extend([
        column(rows(), |(_, (s, _))| state_number(&s.disposition)),
        column(rows(), |(_, (s, _))| s.disposition.state_and_due().1),
        column(rows(), |(_, (s, _))| s.keep_message),
    ]);
    columns
}

/// Returns the parameters of `queue/settled.sql`: deliveries and tokens.
pub(super) fn claims<'a>(part: &[&Placed]) -> [Column<'a>; 2] {
    [
        column(part, |(_, (s, _))| s.claim.delivery.0),
        column(part, |(_, (s, _))| s.claim.token.0),
    ]
}

/// Returns all tokens, each once, in order.
fn tokens<'a>(wave: &[Placed]) -> Column<'a> {
    let tokens = wave.iter().map(|(_, (s, _))| s.claim.token.0);
    let mut tokens: Vec<i64> = tokens.collect();
    tokens.sort_unstable();
    tokens.dedup();
    Box::new(tokens)
}

/// Returns the number that `gatepost_outcome` uses for the state.
fn state_number(disposition: &Disposition) -> i16 {
    match disposition {
        Disposition::Retry { .. } => 0,
        Disposition::Release { .. } => 1,
        Disposition::Sent => 2,
        Disposition::Failed => 3,
    }
}
