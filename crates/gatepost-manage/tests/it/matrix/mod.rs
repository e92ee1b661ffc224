//! Every user calls every method, with every filter, while everybody else has rows: no foreign row,
//! name or number is found.
//!
//! The expected rows of each user are computed here, from a table of who sees whose rows and from
//! all existing rows. A new method fails `the_table_holds_every_method`; a new filter or column of
//! a query does not compile until it is in `lists`.

mod beside;
mod lists;
mod verbs;

use crate::calls::calls;
use crate::people::People;
use crate::world::{ADMIN, NOWHERE};

/// A `Management` that may skip the authorization in one of its methods.
pub(super) struct Door<'a> {
    pub people: &'a People,
    forgets: Option<&'static str>,
}

impl<'a> Door<'a> {
    /// Returns the caller for this method: the system administrator if the method skips the
    /// authorization.
    pub(super) fn of(&self, user: u128, method: &str) -> gatepost_manage::Actor {
        let forgets = self.forgets == Some(method);
        self.people.world.of(if forgets { ADMIN } else { user })
    }

    /// Returns whether this method is examined: all of them, or the one without authorization.
    pub(super) fn looks_at(&self, method: &str) -> bool {
        self.forgets.is_none_or(|forgets| forgets == method)
    }

    /// Returns everything that is found and should not be, or should be found and is not.
    async fn findings(&self) -> Vec<String> {
        let mut findings = verbs::findings(self).await;
        findings.extend(lists::findings(self).await);
        findings.extend(beside::findings(self).await);
        findings
    }
}

fn door<'a>(people: &'a People, forgets: Option<&'static str>) -> Door<'a> {
    Door { people, forgets }
}

#[tokio::test]
async fn callers_find_no_foreign_row_name_or_count() {
    let people = People::new().await;
    let findings = door(&people, None).findings().await;
    assert!(findings.is_empty(), "{findings:#?}");
}

/// The control: whichever check is forgotten, it is noticed.
#[tokio::test]
async fn interface_that_forgets_one_check_is_found() {
    let verbs = calls(NOWHERE).into_iter().map(|call| call.name);
    let methods = verbs.chain(lists::METHODS).chain(beside::METHODS);
    for method in methods {
        let people = People::new().await;
        let findings = door(&people, Some(method)).findings().await;
        assert!(!findings.is_empty(), "{method} was forgotten");
        assert!(findings[0].contains(method), "{findings:#?}");
    }
}
