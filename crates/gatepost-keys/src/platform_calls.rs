//! Guarded calls of platform code, which may panic or hang: [`Accounts`] here, and logins in the
//! layer.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use gatepost_ids::{Account, AccountAnswer, Accounts, AccountsError, OwnerId};

/// The timeout for the platform's answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// Asks the platform. A panic becomes an error.
#[inline]
pub(crate) fn ask(accounts: &dyn Accounts, owner: OwnerId) -> AccountAnswer<'_> {
    let asked = catch_unwind(AssertUnwindSafe(|| accounts.account(owner)));
    asked.unwrap_or_else(|_| AccountAnswer::Now(Err(panicked())))
}

/// Waits for an answer, with a timeout.
pub(crate) async fn wait(answer: AccountAnswer<'_>) -> Result<Option<Account>, AccountsError> {
    let future = match answer {
        AccountAnswer::Now(answer) => return answer,
        AccountAnswer::Later(future) => future,
    };
    match guarded(future).await {
        Ok(answer) => answer,
        Err(Silence::Panicked) => Err(panicked()),
        Err(Silence::TooLate) => Err(AccountsError("no answer within 5 seconds".into())),
    }
}

/// The reason why the platform's code gave no answer.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Silence {
    Panicked,
    TooLate,
}

/// Awaits code of the platform, which may panic or hang.
pub(crate) async fn guarded<T>(
    mut future: Pin<Box<dyn Future<Output = T> + Send + '_>>,
) -> Result<T, Silence> {
    let caught = poll_fn(move |cx| {
        catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(cx)))
            .map_or(Poll::Ready(Err(Silence::Panicked)), |poll| poll.map(Ok))
    });
    let in_time = tokio::time::timeout(PATIENCE, caught).await;
    in_time.unwrap_or(Err(Silence::TooLate))
}

/// Asks and waits.
pub(crate) async fn account(
    accounts: &dyn Accounts,
    owner: OwnerId,
) -> Result<Option<Account>, AccountsError> {
    wait(ask(accounts, owner)).await
}

fn panicked() -> AccountsError {
    AccountsError("the platform's code panicked".into())
}
