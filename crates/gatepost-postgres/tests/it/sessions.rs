//! Sessions of users who opened the console by a link.

use std::sync::Arc;

use crate::common::fresh;

#[tokio::test]
async fn sessions_in_a_database_keep_contract() {
    let (store, _) = fresh().await;
    gatepost_testkit::prove_sessions(Arc::new(store)).await;
}
