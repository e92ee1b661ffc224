//! The detailed reasons within an error class.

use std::fmt;

/// The phase of an attempt.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Phase {
    /// Reading the response's body.
    Body,
    /// Opening a connection.
    Connect,
    /// Resolving the host name.
    Dns,
    /// Waiting for the response's head.
    Head,
    /// Asking a proxy to connect to the target.
    Proxy,
    /// Writing the request.
    Send,
    /// Securing the connection.
    Tls,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Body => "reading the response",
            Self::Connect => "connecting",
            Self::Dns => "resolving the host name",
            Self::Head => "waiting for a response",
            Self::Proxy => "connecting through the proxy",
            Self::Send => "sending the request",
            Self::Tls => "securing the connection",
        })
    }
}

/// The reason why no connection was established.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq, thiserror::Error)]
pub enum ConnectFault {
    /// This machine has run out of sockets, ports or descriptors.
    #[error("the sender is out of resources")]
    Local,
    /// Any other reason.
    #[error("the connection failed")]
    Other,
    /// The port is closed.
    #[error("connection refused")]
    Refused,
    /// No route to the address.
    #[error("the network or host is unreachable")]
    Unreachable,
}

/// The reason why a host name has no address.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq, thiserror::Error)]
pub enum DnsFault {
    /// The name service failed.
    #[error("the name service failed")]
    Failed,
    /// The name does not exist or has no address.
    #[error("no address found")]
    NoAddress,
}

/// The reason why a proxy did not connect.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq, thiserror::Error)]
pub enum ProxyFault {
    /// The proxy requires other credentials.
    #[error("it refused our credentials")]
    Authentication,
    /// No connection to the proxy.
    #[error("it cannot be reached")]
    Connect,
    /// Its response does not follow its protocol.
    #[error("its response is not understood")]
    Protocol,
    /// The proxy could not or would not connect to the target.
    #[error("it did not connect to the target")]
    Target,
}

/// The reason why a connection could not be secured.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, Hash, PartialEq, thiserror::Error)]
pub enum TlsFault {
    /// The target ended the handshake with this alert (RFC 8446 §6).
    #[error("the target refused the connection with the alert {0}{hint}", hint = alert_hint(.0))]
    Alert(String),
    /// The certificate is malformed, its signature is invalid, or it must not be used for this
    /// purpose.
    #[error("the certificate is not valid")]
    BadCertificate,
    /// The target refused the client certificate with this alert (RFC 8446 §6.2).
    #[error("the target refused the client certificate with the alert {0}")]
    ClientCertificateRefused(String),
    /// The target requires a client certificate, and there is none.
    #[error("the target requires a client certificate")]
    ClientCertificateRequired,
    /// The sender's cryptography provider cannot sign with the key of the client certificate.
    #[error("the private key of the client certificate cannot be used by this sender")]
    ClientKey,
    /// The connection ended during the handshake.
    #[error("the target closed the connection during the handshake")]
    Closed,
    /// The certificate has expired.
    #[error("the certificate has expired")]
    Expired,
    /// There is no common protocol version, cipher or application protocol.
    #[error("no common protocol version, cipher or application protocol")]
    Incompatible,
    /// The certificate is not valid yet.
    #[error("the certificate is not valid yet")]
    NotYetValid,
    /// The response is not TLS; often plain HTTP on this port.
    #[error("the target does not speak TLS on this port")]
    NotTls,
    /// The target broke the protocol.
    #[error("the target broke the protocol")]
    Protocol,
    /// The certificate has been revoked.
    #[error("the certificate has been revoked")]
    Revoked,
    /// The certificate does not lead to a trusted root, or is self-signed.
    #[error("the certificate is self-signed or its issuer is not trusted")]
    UnknownIssuer,
    /// The certificate, or one above it, has a signature algorithm or a kind of key that the
    /// sender's cryptography provider cannot verify.
    #[error(
        "the certificate uses a key or signature algorithm that is not supported, such as the \
         curve P-521 (secp521r1) or SHA-1"
    )]
    UnsupportedCertificate,
    /// The certificate is for another name.
    #[error("the certificate is for another host name")]
    WrongName,
}

/// Returns the possible meaning of a generic alert: a target whose only certificate the sender
/// cannot verify does not show it.
fn alert_hint(alert: &str) -> &'static str {
    match alert {
        "handshake_failure" => {
            ": no common protocol version or cipher, or its certificate uses an algorithm that is \
             not supported, such as the curve P-521 (secp521r1)"
        }
        _ => "",
    }
}
