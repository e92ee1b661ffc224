//! What the target policy says to a target, before anything is sent to it.

use super::core::Sender;
use crate::outcome::ErrorClass;

impl Sender {
    /// Judges a URL as an attempt would: by what it says itself, and by the addresses that its host
    /// name has at this moment. Connects to nothing. Waits for the resolver as long as that takes:
    /// give it a timeout.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Refused`] with the rule of the policy, [`ErrorClass::Dns`]. Which of them it
    /// is about a name, and why, tells what addresses the platform's own network has for it: that
    /// is for operators, not for whoever typed the URL.
    pub async fn judge_target(&self, url: &url::Url) -> Result<(), ErrorClass> {
        self.policy.judge_url(url)?;
        if let Some(url::Host::Domain(name)) = url.host() {
            let port = url.port_or_known_default().unwrap_or_default();
            let connector = &self.parts.connector;
            connector.addresses(&self.policy, name, port).await?;
        }
        Ok(())
    }
}
