//! Asks the platform's [`Accounts`]: code that may panic or hang.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::Poll;
use std::time::Duration;

use gatepost_ids::{Account, AccountAnswer, Accounts, AccountsError, OwnerId};

/// How long the platform may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// Asks, and answers at once if the platform does; `Err` holds what is to be waited for.
pub(crate) fn ask(
    accounts: &dyn Accounts,
    owner: OwnerId,
) -> Result<Result<Option<Account>, AccountsError>, AccountAnswer<'_>> {
    match catch_unwind(AssertUnwindSafe(|| accounts.account(owner))) {
        Ok(AccountAnswer::Now(answer)) => Ok(answer),
        Ok(later) => Err(later),
        Err(_) => Ok(Err(panicked())),
    }
}

/// Waits for an answer, within bounds.
pub(crate) async fn wait(answer: AccountAnswer<'_>) -> Result<Option<Account>, AccountsError> {
    let mut future = match answer {
        AccountAnswer::Now(answer) => return answer,
        AccountAnswer::Later(future) => future,
    };
    let guarded =
        poll_fn(
            move |cx| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(cx))) {
                Ok(poll) => poll,
                Err(_) => Poll::Ready(Err(panicked())),
            },
        );
    match tokio::time::timeout(PATIENCE, guarded).await {
        Ok(answer) => answer,
        Err(_) => Err(AccountsError("no answer within 5 seconds".into())),
    }
}

/// Asks and waits.
pub(crate) async fn account(
    accounts: &dyn Accounts,
    owner: OwnerId,
) -> Result<Option<Account>, AccountsError> {
    match ask(accounts, owner) {
        Ok(answer) => answer,
        Err(later) => wait(later).await,
    }
}

fn panicked() -> AccountsError {
    AccountsError("the platform's code panicked".into())
}
