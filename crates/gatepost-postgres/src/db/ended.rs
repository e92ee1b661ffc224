//! The end of a transaction that was dropped: the server may still run its last statement.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use deadpool_postgres::Client;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout;

use super::pool::Session;

/// What ends by itself within this is not cancelled: that costs the connection.
const MOMENT: Duration = Duration::from_millis(500);
/// How long a cancellation is waited for. No statement of a long list takes longer, cancelled or
/// not.
const WAIT: Duration = Duration::from_secs(10);

/// Gives the connection back, and its room, once the server has ended all that was sent on it: who
/// had it next would wait behind that. What takes longer than a moment is cancelled.
pub(super) async fn give_back(session: Arc<Session>, room: Option<OwnedSemaphorePermit>) {
    let was_cancelled = ended(&session).await;
    // A cancellation that comes late must not meet the next user's statement.
    let cancelled = Arc::into_inner(session).filter(|_| was_cancelled);
    if let Some(session) = cancelled {
        drop(Client::take(session.client));
    }
    drop(room);
}

/// Returns when all has ended, and whether it had to be cancelled.
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
