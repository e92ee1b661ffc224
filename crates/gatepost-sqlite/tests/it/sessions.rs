//! Sessions of users who opened the console by a link.

use std::sync::Arc;

use crate::common::fresh;

#[tokio::test]
async fn sessions_in_a_file_keep_contract() {
    let (store, _, _folder) = fresh().await;
    gatepost_testkit::prove_sessions(Arc::new(store)).await;
}
