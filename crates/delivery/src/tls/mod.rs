//! TLS connections in one of two trust levels that share nothing. Client identities and groups of
//! requests do not share anything either: session tickets are stored with the connections of one
//! origin.

mod clock;
mod dangerous;
mod fault;
mod handshake;
mod material;

use std::sync::Arc;

use chrono::{DateTime, Utc};
use rustls::client::danger::ServerCertVerifier;
use rustls::client::{ClientConfig, Resumption, WebPkiServerVerifier};
use rustls::crypto::CryptoProvider;
use rustls::sign::SingleCertAndKey;

use self::clock::AttemptClock;
pub(crate) use self::fault::{of_rustls, tls_fault};
pub(crate) use self::handshake::secure;
pub(crate) use self::material::TlsSettings;
pub use self::material::{MinTls, Roots};
use crate::identity::ClientIdentity;
use crate::outcome::{ErrorClass, TlsFault};
use crate::request::Trust;
use crate::setup_error::SetupError;

/// The number of servers whose session tickets are stored with the connections of one origin.
const SESSIONS: usize = 2;

/// Two client configurations, from which those of the origins are made.
#[derive(Clone)]
pub(crate) struct Tls {
    verify: Arc<ClientConfig>,
    insecure: Arc<ClientConfig>,
    clock: Arc<AttemptClock>,
}

impl Tls {
    pub(crate) fn new(settings: &TlsSettings) -> Result<Self, SetupError> {
        let provider = &settings.provider;
        let clock = Arc::new(AttemptClock::default());
        let checking = checking_verifier(settings, provider)?;
        let insecure = dangerous::accept_any_certificate(provider);
        Ok(Self {
            verify: config(settings, provider, &clock, checking)?,
            insecure: config(settings, provider, &clock, insecure)?,
            clock,
        })
    }

    /// Sets the time for the verification of certificates, from the latest attempt.
    pub(crate) fn set_time(&self, now: DateTime<Utc>) {
        self.clock.set(now);
    }

    /// Returns the configuration of this trust level for this identity, or for only the sender's
    /// certificate. It has its own session tickets.
    pub(crate) fn config(
        &self,
        trust: Trust,
        identity: Option<&ClientIdentity>,
    ) -> Result<Arc<ClientConfig>, ErrorClass> {
        let mut config = ClientConfig::clone(match trust {
            Trust::AllowInsecure => &self.insecure,
            Trust::Verify => &self.verify,
        });
        if let Some(identity) = identity {
            let certified = identity.certified(config.crypto_provider());
            let certified = certified.map_err(|_| ErrorClass::Tls(TlsFault::ClientKey))?;
            config.client_auth_cert_resolver = Arc::new(SingleCertAndKey::from(certified));
        }
        config.resumption = Resumption::in_memory_sessions(SESSIONS);
        Ok(Arc::new(config))
    }
}

/// Creates a configuration with any verifier.
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

impl std::fmt::Debug for Tls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tls")
    }
}
