//! Numbers as people read them.

/// A number with its thousands apart: `5,600`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_stand_apart() {
        let shown = [0, 7, 999, 1_000, 56_789, 1_234_567].map(grouped);
        assert_eq!(shown, ["0", "7", "999", "1,000", "56,789", "1,234,567"]);
    }
}
