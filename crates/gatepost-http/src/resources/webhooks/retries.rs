//! The columns of a webhook's retries.

use webhook_model::{Field, Invalid, Retries, RetrySchedule, Webhook, trim_pasted};

use crate::schema::Input;

/// Refuses both columns in one creation, unless they agree.
pub(super) fn check_new(input: &Input) -> Result<(), Invalid> {
    match (retries(input)?, schedule(input)?) {
        (Some(retries), Some(Some(schedule))) => agree(retries, &schedule),
        _ => Ok(()),
    }
}

/// Applies the columns. `retries` without a schedule replaces a schedule: existing clients know no
/// schedules, and read the number of its delays. If a client sends a whole row back, the column
/// that it changed counts; if it changed both, they must agree.
pub(super) fn apply(webhook: &mut Webhook, input: &Input) -> Result<(), Invalid> {
    let sent = retries(input)?;
    let changed = sent.filter(|retries| retries.get() != webhook.reattempts());
    let new = schedule(input)?.filter(|schedule| *schedule != webhook.retry_schedule);
    match (new, sent, changed) {
        (Some(Some(schedule)), _, changed) => {
            if let Some(retries) = changed {
                agree(retries, &schedule)?;
            }
            webhook.retry_schedule = Some(schedule);
        }
        (Some(None), sent, _) => {
            webhook.retries = sent.unwrap_or(webhook.retries);
            webhook.retry_schedule = None;
        }
        (None, _, Some(retries)) => {
            (webhook.retries, webhook.retry_schedule) = (retries, None);
        }
        (None, _, None) => {}
    }
    Ok(())
}

fn retries(input: &Input) -> Result<Option<Retries>, Invalid> {
    input.int("retries").map(Retries::try_from).transpose()
}

/// Parses the schedule: `Some(None)` for the platform's schedule.
fn schedule(input: &Input) -> Result<Option<Option<RetrySchedule>>, Invalid> {
    let schedule = input.text("retry_schedule").map(trim_pasted);
    let read = |text: &str| match text {
        "" => Ok(None),
        text => text.parse().map(Some),
    };
    schedule.map(read).transpose()
}

fn agree(retries: Retries, schedule: &RetrySchedule) -> Result<(), Invalid> {
    if retries.get() == schedule.retries() {
        return Ok(());
    }
    let rule = "must be the number of delays in retry_schedule, or be left out";
    Err(Invalid::new(Field::Retries, rule))
}
