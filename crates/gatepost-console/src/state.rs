//! What all pages of a console share.

use std::sync::Arc;

use gatepost_engine::Engine;
use gatepost_keys::KeyService;
use gatepost_manage::{Audit, Directory};
use gatepost_storage::Clock;

use crate::assets::Assets;
use crate::csrf::Csrf;
use crate::login::ConsoleLogin;
use crate::tickets::Tickets;

/// The services behind the pages, and how the pages look.
#[derive(Debug)]
pub(crate) struct ConsoleState {
    pub keys: KeyService,
    pub engine: Engine,
    pub login: Arc<dyn ConsoleLogin>,
    pub directory: Arc<dyn Directory>,
    pub audit: Arc<dyn Audit>,
    pub clock: Arc<dyn Clock>,
    /// The path under which all pages are, without a slash at its end.
    pub base: String,
    pub title: String,
    pub assets: Assets,
    pub csrf: Csrf,
    pub tickets: Tickets,
}

impl ConsoleState {
    /// A path below the console's own.
    pub(crate) fn at(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }
}
