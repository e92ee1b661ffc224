//! The text form of keys: a prefix and base64.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use zeroize::Zeroizing;

/// Other libraries create secrets without padding and with nonzero trailing bits, so these are
/// accepted.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Returns a key without the white space and the byte order mark of a file or a paste.
pub(crate) fn alone(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}')
}

/// The bytes of a key's base64 part.
pub(crate) fn decode(text: &str) -> Option<Zeroizing<Vec<u8>>> {
    LENIENT.decode(text).ok().map(Zeroizing::new)
}

/// Standard base64 with padding, as signatures are written.
pub(super) fn encode_into(bytes: &[u8], out: &mut String) {
    base64::engine::general_purpose::STANDARD.encode_string(bytes, out);
}
