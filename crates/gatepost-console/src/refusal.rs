//! Refusals that are about no field of a form, in words.

use gatepost_manage::ManageError;

use crate::failure::Failure;
use crate::problems::Problems;

/// Notes why a form was refused as a whole: there is as much as allowed, it is sent too often, or
/// what it asks for may not be watched. Any other error fails the request.
pub(crate) fn note_refusal(error: ManageError, problems: &mut Problems) -> Result<(), Failure> {
    match error {
        ManageError::Full { .. } | ManageError::Refused(_) | ManageError::TooFast { .. } => {
            problems.refuse(error);
            Ok(())
        }
        other => Err(other.into()),
    }
}
