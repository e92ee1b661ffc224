//! SOCKS5 (RFC 1928, RFC 1929).

use std::net::SocketAddr;

use tokio_socks::tcp::Socks5Stream;

use super::login::Login;
use crate::connect::stream::Base;
use crate::outcome::ProxyFault;

/// Asks the proxy for a connection to an address.
pub(super) async fn connect(
    base: Base,
    target: SocketAddr,
    login: Option<&Login>,
) -> Result<Base, ProxyFault> {
    let opened = match login {
        Some(login) => {
            Socks5Stream::connect_with_password_and_socket(
                base,
                target,
                &login.user,
                &login.password,
            )
            .await
        }
        None => Socks5Stream::connect_with_socket(base, target).await,
    };
    opened.map(Socks5Stream::into_inner).map_err(|error| {
        use tokio_socks::Error as E;
        match error {
            E::Io(_) => ProxyFault::Connect,
            E::PasswordAuthFailure(_) | E::NoAcceptableAuthMethods | E::AuthorizationRequired => {
                ProxyFault::Authentication
            }
            E::GeneralSocksServerFailure
            | E::ConnectionNotAllowedByRuleset
            | E::NetworkUnreachable
            | E::HostUnreachable
            | E::ConnectionRefused
            | E::TtlExpired => ProxyFault::Target,
            _ => ProxyFault::Protocol,
        }
    })
}
