//! The certificates that `--trust` names: private roots, for targets and token endpoints.

use std::fs;
use std::path::Path;

use gatepost_ids::trim_pasted;
use tokio_rustls::rustls::RootCertStore;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;

use crate::failure::{Failure, InWords};

/// The expected content of the file.
const EXPECTED: &str = "certificates in PEM form (-----BEGIN CERTIFICATE-----) are expected";

/// Reads the certificates of a PEM file, one or more.
///
/// # Errors
/// If the file cannot be read, is empty, or holds a private key, no certificate, or one that cannot
/// be used as a root. The error names the file; its content is not repeated.
pub(crate) fn roots(file: &Path) -> Result<Vec<u8>, Failure> {
    let what = || format!("cannot trust the certificates in {}", file.display());
    let bytes = fs::read(file).in_words(what)?;
    let wrong = |words: &str| Failure::new(what(), words);
    let Ok(text) = std::str::from_utf8(&bytes) else {
        return Err(wrong(&format!("it is not a text: {EXPECTED}")));
    };
    let text = trim_pasted(text);
    if text.is_empty() {
        return Err(wrong(&format!("it is empty: {EXPECTED}")));
    }
    if text.contains("PRIVATE KEY-----") {
        return Err(wrong("it holds a private key, which stays with its server"));
    }
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(text.as_bytes()) {
        let certificate = certificate.in_words(what)?;
        roots.add(certificate).in_words(what)?;
    }
    if roots.is_empty() {
        return Err(wrong(&format!("it holds no certificate: {EXPECTED}")));
    }
    Ok(text.as_bytes().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(name: &str) -> (String, String) {
        let made = rcgen::generate_simple_self_signed([name.to_owned()]).unwrap();
        (made.cert.pem(), made.signing_key.serialize_pem())
    }

    #[test]
    fn trusted_file_holds_one_or_more_certificates() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("roots.pem");
        let (one, other) = (pair("a.example").0, pair("b.example").0);
        for (text, count) in [
            (one.clone(), 1),
            (format!("\u{feff}{one}\r\n"), 1),
            (format!("# ours\n{one}{other}"), 2),
        ] {
            fs::write(&file, &text).unwrap();
            let roots = roots(&file).unwrap();
            let found = CertificateDer::pem_slice_iter(&roots).filter(Result::is_ok);
            assert_eq!(found.count(), count, "{text}");
        }
    }

    #[test]
    fn trusted_file_without_certificate_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("roots.pem");
        let (certificate, key) = pair("a.example");
        let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        for (bytes, says) in [
            (b"".to_vec(), "it is empty"),
            (b"\xef\xbb\xbf \n".to_vec(), "it is empty"),
            (b"hello".to_vec(), "it holds no certificate"),
            (b"\x30\x82\xff\xfe".to_vec(), "it is not a text"),
            (key.clone().into_bytes(), "it holds a private key"),
            (
                format!("{certificate}{key}").into_bytes(),
                "it holds a private key",
            ),
            (broken.into(), ""),
        ] {
            fs::write(&file, bytes).unwrap();
            let refusal = roots(&file).unwrap_err().to_string();
            let begins = format!(
                "cannot trust the certificates in {}: {says}",
                file.display()
            );
            assert!(refusal.starts_with(&begins), "{refusal}");
            assert!(!refusal.contains(key.lines().nth(1).unwrap()), "{refusal}");
        }
        fs::remove_file(&file).unwrap();
        let missing = roots(&file).unwrap_err().to_string();
        assert!(missing.contains("roots.pem: "), "{missing}");
    }
}
