//! Errors in the description of a proxy.

/// The reason why a text does not describe a proxy. It never shows the text, which may contain a
/// password.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum ProxyError {
    /// The user name is empty or holds a colon, or either is too long or holds a control character.
    #[error("proxy: the user name or the password cannot be sent")]
    Credentials,
    /// The scheme is not `http` or `socks5`.
    #[error("proxy: the scheme must be http or socks5")]
    Scheme,
    /// The text is not a URL with a host.
    #[error("proxy: must be a URL with a host")]
    Url,
}
