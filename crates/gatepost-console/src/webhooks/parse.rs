//! The form of a webhook, read by the types that the API reads it with.

use std::collections::BTreeMap;

use webhook_model::{
    Activity, Authorization, AuthorizationKind, DeliveryOrder, Field, OwnerId, RateLimit, Retries,
    TargetUrl, Timeout, Webhook, WebhookName,
};

use super::{MASK, headers};
use crate::form::{Form, Problems, reorder, rule};

/// What stands in the fields, right or wrong. Secrets are read, and never written into a page.
#[derive(Default)]
pub(super) struct Typed {
    pub name: String,
    pub url: String,
    pub auth: String,
    pub token: String,
    pub key: String,
    pub user: String,
    pub password: String,
    pub by_text: bool,
    pub headers: Vec<Vec<String>>,
    pub headers_text: String,
    pub insecure: bool,
    pub timeout: String,
    pub retries: String,
    pub rate: String,
    pub in_order: bool,
    pub enabled: bool,
    /// A new webhook is given a signing secret.
    pub sign: bool,
}

impl Typed {
    pub(super) fn of_form(form: &Form) -> Self {
        let cell = |row: &BTreeMap<&str, &str>, column: &str| {
            row.get(column).copied().unwrap_or_default().to_owned()
        };
        let rows = form.rows("header").into_iter();
        let mut headers: Vec<_> = rows
            .map(|(_, row)| vec![cell(&row, "name"), cell(&row, "value")])
            .collect();
        if let Some((what, at)) = form.asks("header") {
            reorder(&mut headers, what, at, blank());
        }
        if headers.is_empty() {
            headers.push(blank());
        }
        let text = |name| form.text(name).to_owned();
        Self {
            name: text("name"),
            url: text("url"),
            auth: text("auth"),
            token: text("token"),
            key: text("key"),
            user: text("user"),
            password: text("password"),
            by_text: form.text("header_mode") == "text",
            headers,
            headers_text: form.lines("headers_text"),
            insecure: form.ticked("insecure"),
            timeout: text("timeout"),
            retries: text("retries"),
            rate: text("rate"),
            in_order: form.ticked("in_order"),
            enabled: form.ticked("enabled"),
            sign: form.ticked("sign"),
        }
    }

    /// What is stored, with its secrets masked.
    pub(super) fn of(webhook: &Webhook) -> Self {
        let user = match &webhook.authorization {
            Authorization::Basic { user, .. } => user.clone(),
            _ => String::new(),
        };
        let shown = webhook.headers.iter().map(|header| {
            let value = if header.is_sensitive() {
                MASK
            } else {
                header.value()
            };
            vec![header.name().to_owned(), value.to_owned()]
        });
        let mut typed = Self {
            name: webhook.name.to_string(),
            url: webhook.url.as_str().to_owned(),
            auth: webhook.authorization.kind().as_str().to_owned(),
            user,
            headers: shown.collect(),
            insecure: webhook.allow_insecure,
            timeout: webhook.timeout.as_secs().to_string(),
            retries: webhook.retries.get().to_string(),
            rate: webhook
                .rate
                .map_or_else(String::new, |rate| rate.get().to_string()),
            in_order: webhook.order == DeliveryOrder::InOrder,
            enabled: webhook.activity != Activity::Disabled,
            ..Self::default()
        };
        for header in &typed.headers {
            typed.headers_text += &format!("{}\n", header.join(": "));
        }
        if typed.headers.is_empty() {
            typed.headers.push(blank());
        }
        typed
    }

    /// Reads the fields; whatever is wrong is noted beside its field. What is masked or left out is
    /// taken from `present`.
    pub(super) fn parse(
        &self,
        problems: &mut Problems,
        owner: OwnerId,
        present: Option<&Webhook>,
    ) -> Option<Webhook> {
        let name = problems.take("name", self.name.parse::<WebhookName>().map_err(rule));
        let url = problems.take("url", self.url.trim().parse::<TargetUrl>().map_err(rule));
        let authorization = self.authorization(problems, present.map(|p| &p.authorization));
        let place = self.place(Field::Headers);
        let present_headers = present.map(|p| &p.headers);
        let headers = if self.by_text {
            headers::of_text(&self.headers_text, present_headers)
        } else {
            headers::of_rows(&self.headers, present_headers)
        };
        let headers = problems.take(place, headers);
        let number = |text: &str| text.trim().parse::<i64>();
        let timeout = problems.take(
            "timeout",
            number(&self.timeout).map_or(Err(WHOLE.to_owned()), |n| {
                Timeout::try_from(n).map_err(rule)
            }),
        );
        let retries = problems.take(
            "retries",
            number(&self.retries).map_or(Err(WHOLE.to_owned()), |n| {
                Retries::try_from(n).map_err(rule)
            }),
        );
        let rate = problems.take("rate", self.rate());
        let mut webhook = match present {
            Some(present) => present.clone(),
            None => Webhook::new(owner, name.clone()?, url.clone()?),
        };
        (webhook.name, webhook.url) = (name?, url?);
        (webhook.authorization, webhook.headers) = (authorization?, headers?);
        (webhook.timeout, webhook.retries, webhook.rate) = (timeout?, retries?, rate?);
        webhook.allow_insecure = self.insecure;
        webhook.order = if self.in_order {
            DeliveryOrder::InOrder
        } else {
            DeliveryOrder::Unordered
        };
        webhook.activity = match (self.enabled, webhook.activity) {
            (false, _) => Activity::Disabled,
            (true, Activity::Disabled) => Activity::Active,
            (true, as_it_is) => as_it_is,
        };
        let checked = webhook.check();
        checked
            .map_err(|invalid| problems.add(self.place(invalid.field()), rule(invalid)))
            .ok()
            .map(|()| webhook)
    }

    /// Where on the page a field of the record is.
    pub(super) fn place(&self, field: Field) -> &'static str {
        match field {
            Field::Name => "name",
            Field::Url => "url",
            Field::AuthorizationType | Field::AuthorizationValue => "auth",
            Field::Timeout => "timeout",
            Field::Retries => "retries",
            Field::RateLimit => "rate",
            _ if self.by_text => "headers_text",
            _ => "header",
        }
    }

    /// A secret that is left empty stays as it is, if the type does.
    fn authorization(
        &self,
        problems: &mut Problems,
        present: Option<&Authorization>,
    ) -> Option<Authorization> {
        let kind = problems.take("auth", AuthorizationKind::parse(&self.auth).map_err(rule))?;
        let kept = present.filter(|present| present.kind() == kind);
        match kind {
            AuthorizationKind::None => Some(Authorization::None),
            AuthorizationKind::Bearer | AuthorizationKind::ApiKey => {
                let (field, typed) = if kind == AuthorizationKind::Bearer {
                    ("token", &self.token)
                } else {
                    ("key", &self.key)
                };
                match kept {
                    Some(kept) if typed.is_empty() => Some(kept.clone()),
                    _ => {
                        let value = Authorization::from_parts(kind, Some(typed));
                        problems.take(field, value.map_err(rule))
                    }
                }
            }
            AuthorizationKind::Basic => {
                let password = match kept {
                    Some(Authorization::Basic { password, .. }) if self.password.is_empty() => {
                        password.expose()
                    }
                    _ => self.password.as_str(),
                };
                let of_user = self.user.is_empty() || self.user.contains(':');
                let field = if of_user { "user" } else { "password" };
                let basic = Authorization::basic(&self.user, password);
                problems.take(field, basic.map_err(rule))
            }
        }
    }

    fn rate(&self) -> Result<Option<RateLimit>, String> {
        match self.rate.trim() {
            "" => Ok(None),
            rate => {
                let rate = rate.parse().map_err(|_| WHOLE)?;
                RateLimit::per_second(rate).map(Some).map_err(rule)
            }
        }
    }
}

const WHOLE: &str = "must be a whole number";

fn blank() -> Vec<String> {
    vec![String::new(), String::new()]
}
