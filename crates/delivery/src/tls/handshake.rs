//! A connection that is open already becomes one that is secured.

use std::future::{Ready, ready};
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::Uri;
use hyper_rustls::{FixedServerNameResolver, HttpsConnector, MaybeHttpsStream};
use hyper_util::rt::TokioIo;
use rustls::client::ClientConfig;
use rustls_pki_types::ServerName;
use tower_service::Service;

use super::fault::tls_fault;
use crate::connect::{Base, Secured};
use crate::outcome::{ErrorClass, TlsFault};
use crate::request::Host;

/// Secures a connection to this host, whose certificate must name it.
pub(crate) async fn secure(
    config: Arc<ClientConfig>,
    host: &Host,
    base: Base,
) -> Result<Secured, ErrorClass> {
    let name = server_name(host).ok_or(ErrorClass::Tls(TlsFault::WrongName))?;
    let name = Arc::new(FixedServerNameResolver::new(name));
    let mut connector = HttpsConnector::new(Opened(Some(base)), config, true, name);
    // The destination was decided when the connection was opened.
    match connector.call(Uri::from_static("https://target")).await {
        Ok(MaybeHttpsStream::Https(secured)) => Ok(secured.into_inner()),
        Ok(MaybeHttpsStream::Http(_)) => Err(ErrorClass::Tls(TlsFault::NotTls)),
        Err(error) => Err(ErrorClass::Tls(tls_fault(&*error))),
    }
}

/// Hands out a connection that is open already, once.
struct Opened(Option<Base>);

impl Service<Uri> for Opened {
    type Response = TokioIo<Base>;
    type Error = io::Error;
    type Future = Ready<io::Result<TokioIo<Base>>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Uri) -> Self::Future {
        let base = self.0.take().map(TokioIo::new);
        ready(base.ok_or_else(|| io::ErrorKind::NotConnected.into()))
    }
}

fn server_name(host: &Host) -> Option<ServerName<'static>> {
    match host {
        Host::Addr(IpAddr::V4(v4)) => Some(ServerName::IpAddress(IpAddr::V4(*v4).into())),
        Host::Addr(IpAddr::V6(v6)) => Some(ServerName::IpAddress(IpAddr::V6(*v6).into())),
        Host::Name(name) => {
            let name = name.strip_suffix('.').unwrap_or(name);
            ServerName::try_from(name.to_owned()).ok()
        }
    }
}
