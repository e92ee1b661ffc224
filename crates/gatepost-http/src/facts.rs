//! The platform's facts.

use serde_json::{Value, json};

/// The facts about the platform in the login probe. Clients require a major version of 26 or
/// greater.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct VersionFacts {
    /// The platform's version, such as `26.1.8`.
    pub version: String,
    /// The version of its operating system.
    pub os_version: String,
    /// The name of this installation.
    pub cloud_name: String,
}

impl VersionFacts {
    /// Creates facts from a version and a name; the operating system's version is the same.
    #[must_use]
    pub fn new(version: impl Into<String>, cloud_name: impl Into<String>) -> Self {
        let version = version.into();
        Self {
            os_version: version.clone(),
            version,
            cloud_name: cloud_name.into(),
        }
    }

    pub(crate) fn version_json(&self) -> Value {
        json!({"version": self.version})
    }
}

impl Default for VersionFacts {
    fn default() -> Self {
        Self::new("26.1.8", "gatepost")
    }
}
