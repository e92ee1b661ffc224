//! Carries out every act of an interface, with a client that leaves in the middle, and with one
//! that stays.

use std::collections::BTreeMap;
use std::time::Duration;

use gatepost_manage::Operation;
use gatepost_testkit::fault::When;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::act::Act;
use super::site::{DoorSite, Roof};

/// The time limit of each step; a failure, not a pause.
const PATIENCE: Duration = Duration::from_secs(10);
/// The time limit for an expected record, and the waiting time for an unexpected one.
const RECORD: Duration = Duration::from_secs(2);
const NO_RECORD: Duration = Duration::from_millis(20);

/// An act that did not leave change and record, or neither.
#[derive(Debug)]
pub struct Finding {
    /// Its spelling.
    pub spelling: String,
    /// The moment at which it was held.
    pub when: When,
    /// The fault.
    pub said: String,
}

/// Performs each act of the interface on a new site, with a client that leaves while the store
/// holds the call: before the change is stored, and after. Also returns the number of acts.
pub async fn walk(roof: &dyn Roof) -> (usize, Vec<Finding>) {
    let count = DoorSite::start(roof).await;
    let count = roof.acts(&count).await.len();
    let mut findings = Vec::new();
    for nth in 0..count {
        for when in [When::Before, When::After] {
            let site = DoorSite::start(roof).await;
            let act = roof.acts(&site).await.swap_remove(nth);
            let left = tokio::time::timeout(PATIENCE, leave(&site, &act, when)).await;
            let said = left.unwrap_or_else(|_| Err("it never came to the store".into()));
            if let Err(said) = said {
                findings.push(Finding {
                    spelling: act.spelling,
                    when,
                    said,
                });
            }
        }
    }
    (count, findings)
}

/// Returns the words of the audit records of an interface, by the act, for clients that stay.
///
/// # Panics
/// If an act is refused or leaves other than one record, or when two spellings of an act leave
/// different words.
pub async fn words(roof: &dyn Roof) -> BTreeMap<&'static str, (&'static str, Operation)> {
    let count = DoorSite::start(roof).await;
    let count = roof.acts(&count).await.len();
    let mut words = BTreeMap::new();
    for nth in 0..count {
        let site = DoorSite::start(roof).await;
        let act = roof.acts(&site).await.swap_remove(nth);
        let mut stream = TcpStream::connect(site.addr).await.unwrap();
        stream.write_all(&act.request).await.unwrap();
        let mut head = [0; 12];
        stream.read_exact(&mut head).await.unwrap();
        let head = String::from_utf8_lossy(&head).into_owned();
        assert!(
            head.ends_with("200") || head.ends_with("201") || head.ends_with("303"),
            "{}: {head}",
            act.spelling
        );
        let heard = site.parts.heard.all();
        let [(table, _, operation)] = heard.as_slice() else {
            panic!("{}: {heard:?}", act.spelling);
        };
        let said = (*table, *operation);
        assert_eq!(said, (act.table, act.operation), "{}", act.spelling);
        let before = words.insert(act.what, said);
        assert!(before.is_none_or(|before| before == said), "{}", act.what);
    }
    words
}

async fn leave(site: &DoorSite, act: &Act, when: When) -> Result<(), String> {
    let (method, nth) = act.held;
    site.gate.hold(method, nth, when);
    let mut stream = TcpStream::connect(site.addr).await.unwrap();
    stream.write_all(&act.request).await.unwrap();
    site.gate.arrived().await;
    drop(stream);
    site.client_left().await;
    site.gate.open();
    let changed = site.gate.ended().await;
    if when == When::After && !changed {
        return Err("the store refused it".into());
    }
    let due = usize::from(changed);
    let patience = if changed { RECORD } else { NO_RECORD };
    let _ = tokio::time::timeout(patience, async {
        while !changed || site.parts.heard.all().is_empty() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    })
    .await;
    let heard = site.parts.heard.all();
    if heard.len() != due {
        return Err(format!("changed: {changed}, records: {heard:?}"));
    }
    match heard.first() {
        Some((table, _, operation)) if (*table, *operation) != (act.table, act.operation) => {
            Err(format!("recorded as {heard:?}"))
        }
        _ => Ok(()),
    }
}
