//! Errors of a change, in the words of the form.

use gatepost_manage::ManageError;

use crate::failure::Failure;
use crate::problems::Problems;
use crate::refusal::note_refusal;
use crate::texts::Texts;

/// Notes an error beside the field that it is about; any other error fails the request.
pub(super) fn note_error(
    t: &Texts,
    error: ManageError,
    problems: &mut Problems,
) -> Result<(), Failure> {
    match error {
        ManageError::Dangling { .. } => problems.add("webhook", t.of("tasks-unknown-webhook")),
        ManageError::Invalid { field, rule, .. } => problems.add(field, rule),
        other => note_refusal(other, problems)?,
    }
    Ok(())
}
