//! Errors of the key service, in the words of the form.

use gatepost_keys::KeyError;

use crate::failure::Failure;
use crate::problems::Problems;

/// Notes an error beside the field that it is about; any other error fails the request.
pub(super) fn note_error(error: KeyError, problems: &mut Problems) -> Result<(), Failure> {
    match error {
        KeyError::NameTaken => problems.add("name", "this user already has a key with this name"),
        KeyError::NoSuchOwner => problems.add("user", "this user does not exist"),
        KeyError::Forbidden => {
            problems.add("user", "you cannot manage the keys of this user");
        }
        KeyError::Draft(error) => problems.add("expires", error),
        KeyError::Edit(error) => problems.add("expires", error),
        other => return Err(other.into()),
    }
    Ok(())
}
