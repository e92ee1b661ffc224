//! The parts of a certificate that people need.

use chrono::{DateTime, NaiveDateTime, Utc};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject as _;

use super::der::{Der, GENERALIZED_TIME, SEQUENCE, UTC_TIME};
use super::error::ClientIdentityError;
use super::name;

/// The tag of the version, the first field of a certificate unless it is version 1.
const VERSION: u8 = 0xa0;

/// The subject of a certificate and its validity period, for display. Nothing of it is verified.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ClientCertificate {
    subject: String,
    not_before: DateTime<Utc>,
    not_after: DateTime<Utc>,
}

impl ClientCertificate {
    /// Reads the first certificate of a chain in PEM.
    ///
    /// # Errors
    /// [`ClientIdentityError::NoCertificate`], [`ClientIdentityError::UnreadableCertificate`].
    pub fn from_pem(chain: &str) -> Result<Self, ClientIdentityError> {
        let first = CertificateDer::pem_slice_iter(chain.as_bytes()).next();
        let first = first.ok_or(ClientIdentityError::NoCertificate)?;
        let first = first.map_err(|_| ClientIdentityError::UnreadableCertificate(1))?;
        Self::of_der(&first).ok_or(ClientIdentityError::UnreadableCertificate(1))
    }

    /// Reads the parts of RFC 5280 §4.1: version, serial number, signature, issuer, validity,
    /// subject.
    pub(super) fn of_der(certificate: &[u8]) -> Option<Self> {
        let mut fields = Der(certificate).inside(SEQUENCE)?.inside(SEQUENCE)?;
        fields.skip_if(VERSION)?;
        for _ in 0..3 {
            fields.next()?;
        }
        let mut validity = fields.inside(SEQUENCE)?;
        let (not_before, not_after) = (time(&mut validity)?, time(&mut validity)?);
        Some(Self {
            subject: name::read(fields.inside(SEQUENCE)?)?,
            not_before,
            not_after,
        })
    }

    /// Returns the subject's name, such as `O=Example, CN=hooks`: at most 256 characters, empty if
    /// the certificate has none.
    #[must_use]
    pub fn subject(&self) -> &str {
        &self.subject
    }

    /// Returns the beginning of its validity.
    #[must_use]
    pub fn not_before(&self) -> DateTime<Utc> {
        self.not_before
    }

    /// Returns the end of its validity.
    #[must_use]
    pub fn not_after(&self) -> DateTime<Utc> {
        self.not_after
    }
}

/// Reads a time to the second, in UTC (RFC 5280 §4.1.2.5). Two-digit years below 50 are in this
/// century.
fn time(validity: &mut Der<'_>) -> Option<DateTime<Utc>> {
    let (tag, text) = validity.next()?;
    let text = std::str::from_utf8(text).ok()?.strip_suffix('Z')?;
    let text = match tag {
        UTC_TIME => {
            let year: u8 = text.get(..2)?.parse().ok()?;
            let century = if year < 50 { "20" } else { "19" };
            format!("{century}{text}")
        }
        GENERALIZED_TIME => text.to_owned(),
        _ => return None,
    };
    let is_whole = text.len() == 14 && text.bytes().all(|b| b.is_ascii_digit());
    let time = NaiveDateTime::parse_from_str(&text, "%Y%m%d%H%M%S").ok();
    time.filter(|_| is_whole).map(|time| time.and_utc())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rcgen::{CertificateParams, DnType, KeyPair, date_time_ymd};

    use super::*;

    fn made() -> Vec<u8> {
        let mut params = CertificateParams::new(vec!["client.example".to_owned()]).unwrap();
        params.distinguished_name = rcgen::DistinguishedName::new();
        let name = &mut params.distinguished_name;
        name.push(DnType::OrganizationName, "Example");
        name.push(DnType::CommonName, "hooks");
        params.not_before = date_time_ymd(1999, 2, 3);
        params.not_after = date_time_ymd(2051, 4, 5);
        let key = KeyPair::generate().unwrap();
        params.self_signed(&key).unwrap().der().to_vec()
    }

    #[test]
    fn subject_and_validity_are_read() {
        let read = ClientCertificate::of_der(&made()).unwrap();
        assert_eq!(read.subject(), "O=Example, CN=hooks");
        let at = |text: &str| text.parse::<DateTime<Utc>>().unwrap();
        assert_eq!(read.not_before(), at("1999-02-03T00:00:00Z"));
        assert_eq!(read.not_after(), at("2051-04-05T00:00:00Z"));
    }

    #[test]
    fn client_certificate_rejects_truncated_or_damaged_input() {
        let good = made();
        for end in 0..good.len() {
            let cut = good.get(..end).unwrap();
            assert_eq!(ClientCertificate::of_der(cut), None, "{end}");
        }
        let nothing = ClientCertificate::from_pem("");
        assert_eq!(nothing, Err(ClientIdentityError::NoCertificate));
        let damaged = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        let damaged = ClientCertificate::from_pem(damaged);
        assert_eq!(damaged, Err(ClientIdentityError::UnreadableCertificate(1)));
    }

    proptest! {
        #[test]
        fn nothing_that_is_read_can_panic(at in 0usize..400, byte: u8, noise: Vec<u8>) {
            let mut changed = made();
            if let Some(found) = changed.get_mut(at) {
                *found = byte;
            }
            drop(ClientCertificate::of_der(&changed));
            drop(ClientCertificate::of_der(&noise));
        }
    }
}
