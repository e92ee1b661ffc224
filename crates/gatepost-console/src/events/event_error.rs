//! Errors of the engine, in the words of the form.

use gatepost_engine::EngineError;

use super::form::field_of;
use crate::failure::Failure;
use crate::problems::Problems;

/// Notes an error beside the field that it is about; any other error fails the request.
pub(super) fn note_error(error: EngineError, problems: &mut Problems) -> Result<(), Failure> {
    match error {
        EngineError::Dangling(_) => problems.add("task", "this task does not exist"),
        EngineError::Invalid(invalid) => {
            problems.add(field_of(invalid.field().as_str()), invalid.rule());
        }
        other => return Err(other.into()),
    }
    Ok(())
}
