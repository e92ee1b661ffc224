//! Errors of the engine, in the words of the form.

use gatepost_engine::EngineError;

use super::form::WebhookForm;
use crate::failure::Failure;
use crate::problems::Problems;

/// Notes an error beside the field that it is about; any other error fails the request.
pub(super) fn note_error(error: EngineError, form: &WebhookForm, problems: &mut Problems) -> Result<(), Failure> {
    match error {
        EngineError::NameTaken => problems.add("name", "another webhook already has this name"),
        EngineError::Invalid(invalid) => {
            problems.add(form.field_of(invalid.field()), invalid.rule());
        }
        other => return Err(other.into()),
    }
    Ok(())
}
