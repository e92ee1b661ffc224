//! Texts for errors of rustls.

use std::error::Error as StdError;
use std::io;

use rustls::{AlertDescription, CertificateError, Error};

use crate::outcome::TlsFault;

/// The reason that a handshake or a secured stream failed.
pub(crate) fn tls_fault(error: &(dyn StdError + 'static)) -> TlsFault {
    match rustls_error(error) {
        Some(error) => of_rustls(error),
        None => TlsFault::Closed, // the bytes stopped: end of file, reset, broken pipe
    }
}

/// The rustls error that another one carries, if it does.
fn rustls_error<'a>(error: &'a (dyn StdError + 'static)) -> Option<&'a Error> {
    if let Some(found) = error.downcast_ref::<Error>() {
        return Some(found);
    }
    // The error inside an I/O error is not its source.
    let made_of = error
        .downcast_ref::<io::Error>()
        .and_then(io::Error::get_ref);
    match made_of {
        Some(inner) => rustls_error(inner),
        None => rustls_error(error.source()?),
    }
}

pub(crate) fn of_rustls(error: &Error) -> TlsFault {
    match error {
        Error::InvalidCertificate(reason) => of_certificate(reason),
        Error::NoCertificatesPresented => TlsFault::BadCertificate,
        Error::AlertReceived(alert) => of_alert(*alert),
        Error::InvalidMessage(_) => TlsFault::NotTls,
        Error::PeerIncompatible(_) | Error::NoApplicationProtocol => TlsFault::Incompatible,
        _ => TlsFault::Protocol,
    }
}

/// Classifies an alert. An alert of a server about certificates, and about signatures, concerns the
/// client certificate; signatures do not verify if the issuing authority has another key.
fn of_alert(alert: AlertDescription) -> TlsFault {
    use AlertDescription as A;
    let name = alert_name(alert);
    match alert {
        A::CertificateRequired => TlsFault::ClientCertificateRequired,
        A::AccessDenied
        | A::BadCertificate
        | A::CertificateExpired
        | A::CertificateRevoked
        | A::CertificateUnknown
        | A::DecryptError
        | A::UnknownCA
        | A::UnsupportedCertificate => TlsFault::ClientCertificateRefused(name),
        _ => TlsFault::Alert(name),
    }
}

fn of_certificate(reason: &CertificateError) -> TlsFault {
    use CertificateError as C;
    match reason {
        C::Expired | C::ExpiredContext { .. } => TlsFault::Expired,
        C::NotValidYet | C::NotValidYetContext { .. } => TlsFault::NotYetValid,
        C::NotValidForName | C::NotValidForNameContext { .. } => TlsFault::WrongName,
        C::Revoked => TlsFault::Revoked,
        C::UnknownIssuer => TlsFault::UnknownIssuer,
        C::UnsupportedSignatureAlgorithmContext { .. }
        | C::UnsupportedSignatureAlgorithmForPublicKeyContext { .. } => {
            TlsFault::UnsupportedCertificate
        }
        // A self-signed end certificate that says CA:TRUE is turned down for that.
        C::Other(other) if format!("{other:?}").contains("CaUsedAsEndEntity") => {
            TlsFault::UnknownIssuer
        }
        _ => TlsFault::BadCertificate,
    }
}

/// The alert's name in RFC 8446's spelling, `handshake_failure`.
fn alert_name(alert: AlertDescription) -> String {
    let (mut name, mut after_lower) = (String::new(), false);
    for c in format!("{alert:?}").chars() {
        if c.is_uppercase() && after_lower {
            name.push('_');
        }
        after_lower = !c.is_uppercase();
        name.extend(c.to_lowercase());
    }
    name
}
