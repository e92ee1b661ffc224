//! Securing a connection, in one of two trust levels that share nothing.

mod clock;
mod dangerous;
mod fault;
mod material;

use std::net::IpAddr;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use rustls::client::danger::ServerCertVerifier;
use rustls::client::{ClientConfig, WebPkiServerVerifier};
use rustls::crypto::CryptoProvider;
use rustls_pki_types::ServerName;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use self::clock::AttemptClock;
pub(crate) use self::fault::tls_fault;
pub(crate) use self::material::TlsSettings;
pub use self::material::{MinTls, Roots};
use crate::connect::Base;
use crate::outcome::{ErrorClass, TlsFault};
use crate::request::{Host, Trust};
use crate::setup_error::SetupError;

/// Two client configurations: session tickets of one trust level are unknown to the other.
#[derive(Clone)]
pub(crate) struct Tls {
    verify: TlsConnector,
    insecure: TlsConnector,
    clock: Arc<AttemptClock>,
}

impl Tls {
    pub(crate) fn new(settings: &TlsSettings) -> Result<Self, SetupError> {
        let provider = &settings.provider;
        let clock = Arc::new(AttemptClock::default());
        let checking = checking_verifier(settings, provider)?;
        let insecure = dangerous::accept_any_certificate(provider);
        Ok(Self {
            verify: config(settings, provider, &clock, checking)?.into(),
            insecure: config(settings, provider, &clock, insecure)?.into(),
            clock,
        })
    }

    /// Certificates are judged by the wall time that the latest attempt was given.
    pub(crate) fn set_time(&self, now: DateTime<Utc>) {
        self.clock.set(now);
    }

    pub(crate) async fn secure(
        &self,
        trust: Trust,
        host: &Host,
        base: Base,
    ) -> Result<TlsStream<Base>, ErrorClass> {
        let connector = match trust {
            Trust::AllowInsecure => &self.insecure,
            Trust::Verify => &self.verify,
        };
        let name = server_name(host).ok_or(ErrorClass::Tls(TlsFault::WrongName))?;
        connector
            .connect(name, base)
            .await
            .map_err(|error| ErrorClass::Tls(tls_fault(&error)))
    }
}

/// The one way to a configuration, whatever the verifier.
fn config(
    settings: &TlsSettings,
    provider: &Arc<CryptoProvider>,
    clock: &Arc<AttemptClock>,
    verifier: Arc<dyn ServerCertVerifier>,
) -> Result<Arc<ClientConfig>, SetupError> {
    let builder = ClientConfig::builder_with_details(Arc::clone(provider), Arc::clone(clock) as _)
        .with_protocol_versions(settings.min.versions())
        .map_err(|_| SetupError::TlsVersions)?
        .dangerous() // rustls' name for "the verifier is ours"; ours that checks nothing is in dangerous.rs
        .with_custom_certificate_verifier(verifier);
    let mut config = match settings.identity()? {
        Some((chain, key)) => builder
            .with_client_auth_cert(chain, key)
            .map_err(|_| SetupError::ClientCertificate)?,
        None => builder.with_no_client_auth(),
    };
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

fn checking_verifier(
    settings: &TlsSettings,
    provider: &Arc<CryptoProvider>,
) -> Result<Arc<dyn ServerCertVerifier>, SetupError> {
    let extra = settings.extra_roots()?;
    if settings.roots == Roots::Platform {
        let verifier =
            rustls_platform_verifier::Verifier::new_with_extra_roots(extra, Arc::clone(provider))
                .map_err(|_| SetupError::PlatformRoots)?;
        return Ok(Arc::new(verifier));
    }
    let mut store = rustls::RootCertStore::empty();
    if settings.roots == Roots::WebPki {
        store.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    for root in extra {
        store.add(root).map_err(|_| SetupError::Root)?;
    }
    if store.is_empty() {
        return Err(SetupError::NoRoots);
    }
    let verifier =
        WebPkiServerVerifier::builder_with_provider(Arc::new(store), Arc::clone(provider))
            .build()
            .map_err(|_| SetupError::Root)?;
    Ok(verifier)
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

impl std::fmt::Debug for Tls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tls")
    }
}
