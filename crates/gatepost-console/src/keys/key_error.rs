//! Errors of a change, in the words of the form.

use gatepost_manage::ManageError;

use crate::failure::Failure;
use crate::problems::Problems;
use crate::refusal::note_refusal;

/// Notes an error beside the field that it is about; any other error fails the request.
pub(super) fn note_error(error: ManageError, problems: &mut Problems) -> Result<(), Failure> {
    match error {
        ManageError::Dangling { .. } => problems.add("user", "this user does not exist"),
        ManageError::Forbidden => problems.add("user", "you cannot manage the keys of this user"),
        ManageError::Invalid { field, rule, .. } => problems.add(field, rule),
        ManageError::NameTaken { .. } => {
            problems.add("name", "this user already has a key with this name");
        }
        other => note_refusal(other, problems)?,
    }
    Ok(())
}
