//! What all pages of a console share.

use std::sync::Arc;

use gatepost_manage::Management;
use gatepost_storage::Clock;
use url::Url;

use crate::assets::Assets;
use crate::csrf::Csrf;
use crate::login::ConsoleLogin;
use crate::texts::Texts;
use crate::tickets::Tickets;

/// The door to the services, the platform's login, and how the pages look.
#[derive(Debug)]
pub(crate) struct ConsoleState {
    pub management: Management,
    pub login: Arc<dyn ConsoleLogin>,
    pub clock: Arc<dyn Clock>,
    /// The path under which all pages are, without a slash at its end.
    pub base: String,
    pub title: String,
    /// Where the API is, if the platform said so.
    pub api: Option<Url>,
    pub assets: Assets,
    pub csrf: Csrf,
    pub tickets: Tickets,
    pub texts: Texts,
}

impl ConsoleState {
    /// A path below the console's own.
    pub(crate) fn at(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }
}
