//! The end of a transaction that was dropped: the server may still run its last statement.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use deadpool_postgres::Client;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout;

use super::pool::Session;

/// A statement that ends within this time is not cancelled: a cancellation costs the connection.
const MOMENT: Duration = Duration::from_millis(500);
/// The timeout of a cancellation. No statement of a long list takes longer, cancelled or not.
const WAIT: Duration = Duration::from_secs(10);

/// Returns the connection to the pool, and its permit to the readers, when the server has ended all
/// statements on it: the next user of the connection would wait for them. Statements that take
/// longer than `MOMENT` are cancelled.
pub(super) async fn give_back(session: Arc<Session>, room: Option<OwnedSemaphorePermit>) {
    let was_cancelled = ended(&session).await;
    // A late cancellation must not reach the next user's statement.
    let cancelled = Arc::into_inner(session).filter(|_| was_cancelled);
    if let Some(session) = cancelled {
        drop(Client::take(session.client));
    }
    drop(room);
}

/// Returns, when all statements have ended, whether they had to be cancelled.
async fn ended(session: &Session) -> bool {
    let mut last = pin!(session.client.batch_execute(""));
    if timeout(MOMENT, last.as_mut()).await.is_ok() {
        return false;
    }
    let cancellation = session.client.cancel_token();
    let cancelled = async {
        let _ = cancellation.cancel_query(session.db.tls()).await;
        let _ = last.await;
    };
    let _ = timeout(WAIT, cancelled).await;
    true
}
