//! A visitor without a browser: sends the requests that a browser would send, and reads the
//! responses.

use reqwest::{Client, RequestBuilder, redirect};

use super::site::{PASSWORD, Site};

/// Someone with a session.
#[derive(Clone, Debug)]
pub struct Visitor {
    client: Client,
    base: String,
    /// The session's cookie, as it is sent.
    pub cookie: String,
}

/// A response.
#[derive(Debug)]
pub struct Page {
    /// Its status.
    pub status: u16,
    /// Its headers.
    pub headers: reqwest::header::HeaderMap,
    /// Its body.
    pub html: String,
}

impl Visitor {
    /// Returns a visitor without a session.
    ///
    /// # Panics
    /// If no client can be made.
    #[must_use]
    pub fn stranger(site: &Site) -> Self {
        let client = Client::builder().redirect(redirect::Policy::none());
        Self {
            client: client.build().unwrap(),
            base: site.url(""),
            cookie: String::new(),
        }
    }

    /// Logs a user in by the login form.
    ///
    /// # Panics
    /// If the login is refused.
    pub async fn login(site: &Site, user: &str) -> Self {
        let mut visitor = Self::stranger(site);
        let fields = [("user", user), ("password", PASSWORD)];
        let page = visitor.post("/login", &fields).await;
        let cookie = page.header("set-cookie").split(';').next().unwrap();
        assert!(cookie.starts_with("session="), "{page:?}");
        visitor.cookie = cookie.to_owned();
        visitor
    }

    /// Gets a page.
    pub async fn get(&self, path: &str) -> Page {
        let url = format!("{}{path}", self.base);
        self.send(self.client.get(url)).await
    }

    /// Sends fields, as they are; without a token unless it is among them.
    pub async fn post(&self, path: &str, fields: &[(&str, &str)]) -> Page {
        let body = url::form_urlencoded::Serializer::new(String::new())
            .extend_pairs(fields)
            .finish();
        let request = self.client.post(format!("{}{path}", self.base));
        let kind = "application/x-www-form-urlencoded";
        self.send(request.header("content-type", kind).body(body))
            .await
    }

    /// Follows a redirection, with the cookies that it sets.
    pub async fn follow(&self, page: &Page) -> Page {
        let cookies = page.headers.get_all("set-cookie").iter();
        let cookies = cookies.filter_map(|cookie| cookie.to_str().ok()?.split(';').next());
        let cookies = std::iter::once(self.cookie.as_str()).chain(cookies);
        let with_more = Self {
            cookie: cookies.collect::<Vec<_>>().join("; "),
            ..self.clone()
        };
        with_more.get(page.to()).await
    }

    /// Opens the page of a form and sends it to `action`, with the page's hidden fields except
    /// those that are given.
    pub async fn fill(&self, page: &str, action: &str, fields: &[(&str, &str)]) -> Page {
        let page = self.get(page).await;
        let hidden = page.hidden();
        let hidden = hidden
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .filter(|(name, _)| !fields.iter().any(|(given, _)| given == name));
        let all: Vec<_> = hidden.chain(fields.iter().copied()).collect();
        self.post(action, &all).await
    }

    /// Opens a form and sends it to its own path.
    pub async fn submit(&self, path: &str, fields: &[(&str, &str)]) -> Page {
        self.fill(path, path, fields).await
    }

    /// Sends a request that a test has made.
    ///
    /// # Panics
    /// If there is no response.
    pub async fn send(&self, request: RequestBuilder) -> Page {
        let answer = request.header("cookie", &self.cookie).send().await.unwrap();
        Page {
            status: answer.status().as_u16(),
            headers: answer.headers().clone(),
            html: answer.text().await.unwrap(),
        }
    }

    /// Returns a request for [`send`](Self::send).
    pub fn request(&self, method: reqwest::Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("{}{path}", self.base))
    }
}

impl Page {
    /// Returns a header; empty if it is missing.
    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        value.and_then(|value| value.to_str().ok()).unwrap_or("")
    }

    /// Returns the address of the redirect.
    #[must_use]
    pub fn to(&self) -> &str {
        self.header("location")
    }

    /// Returns whether it contains this text, markup included.
    #[must_use]
    pub fn has(&self, text: &str) -> bool {
        self.html.contains(text)
    }

    /// Asserts its status, and returns the page.
    #[track_caller]
    #[allow(clippy::return_self_not_must_use, reason = "it asserts")]
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}", self.html);
        self
    }

    /// Asserts that it contains this text, markup included.
    #[track_caller]
    pub fn shows(&self, text: &str) {
        assert!(self.has(text), "{text}: {}", self.html);
    }

    /// Asserts that it contains all of these texts.
    #[track_caller]
    pub fn shows_all<'a>(&self, texts: impl IntoIterator<Item = &'a str>) {
        for text in texts {
            self.shows(text);
        }
    }

    /// Asserts that it does not contain this text, markup included.
    #[track_caller]
    pub fn hides(&self, text: &str) {
        assert!(!self.has(text), "{text}: {}", self.html);
    }

    /// Asserts that it redirects there.
    #[track_caller]
    pub fn leads_to(&self, path: &str) {
        assert_eq!(self.to(), path, "{}", self.html);
    }

    /// Returns the error shown next to a field.
    #[must_use]
    pub fn error(&self, field: &str) -> String {
        let place = format!("data-error=\"{field}\">");
        let rest = self.html.split(&place).nth(1).unwrap_or("");
        text(rest.split('<').next().unwrap_or(""))
    }

    /// Returns the hidden fields of the page's last form that has any, each name once.
    #[must_use]
    pub fn hidden(&self) -> Vec<(String, String)> {
        let mut fields: Vec<(String, String)> = Vec::new();
        for part in self.html.split("<input type=\"hidden\" name=\"").skip(1) {
            let (name, rest) = part.split_once('"').unwrap();
            let value = rest
                .split("value=\"")
                .nth(1)
                .unwrap_or("")
                .split('"')
                .next();
            if !fields.iter().any(|(known, _)| known == name) {
                fields.push((name.to_owned(), text(value.unwrap())));
            }
        }
        fields
    }

    /// Returns the secret that the popup shows, if there is one.
    #[must_use]
    pub fn secret(&self) -> Option<String> {
        let rest = self.html.split("id=\"secret\">").nth(1)?;
        Some(text(rest.split('<').next()?))
    }
}

/// Returns the text of escaped markup.
#[must_use]
pub fn text(escaped: &str) -> String {
    escaped
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&amp;", "&")
}
