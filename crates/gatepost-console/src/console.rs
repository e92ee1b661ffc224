//! The console and its builder: a router with all pages behind the guard.

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use axum::response::Redirect;
use axum::routing::get;
use gatepost_manage::{Management, Principal};
use gatepost_storage::sessions::Session;
use gatepost_storage::{Clock, SessionStore, SystemClock};
use url::Url;
use webhook_model::OwnerId;

use crate::assets::Assets;
use crate::context::{ConsoleState, Slots};
use crate::csrf::{Csrf, Tickets};
use crate::failure::Failure;
use crate::layout::beginning;
use crate::link_sessions::{LinkError, Links, Login};
use crate::login::ConsoleLogin;
use crate::texts::Texts;
use crate::{changes, dashboard, deliveries, events, guard, keys, links, tasks, webhooks};

/// The largest form, in bytes: a message of 1 MiB fits in the encoding of forms.
const MAX_FORM: usize = 4 * 1024 * 1024;

/// Pages that a platform mounts: a user's keys, webhooks, tasks, events and deliveries in a browser
/// (SPEC 4 rule 3). Cheap to clone.
///
/// Pages are rendered on the server and work without scripts, except for Copy and for numbers that
/// refresh themselves. One style sheet and one script are embedded, under names that change with
/// their content.
#[derive(Clone, Debug)]
pub struct Console {
    state: Arc<ConsoleState>,
}

impl Console {
    pub(crate) fn new(state: ConsoleState) -> Self {
        Self {
            state: Arc::new(state),
        }
    }

    /// Returns all pages, below the path that was set
    /// ([`ConsoleBuilder::base`](crate::ConsoleBuilder::base)). Merge them at the root of the
    /// platform's router, which may have any state.
    pub fn router<S: Clone + Send + Sync + 'static>(&self) -> Router<S> {
        self.pages().with_state(())
    }

    fn pages(&self) -> Router {
        let pages = Router::new()
            .merge(dashboard::routes())
            .nest("/keys", keys::routes())
            .nest("/users", keys::user_routes())
            .nest("/webhooks", webhooks::routes())
            .nest("/tasks", tasks::routes())
            .nest("/events", events::routes())
            .nest("/deliveries", deliveries::routes())
            .nest("/changes", changes::routes())
            .fallback(async || Failure::NotFound)
            .layer(from_fn_with_state(self.state.clone(), guard::guard))
            .layer(DefaultBodyLimit::max(MAX_FORM));
        let links = match &self.state.login {
            Login::Links(links) => links::routes(self.state.clone(), links.clone()),
            Login::Platform(_) => Router::new(),
        };
        let all = Router::new()
            .merge(self.state.assets.routes())
            .merge(links)
            .merge(pages)
            .layer(from_fn_with_state(self.state.clone(), guard::protect));
        if self.state.base.is_empty() {
            return all;
        }
        let home = self.state.at("/");
        let to_home = home.clone();
        Router::new()
            .route(&self.state.base, get(async move || Redirect::to(&to_home)))
            .nest(&home, all)
    }
}

/// A builder for a [`Console`].
#[derive(Debug)]
pub struct ConsoleBuilder {
    state: ConsoleState,
    theme: String,
    logo: String,
}

impl Console {
    /// Starts with the two required parts: the platform's services and its login.
    #[must_use]
    pub fn builder(management: Management, login: Arc<dyn ConsoleLogin>) -> ConsoleBuilder {
        Self::with(management, Login::Platform(login))
    }

    /// Starts a console that [links](Self::link) open, for a platform that has an API and no pages.
    /// The console stores sessions in `sessions`, the platform's store; `url` is the console's
    /// address with its path: `https://acme.example/console`.
    ///
    /// A session ends after 30 minutes without a user's request, and 12 hours after it was opened
    /// in any case (SPEC 5.1 rule 3). Its cookie is `HttpOnly` and `SameSite=Lax`, and `Secure` if
    /// `url` is.
    #[must_use]
    pub fn linked(
        management: Management,
        sessions: Arc<dyn SessionStore>,
        url: Url,
    ) -> ConsoleBuilder {
        let base = url.path().to_owned();
        Self::with(management, Login::Links(Links::new(sessions, url))).base(&base)
    }

    /// Returns an address that opens the console as this caller, once within a minute, in any
    /// process of the platform. `name` is shown to the user, and cut to 1,020 bytes.
    ///
    /// The address is a secret: give it only to the user's browser and do not log it. Opening it
    /// shows a button; only the button uses it up, so that a preview of the address does not.
    ///
    /// The session outlives the API key of the caller, and is not bound to the addresses to which
    /// the key is bound. [`end_sessions`](Self::end_sessions) ends it.
    ///
    /// # Errors
    /// [`LinkError::Restricted`] for an API key that may do less than its user,
    /// [`LinkError::NoLinks`] if the console was not made by [`linked`](Self::linked), and
    /// [`LinkError::Store`].
    pub async fn link(&self, principal: &Principal, name: &str) -> Result<Url, LinkError> {
        let links = self.state.login.links().ok_or(LinkError::NoLinks)?;
        let name = beginning(name, Session::MAX_NAME);
        links.link(principal, name, self.state.clock.now()).await
    }

    /// Ends all sessions of a user that links opened, and removes the user's unused links, in all
    /// processes.
    ///
    /// # Errors
    /// [`LinkError::NoLinks`] and [`LinkError::Store`].
    pub async fn end_sessions(&self, owner: OwnerId) -> Result<(), LinkError> {
        let links = self.state.login.links().ok_or(LinkError::NoLinks)?;
        links.end_all(owner).await.map_err(LinkError::Store)
    }

    fn with(management: Management, login: Login) -> ConsoleBuilder {
        ConsoleBuilder {
            theme: String::new(),
            logo: String::new(),
            state: ConsoleState {
                management,
                login,
                clock: Arc::new(SystemClock),
                base: "/console".into(),
                title: "Console".into(),
                api: None,
                // Made by `build`, of the theme, the logo and the texts.
                assets: Assets::default(),
                slots: Slots::default(),
                policy: guard::policy([]),
                csrf: Csrf::random(),
                tickets: Tickets::default(),
                texts: Texts::english(),
            },
        }
    }
}

impl ConsoleBuilder {
    /// Sets the path of the pages; `/console` by default, empty for the root.
    #[must_use]
    pub fn base(mut self, path: &str) -> Self {
        let path = path.trim_matches('/');
        self.state.base = if path.is_empty() {
            String::new()
        } else {
            format!("/{path}")
        };
        self
    }

    /// Sets the name at the top of each page; `Console` by default.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.state.title = title.into();
        self
    }

    /// Sets the address of the API, such as `https://acme.example/api/v4`, for the command that is
    /// shown with a new key. By default `/api/v4` (SPEC 4 rule 1) at the address at which the
    /// browser reached the console.
    #[must_use]
    pub fn api_url(mut self, url: Url) -> Self {
        self.state.api = Some(url);
        self
    }

    /// Sets a style sheet that is loaded after the console's own: `:root { --accent: #064;
    /// --on-accent: #fff }`. The variables are listed at the top of `console.css`. The platform is
    /// responsible for the contrast of its colours.
    #[must_use]
    pub fn theme(mut self, css: impl Into<String>) -> Self {
        self.theme = css.into();
        self
    }

    /// Sets the logo, an SVG image, which replaces the title at the top of each page; the title is
    /// its text.
    #[must_use]
    pub fn logo(mut self, svg: impl Into<String>) -> Self {
        self.logo = svg.into();
        self
    }

    /// Sets the platform's header, above that of each page, as HTML that is not changed. The pages
    /// allow neither inline scripts nor inline styles; [`theme`](Self::theme) sets its look.
    #[must_use]
    pub fn header(mut self, html: impl Into<String>) -> Self {
        self.state.slots.header = html.into();
        self
    }

    /// Sets the platform's footer, below each page, as HTML that is not changed.
    #[must_use]
    pub fn footer(mut self, html: impl Into<String>) -> Self {
        self.state.slots.footer = html.into();
        self
    }

    /// Sets the origins whose pages may show the console in a frame; none by default. A browser
    /// sends the session's cookie to a frame only if the cookie allows it; `SameSite=Lax` allows it
    /// on pages of the same site.
    #[must_use]
    pub fn frame_ancestors(mut self, origins: impl IntoIterator<Item = Url>) -> Self {
        self.state.policy = guard::policy(origins);
        self
    }

    /// Sets the texts of the pages; English by default. `lang` and `dir` of the pages follow from
    /// them.
    #[must_use]
    pub fn texts(mut self, texts: Texts) -> Self {
        self.state.texts = texts;
        self
    }

    /// Sets the clock, which must be the one that the services use; the machine's by default.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.state.clock = clock;
        self
    }

    /// Sets the secret for the tokens against forged requests: it must be the same on all nodes
    /// that serve one console. Random by default, so forms that were opened before a restart must
    /// be opened again.
    #[must_use]
    pub fn csrf_secret(mut self, secret: [u8; 32]) -> Self {
        self.state.csrf = Csrf::new(secret);
        self
    }

    /// Builds the console, ready to be mounted.
    #[must_use]
    pub fn build(mut self) -> Console {
        self.state.assets = Assets::new(&self.theme, &self.logo, &self.state.texts);
        Console::new(self.state)
    }
}
