//! Errors of a change, in the words of the form.

use gatepost_manage::ManageError;

use crate::failure::Failure;
use crate::problems::Problems;
use crate::refusal::note_refusal;
use crate::texts::Texts;

/// Notes an error beside the field that it is about; any other error fails the request.
pub(super) fn note_error(
    texts: &Texts,
    error: ManageError,
    problems: &mut Problems,
) -> Result<(), Failure> {
    match error {
        ManageError::AlreadyRolled => problems.refuse(texts.of("keys-problem-rolled")),
        ManageError::Dangling { .. } => {
            problems.add("user", texts.of("keys-problem-owner-unknown"));
        }
        ManageError::Forbidden => {
            problems.add("user", texts.of("keys-problem-owner-forbidden"));
        }
        ManageError::Invalid { field, rule, .. } => problems.add(field, rule),
        ManageError::NameTaken { .. } => {
            problems.add("name", texts.of("keys-problem-name-taken"));
        }
        other => note_refusal(other, problems)?,
    }
    Ok(())
}
