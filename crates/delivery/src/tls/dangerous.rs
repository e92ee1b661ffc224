//! The only file that disables certificate verification (SPEC 2.2 *Allow Insecure Certificates*).
//!
//! Only the insecure configuration uses it, which has its own session store and its own connection
//! pool.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::{DigitallySignedStruct, Error, SignatureScheme};
use rustls_pki_types::{CertificateDer, ServerName, UnixTime};

/// Creates a verifier that accepts every certificate, for tests and development.
pub(super) fn accept_any_certificate(provider: &CryptoProvider) -> Arc<dyn ServerCertVerifier> {
    Arc::new(AcceptAny {
        schemes: provider
            .signature_verification_algorithms
            .supported_schemes(),
    })
}

#[derive(Debug)]
struct AcceptAny {
    schemes: Vec<SignatureScheme>,
}

impl ServerCertVerifier for AcceptAny {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    // A signature by an untrusted key proves nothing; verifying it would only refuse old
    // self-signed certificates, which this setting is for.
    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.schemes.clone()
    }
}
