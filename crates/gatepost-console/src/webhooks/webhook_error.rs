//! Errors of a change, in the words of the form.

use gatepost_manage::ManageError;

use super::form::WebhookForm;
use crate::failure::Failure;
use crate::problems::Problems;
use crate::refusal::note_refusal;
use crate::texts::Texts;

/// Notes an error beside the field that it is about; any other error fails the request.
pub(super) fn note_error(
    texts: &Texts,
    error: ManageError,
    form: &WebhookForm,
    problems: &mut Problems,
) -> Result<(), Failure> {
    match error {
        ManageError::Invalid { field, rule, .. } => problems.add(form.field_of(field), rule),
        ManageError::NameTaken { .. } => {
            problems.add("name", texts.of("webhooks-problem-name-taken"));
        }
        other => note_refusal(other, problems)?,
    }
    Ok(())
}
