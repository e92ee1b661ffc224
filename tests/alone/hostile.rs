//! One hostile user and nine others for five seconds, with other addresses or the same one: nobody
//! gets an error, everything arrives, and memory is bounded. The bench reports how long requests
//! take (`tests::hostile`).

use std::time::Duration;

use tests::hostile::{Addresses, run};

use crate::own_process::is_own_process;

/// The memory that the hostile user may make the platform hold, in addition to its normal use.
const HIS_SHARE: u64 = 256 * 1024 * 1024;

#[tokio::test(flavor = "multi_thread")]
async fn hostile_user_with_own_address_disturbs_nobody_else() {
    if is_own_process(concat!(
        module_path!(),
        "::hostile_user_with_own_address_disturbs_nobody_else"
    )) {
        nobody_is_hurt(Addresses::Own).await;
    }
}

/// One gateway, one office, one proxy.
#[tokio::test(flavor = "multi_thread")]
async fn hostile_user_behind_shared_address_disturbs_nobody_else() {
    if is_own_process(concat!(
        module_path!(),
        "::hostile_user_behind_shared_address_disturbs_nobody_else"
    )) {
        nobody_is_hurt(Addresses::His).await;
    }
}

async fn nobody_is_hurt(addresses: Addresses) {
    let (host, his) = (env!("CARGO_BIN_EXE_host"), env!("CARGO_BIN_EXE_hostile"));
    let figures = run(host, his, Duration::from_secs(5), addresses).await;
    println!("{figures}");
    assert!(figures.alone.errors.is_empty() && figures.beside.errors.is_empty());
    assert_eq!(figures.missing, 0);
    assert!(figures.beside.resident <= 2 * figures.alone.resident + HIS_SHARE);
}
