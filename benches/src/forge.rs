//! Forged keys with the ids of existing ones.

/// Returns the key with another secret and a valid checksum.
///
/// # Panics
/// If it is not a key of ours.
#[must_use]
pub fn forged(key: &str, round: u32) -> String {
    let (id, _) = key.split_at(key.len() - 6 - 33);
    let secret = format!("{id}{}", format!("{round:033}").replace('0', "z"));
    let alphabet = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
    let (mut rest, mut check) = (crc32(secret.as_bytes()), [0; 6]);
    for digit in check.iter_mut().rev() {
        *digit = alphabet[(rest % 58) as usize];
        rest /= 58;
    }
    secret + std::str::from_utf8(&check).expect("digits")
}

fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32| (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg());
    !bytes.iter().fold(!0, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| step(crc))
    })
}
