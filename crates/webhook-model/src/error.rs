//! Errors in records: the field, and the rule that it breaks.

use std::borrow::Cow;
use std::fmt;

/// A field of a record, by its name on the wire.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Field {
    /// `name`
    Name,
    /// `description`
    Description,
    /// `url`
    Url,
    /// `authorization_type`
    AuthorizationType,
    /// `authorization_value`
    AuthorizationValue,
    /// `oauth_token_url`
    OAuthTokenUrl,
    /// `oauth_client_id`
    OAuthClientId,
    /// `oauth_scope`
    OAuthScope,
    /// `oauth_client_auth`
    OAuthClientAuthentication,
    /// `client_certificate`
    ClientCertificate,
    /// `client_key`
    ClientKey,
    /// `headers`
    Headers,
    /// `timeout`
    Timeout,
    /// `retries`
    Retries,
    /// `retry_schedule`
    RetrySchedule,
    /// `channels`
    Channels,
    /// `rate_limit`
    RateLimit,
    /// `delivery_mode`
    DeliveryMode,
    /// `after`: the cursor of a receiver that fetches messages
    After,
    /// `signing_secrets`
    SigningSecrets,
    /// `message`
    Message,
    /// `table`: the type of an event
    Type,
    /// `event`
    Event,
    /// `event_name`
    EventLabel,
    /// `owner`: the object of an event
    Owner,
    /// `tag`
    Tag,
    /// `task`
    Task,
    /// `context`
    Context,
    /// `table_event_filters`
    Filter,
    /// `params`: the variables of a manual run
    Parameters,
    /// `data`: the data of an occurrence
    Data,
    /// the id of an occurrence
    OccurrenceId,
    /// the channel of an occurrence
    Channel,
    /// the webhooks that an occurrence is for
    To,
}

impl Field {
    /// Returns the name of the field on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Description => "description",
            Self::Url => "url",
            Self::AuthorizationType => "authorization_type",
            Self::AuthorizationValue => "authorization_value",
            Self::OAuthTokenUrl => "oauth_token_url",
            Self::OAuthClientId => "oauth_client_id",
            Self::OAuthScope => "oauth_scope",
            Self::OAuthClientAuthentication => "oauth_client_auth",
            Self::ClientCertificate => "client_certificate",
            Self::ClientKey => "client_key",
            Self::Headers => "headers",
            Self::Timeout => "timeout",
            Self::Retries => "retries",
            Self::RetrySchedule => "retry_schedule",
            Self::Channels => "channels",
            Self::RateLimit => "rate",
            Self::DeliveryMode => "delivery_mode",
            Self::After => "after",
            Self::SigningSecrets => "signing_secrets",
            Self::Message => "message",
            Self::Type => "table",
            Self::Event => "event",
            Self::EventLabel => "event_name",
            Self::Owner => "owner",
            Self::Tag => "tag",
            Self::Task => "task",
            Self::Context => "context",
            Self::Filter => "table_event_filters",
            Self::Parameters => "params",
            Self::Data => "data",
            Self::OccurrenceId => "id",
            Self::Channel => "channel",
            Self::To => "to",
        }
    }
}

/// The error for a value that a record cannot hold. The text never repeats a secret.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{}: {rule}", field.as_str())]
pub struct Invalid {
    field: Field,
    rule: Cow<'static, str>,
}

impl Invalid {
    /// Creates the error for a field and the rule that it breaks. The text is for the user and must
    /// not contain the field's value.
    pub fn new(field: Field, rule: impl Into<Cow<'static, str>>) -> Self {
        Self {
            field,
            rule: rule.into(),
        }
    }

    /// Returns the field.
    #[must_use]
    pub fn field(&self) -> Field {
        self.field
    }

    /// Returns the rule that it breaks: `must be 3 or greater`.
    #[must_use]
    pub fn rule(&self) -> &str {
        &self.rule
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
