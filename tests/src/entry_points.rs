//! The entry points at which a stranger may guess, on one platform: its login page, its session
//! tokens, Basic, and keys; by a clock that is moved.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use axum::extract::ConnectInfo;
use examples::passwords::Passwords;
use examples::platform::Platform;
use examples::session::Sessions;
use examples::tokens::Tokens;
use gatepost_http::Api;
use gatepost_keys::AuthLayer;
use gatepost_manage::Management;
use reqwest::{Client, Method, RequestBuilder, Response, redirect};
use serde_json::json;
use tokio::net::TcpListener;

use crate::world::World;

/// The password of `admin`.
pub const PASSWORD: &str = "open sesame";
/// The forms of a guess with a password.
pub const PASSWORD_DOORS: [Door; 3] = [Door::Basic, Door::Page, Door::Tokens];

/// An entry point that takes a name and a password.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Door {
    /// `Authorization: Basic` at the API.
    Basic,
    /// The login page's form.
    Page,
    /// `POST /api/sys/tokens`.
    Tokens,
}

/// A platform with all entry points.
#[derive(Debug)]
pub struct Doors {
    /// Keys, engine and clock.
    pub world: World,
    base: String,
}

impl Doors {
    /// Starts a platform; it ends with the runtime.
    ///
    /// # Panics
    /// If it cannot be started.
    pub async fn open() -> Self {
        let world = World::start().await;
        let (keys, engine) = (world.keys.clone(), world.engine.clone());
        let guesses = keys.guesses().clone();
        let mut passwords = Passwords::default();
        passwords.set("admin", &PASSWORD.parse().unwrap()).unwrap();
        let platform = Arc::new(Platform::new(passwords));
        let tokens = Tokens::new(platform.clone(), engine.clone(), guesses.clone());
        let tokens = tokens.clock(world.clock.clone());
        let sessions = Sessions::new(false, guesses, move |name, password| {
            let platform = platform.clone();
            async move { platform.password(&name, &password).await }
        });
        let sessions = sessions.clock(world.clock.clone());
        let guard = AuthLayer::new(keys.clone(), |ext| {
            ext.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip())
        });
        let guard = guard.platform_login(Arc::new(tokens.clone()));
        let renewal = tokens.renewal(guard.clone());
        let api = Api::builder(Management::builder(keys, engine).build(), guard).build();
        let app = Router::new()
            .nest("/api/v4", api.router())
            .merge(tokens.router())
            .merge(renewal)
            .merge(sessions.router());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let forever = std::future::pending();
        tokio::spawn(examples::serve::serve(listener, None, app, forever));
        Self { world, base }
    }

    /// Sends a name and a password to an entry point, from an address of this machine.
    pub async fn knock(&self, door: Door, from: &str, name: &str, password: &str) -> Response {
        let request = match door {
            Door::Basic => self
                .request(from, Method::GET, "/api/v4/system")
                .basic_auth(name, Some(password)),
            Door::Page => {
                let form = [("user", name), ("password", password)];
                let form = url::form_urlencoded::Serializer::new(String::new())
                    .extend_pairs(form)
                    .finish();
                self.request(from, Method::POST, "/login")
                    .header("content-type", "application/x-www-form-urlencoded")
                    .body(form)
            }
            Door::Tokens => self
                .request(from, Method::POST, "/api/sys/tokens")
                .body(json!({"login": name, "password": password}).to_string()),
        };
        request.send().await.unwrap()
    }

    /// Returns a request from an address of this machine, without a credential.
    pub fn request(&self, from: &str, method: Method, path: &str) -> RequestBuilder {
        let from: IpAddr = from.parse().unwrap();
        let client = Client::builder().local_address(from);
        let client = client.redirect(redirect::Policy::none()).build().unwrap();
        client.request(method, format!("{}{path}", self.base))
    }
}

/// Returns the seconds of `Retry-After`; 0 without one.
pub fn retry_after(response: &Response) -> u64 {
    let value = response.headers().get("retry-after");
    value.map_or(0, |value| value.to_str().unwrap().parse().unwrap())
}
