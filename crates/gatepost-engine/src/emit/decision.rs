//! Decides, renders and stores one batch, and decides it again if the records changed in between.

use super::draft::{Before, Drafted};
use super::emitter::Emitter;
use super::finder::Ask;
use super::plan::Spent;
use super::preconditions::Races;
use super::sink::{Decided, Sink};
use crate::error::EmitError;

impl Emitter {
    /// Decides one batch. `spent` is what the occurrence used earlier, as far as is known.
    pub(super) async fn decide(
        &self,
        ask: &Ask<'_>,
        sink: &Sink,
        spent: &Spent,
    ) -> Result<Decided, EmitError> {
        let (mut races, nothing) = (Races::default(), Spent::default());
        let before = Before {
            occurrence: spent,
            set: &nothing,
            first: true,
        };
        loop {
            let (draft, enqueue) = match self.draft(ask, sink, before, &mut races).await? {
                Drafted::Decided(decided) => return Ok(decided),
                Drafted::Draft(draft, enqueue) => (draft, enqueue),
                // No other draft is stored together with it: otherwise it would have to wait.
                Drafted::NotFirst => return Ok(Decided::Undecided),
            };
            let stored = self.core.store.enqueue(enqueue, draft.now()).await?;
            match self.conclude(*draft, stored, &mut races) {
                Ok(decided) => return Ok(decided),
                Err(seen) => self.finder.tables.refresh(&seen).await?,
            }
        }
    }
}
