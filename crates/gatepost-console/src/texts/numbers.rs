//! The number format of a language, as two of its texts show by example: its digits, the separator
//! of groups, and the decimal mark.

/// The text that shows 1234567.8.
pub(super) const LONG: &str = "frame-number-long";
/// The text that shows 1234: some languages group only longer numbers.
pub(super) const SHORT: &str = "frame-number-short";
/// The number of digits of the examples before the decimal mark.
const LONG_DIGITS: usize = 7;
const SHORT_DIGITS: usize = 4;

/// The way in which a language writes numbers.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Numbers {
    zero: char,
    /// The separator of groups of digits; empty for none.
    group: String,
    /// The number of digits of the last group.
    last: usize,
    /// The number of digits of the other groups, except the first.
    others: usize,
    /// The decimal mark.
    point: String,
    /// The number of digits from which on numbers are grouped.
    least: usize,
}

impl Default for Numbers {
    /// Returns the format of English.
    fn default() -> Self {
        Self {
            zero: '0',
            group: ",".to_owned(),
            last: 3,
            others: 3,
            point: ".".to_owned(),
            least: SHORT_DIGITS,
        }
    }
}

impl Numbers {
    /// Reads the format from these examples of 1234567.8 and 1234. `None` if they show other
    /// numbers.
    pub(super) fn of(long: &str, short: &str) -> Option<Self> {
        let zero = char::from_u32(u32::from(long.chars().find(|c| c.is_numeric())?) - 1)?;
        let (mut groups, mut marks) = pieces(long, zero, LONG_DIGITS + 1)?;
        let (tenths, point) = (groups.pop()?, marks.pop()?);
        let (last, is_grouped) = (*groups.last()?, groups.len() > 1);
        let others = groups.iter().rev().nth(1).copied();
        let others = others.filter(|_| groups.len() > 2).unwrap_or(last);
        let group = marks.first().cloned().unwrap_or_default();
        let middle = groups.get(1..groups.len() - 1).unwrap_or_default();
        let is_regular = tenths == 1
            && marks.iter().all(|mark| *mark == group)
            && middle.iter().all(|digits| *digits == others)
            && groups.first() <= Some(&others);
        let (_, of_short) = pieces(short, zero, SHORT_DIGITS)?;
        let least = match of_short.as_slice() {
            [] => SHORT_DIGITS + 1,
            [mark] if *mark == group => SHORT_DIGITS,
            _ => return None,
        };
        let numbers = Self {
            zero,
            group,
            last,
            others,
            point,
            least: if is_grouped { least } else { usize::MAX },
        };
        is_regular.then_some(numbers)
    }

    /// Formats a whole number: `5,600`.
    pub(super) fn whole(&self, number: u64) -> String {
        self.grouped(&number.to_string())
    }

    /// Formats a number with this number of digits after the decimal mark: `1.5`.
    pub(super) fn decimal(&self, number: f64, digits: usize) -> String {
        let text = format!("{number:.digits$}");
        match text.split_once('.') {
            Some((whole, rest)) => {
                let rest: String = rest.chars().map(|digit| self.digit(digit)).collect();
                format!("{}{}{rest}", self.grouped(whole), self.point)
            }
            None => self.grouped(&text),
        }
    }

    fn grouped(&self, digits: &str) -> String {
        let (count, mut text) = (digits.len(), String::new());
        for (at, digit) in digits.chars().enumerate() {
            let left = count - at;
            let begins = left == self.last
                || left > self.last && (left - self.last).is_multiple_of(self.others);
            if at > 0 && begins && count >= self.least {
                text.push_str(&self.group);
            }
            text.push(self.digit(digit));
        }
        text
    }

    fn digit(&self, of: char) -> char {
        let value = of.to_digit(10).unwrap_or_default();
        char::from_u32(u32::from(self.zero) + value).unwrap_or(of)
    }
}

/// Splits the digits 1, 2, 3, … of an example into the lengths of its groups and the separators.
/// Text around them is ignored.
fn pieces(example: &str, zero: char, count: usize) -> Option<(Vec<usize>, Vec<String>)> {
    let value = |c: char| {
        u32::from(c)
            .checked_sub(u32::from(zero))
            .filter(|v| *v < 10)
    };
    let example = example.trim_matches(|c| value(c).is_none());
    let (mut groups, mut marks, mut seen) = (vec![0], vec![String::new()], 0);
    for letter in example.chars() {
        match value(letter) {
            Some(value) => {
                seen += 1;
                if value != seen {
                    return None;
                }
                if marks.last().is_some_and(|mark| !mark.is_empty()) {
                    marks.push(String::new());
                    groups.push(0);
                }
                *groups.last_mut()? += 1;
            }
            None => marks.last_mut()?.push(letter),
        }
    }
    // After the last digit there is no mark.
    marks.pop();
    (usize::try_from(seen) == Ok(count)).then_some((groups, marks))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(long: &str, short: &str) -> [String; 4] {
        let numbers = Numbers::of(long, short).unwrap();
        let whole = [999, 5_600, 1_234_567].map(|number| numbers.whole(number));
        let [a, b, c] = whole;
        [a, b, c, numbers.decimal(12_345.67, 1)]
    }

    #[test]
    fn numbers_are_written_as_the_examples_are() {
        let english = ["999", "5,600", "1,234,567", "12,345.7"];
        assert_eq!(written("1,234,567.8", "1,234"), english);
        let german = ["999", "5.600", "1.234.567", "12.345,7"];
        assert_eq!(written("1.234.567,8", "1.234"), german);
        let polish = ["999", "5600", "1\u{a0}234\u{a0}567", "12\u{a0}345,7"];
        assert_eq!(written("1\u{a0}234\u{a0}567,8", "1234"), polish);
        let hindi = ["999", "5,600", "12,34,567", "12,345.7"];
        assert_eq!(written("12,34,567.8", "1,234"), hindi);
        let arabic = ["٩٩٩", "٥٬٦٠٠", "١٬٢٣٤٬٥٦٧", "١٢٬٣٤٥٫٧"];
        assert_eq!(written("١٬٢٣٤٬٥٦٧٫٨", "١٬٢٣٤"), arabic);
        let bare = ["999", "5600", "1234567", "12345.7"];
        assert_eq!(written("1234567.8", "1234"), bare);
        assert_eq!(
            Numbers::of("1,234,567.8", "1,234"),
            Some(Numbers::default())
        );
        assert_eq!(Numbers::default().decimal(7.0, 0), "7");
    }

    #[test]
    fn invalid_number_example_is_rejected() {
        for (long, short) in [
            ("", ""),
            ("1,234,567.8", ""),
            ("1,234,567.8", "1.234"),
            ("1,234,567", "1,234"),
            ("1,234,568.7", "1,234"),
            ("1,234.567.8", "1,234"),
            ("123,45,67.8", "1,234"),
            ("1,234,567.89", "1,234"),
            ("one", "two"),
        ] {
            assert_eq!(Numbers::of(long, short), None, "{long} {short}");
        }
    }
}
