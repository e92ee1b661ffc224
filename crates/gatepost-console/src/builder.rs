//! How a console is set up.

use std::sync::Arc;

use gatepost_engine::Engine;
use gatepost_keys::KeyService;
use gatepost_manage::{Audit, Directory, NoAudit, NoDirectory};
use gatepost_storage::{Clock, SystemClock};

use super::assets::Assets;
use super::console::{Console, Inner};
use super::session::{ConsoleLogin, Csrf, Tickets};

/// Sets up a [`Console`].
#[derive(Debug)]
pub struct ConsoleBuilder {
    keys: KeyService,
    engine: Engine,
    login: Arc<dyn ConsoleLogin>,
    directory: Arc<dyn Directory>,
    audit: Arc<dyn Audit>,
    clock: Arc<dyn Clock>,
    base: String,
    title: String,
    theme: String,
    csrf: Csrf,
}

impl ConsoleBuilder {
    pub(super) fn new(keys: KeyService, engine: Engine, login: Arc<dyn ConsoleLogin>) -> Self {
        Self {
            keys,
            engine,
            login,
            directory: Arc::new(NoDirectory),
            audit: Arc::new(NoAudit),
            clock: Arc::new(SystemClock),
            base: "/console".into(),
            title: "Console".into(),
            theme: String::new(),
            csrf: Csrf::random(),
        }
    }

    /// The path under which the pages are; `/console` by default, empty for the root.
    #[must_use]
    pub fn base(mut self, path: &str) -> Self {
        let path = path.trim_matches('/');
        self.base = if path.is_empty() {
            String::new()
        } else {
            format!("/{path}")
        };
        self
    }

    /// What stands at the top of each page; `Console` by default.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// A style sheet that is loaded after the console's own: `:root { --accent: #064; --on-accent:
    /// #fff }`. The variables stand at the top of `console.css`. Whoever sets colours answers
    /// for their contrast.
    #[must_use]
    pub fn theme(mut self, css: impl Into<String>) -> Self {
        self.theme = css.into();
        self
    }

    /// What the host's users, objects and tags are called, and which there are to choose from.
    #[must_use]
    pub fn directory(mut self, directory: Arc<dyn Directory>) -> Self {
        self.directory = directory;
        self
    }

    /// Who hears of every change.
    #[must_use]
    pub fn audit(mut self, audit: Arc<dyn Audit>) -> Self {
        self.audit = audit;
        self
    }

    /// The clock that the services have; the machine's by default.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// What the tokens against forged requests are made with: to be the same on all nodes that
    /// serve one console. Random by default, so that forms opened before a restart must be
    /// opened again.
    #[must_use]
    pub fn csrf_secret(mut self, secret: [u8; 32]) -> Self {
        self.csrf = Csrf::new(secret);
        self
    }

    /// The console, ready to be mounted.
    #[must_use]
    pub fn build(self) -> Console {
        Console {
            inner: Arc::new(Inner {
                keys: self.keys,
                engine: self.engine,
                login: self.login,
                directory: self.directory,
                audit: self.audit,
                clock: self.clock,
                base: self.base,
                title: self.title,
                assets: Assets::new(&self.theme),
                csrf: self.csrf,
                tickets: Tickets::default(),
            }),
        }
    }
}
