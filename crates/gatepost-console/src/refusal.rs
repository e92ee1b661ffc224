//! Refusals that are about no field of a form, in words.

use axum::response::Response;
use gatepost_manage::ManageError;
use maud::Markup;

use crate::failure::Failure;
use crate::problems::Problems;
use crate::texts::Texts;

/// Notes why a form was refused as a whole: there is as much as allowed, it is sent too often,
/// others change the row at the same time, or what it asks for may not be watched. Any other error
/// fails the request.
pub(crate) fn note_refusal(error: ManageError, problems: &mut Problems) -> Result<(), Failure> {
    match error {
        ManageError::Contended
        | ManageError::Full { .. }
        | ManageError::Refused(_)
        | ManageError::TooFast { .. } => {
            problems.refuse(error);
            Ok(())
        }
        other => Err(other.into()),
    }
}

/// What a form says that is opened again with what was typed in an earlier session.
pub(crate) fn opened_again(texts: &Texts) -> Problems {
    let mut problems = Problems::new(texts);
    problems.refuse(texts.of("forms-opened-again"));
    problems
}

/// The response to a deletion that was refused: its own page again, with the reason beside the box.
/// Where that page is gone as well, the request fails.
pub(crate) async fn refused_deletion(
    texts: &Texts,
    error: ManageError,
    page: impl AsyncFnOnce(&str) -> Result<Markup, Failure>,
) -> Result<Response, Failure> {
    let failure = Failure::from(error);
    match failure.words(texts) {
        Some(words) => Ok(failure.respond(page(&words).await?)),
        None => Err(failure),
    }
}
