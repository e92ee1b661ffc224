//! The attacker's session in the console.

use std::fmt::Write as _;

use reqwest::Client;

use super::Him;
use super::attack_kinds::send;

/// A size just below the console's limit.
const FORM: usize = 2_600_000;
const PAGES: [&str; 6] = [
    "/console/",
    "/console/webhooks",
    "/console/tasks",
    "/console/events",
    "/console/keys",
    "/console/deliveries",
];

/// A session, or an attempt at one.
pub(super) struct Forms<'a> {
    client: &'a Client,
    base: String,
    cookie: String,
    csrf: Vec<(String, String)>,
}

impl<'a> Forms<'a> {
    pub(super) async fn of(him: &Him, client: &'a Client) -> Self {
        let base = format!("http://{}", him.server);
        let mut forms = Self {
            client,
            base,
            cookie: String::new(),
            csrf: Vec::new(),
        };
        let login = format!("user=vera&password={}", him.password);
        let request = forms.client.post(format!("{}/login", forms.base));
        let kind = "application/x-www-form-urlencoded";
        let request = request.header("content-type", kind).body(login);
        if let Ok(answer) = request.send().await
            && let Some(cookie) = answer.headers().get("set-cookie")
        {
            let cookie = cookie.to_str().unwrap_or_default();
            forms.cookie = cookie.split(';').next().unwrap_or_default().to_owned();
        }
        forms.csrf = forms.hidden("/console/webhooks/new").await;
        forms
    }

    /// Returns the hidden fields of a page, its token among them.
    async fn hidden(&self, path: &str) -> Vec<(String, String)> {
        let request = self.client.get(format!("{}{path}", self.base));
        let Ok(answer) = request.header("cookie", &self.cookie).send().await else {
            return Vec::new();
        };
        let page = answer.text().await.unwrap_or_default();
        let inputs = page.split("<input type=\"hidden\" name=\"").skip(1);
        let field = |input: &str| {
            let (name, rest) = input.split_once('"')?;
            let value = rest.split_once("value=\"")?.1.split('"').next()?;
            Some((name.to_owned(), value.to_owned()))
        };
        inputs.filter_map(field).collect()
    }

    /// Sends forms with the largest possible number of rows.
    pub(super) async fn send_large(&self, connection: usize) {
        let (path, list, column) = if connection.is_multiple_of(2) {
            ("/console/webhooks/new", "header", "name")
        } else {
            ("/console/keys/new", "allow", "entry")
        };
        let mut form = String::new();
        for (name, value) in &self.csrf {
            let _ = write!(form, "{name}={value}&");
        }
        for row in 0.. {
            if form.len() > FORM {
                break;
            }
            let _ = write!(form, "{list}.{row}.{column}=x&");
        }
        loop {
            let request = self.client.post(format!("{}{path}", self.base));
            let kind = "application/x-www-form-urlencoded";
            let request = request.header("content-type", kind);
            send(request.header("cookie", &self.cookie).body(form.clone())).await;
        }
    }

    pub(super) async fn read_pages(&self) {
        for page in PAGES.iter().cycle() {
            let request = self.client.get(format!("{}{page}", self.base));
            send(request.header("cookie", &self.cookie)).await;
        }
    }
}
