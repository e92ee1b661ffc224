//! The target policy's verdict on a target before anything is sent.

use super::core::Sender;
use crate::outcome::ErrorClass;

impl Sender {
    /// Checks a URL as an attempt would: the URL itself, and the current addresses of its host
    /// name. It does not connect. It waits for the resolver without a limit: use a timeout.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Refused`] with the rule of the policy, [`ErrorClass::Dns`]. For a host name,
    /// the error reveals addresses in the platform's own network: show it to operators only, not to
    /// the user who entered the URL.
    pub async fn check_target(&self, url: &url::Url) -> Result<(), ErrorClass> {
        self.policy.check_url(url)?;
        if let Some(url::Host::Domain(name)) = url.host() {
            let port = url.port_or_known_default().unwrap_or_default();
            let connector = &self.parts.connector;
            connector.addresses(&self.policy, name, port).await?;
        }
        Ok(())
    }
}
