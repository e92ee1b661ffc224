//! All contract tests in one run, for use without a test runner: a smoke test in staging, a tool.

use std::fmt;

use crate::contract_test::{ContractTest, tried};
use crate::harness::Harness;
use crate::outcome::Finding;
use crate::sentence::sentence_of;

/// The result of each contract test, in the order of the list.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// The contract tests by name.
    pub findings: Vec<(&'static str, Finding)>,
}

impl Report {
    /// Returns whether the store broke no contract test. Look at the ignored ones too.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        let broken = |f: &Finding| matches!(f, Finding::Broken(_));
        !self.findings.iter().any(|(_, finding)| broken(finding))
    }

    /// Returns both reports in one.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.findings.extend(other.findings);
        self
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, finding) in &self.findings {
            match finding {
                Finding::Held => writeln!(f, "{name}: ok")?,
                Finding::Broken(what) => {
                    writeln!(f, "{name}: BROKEN: {}\n{what}", sentence_of(name))?;
                }
                Finding::Ignored(why) => writeln!(f, "{name}: ignored: {why}")?,
            }
        }
        Ok(())
    }
}

/// Runs these contract tests one after the other, each on its own harness. Call it on a runtime
/// with several threads.
pub async fn run_all<S, H>(tests: &[ContractTest<S>], harness: impl Fn() -> H) -> Report
where
    S: Send + 'static,
    H: Harness<S>,
{
    let mut report = Report::default();
    for test in tests {
        let finding = tried(test, harness()).await;
        report.findings.push((test.name, finding));
    }
    report
}
