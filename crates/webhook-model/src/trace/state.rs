//! The header `tracestate`.

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

use super::error::InvalidTrace;

/// The maximum size of a `tracestate` that is propagated, in bytes: the minimum that W3C Trace
/// Context §3.3.1.5 recommends. Each delivery stores it.
pub const MAX_TRACE_STATE: usize = 512;
/// The maximum number of members.
const MEMBERS: usize = 32;
/// Members longer than this are removed first from a list that is too long.
const LONG: usize = 128;
/// White space that is allowed around a member.
const BLANKS: [char; 2] = [' ', '\t'];

/// The entries of the systems that a trace passed through: the header `tracestate` (W3C Trace
/// Context, level 1, §3.3), not empty, at most [`MAX_TRACE_STATE`] bytes.
///
/// A longer one is shortened as the recommendation defines: members of more than 128 bytes are
/// removed first, then the last ones. Blanks around members and empty members are dropped.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct TraceState(Box<str>);

impl TraceState {
    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Parses the list; `Ok(None)` if it is empty, or if no member is short enough.
    ///
    /// # Errors
    /// [`InvalidTrace::State`].
    pub fn parse(text: &str) -> Result<Option<Self>, InvalidTrace> {
        let members = text.split(',').map(|member| member.trim_matches(BLANKS));
        let mut members: Vec<&str> = members.filter(|member| !member.is_empty()).collect();
        let keys = members.iter().map(|member| key(member));
        let keys = keys.collect::<Option<HashSet<_>>>();
        if members.len() > MEMBERS || keys.is_none_or(|keys| keys.len() < members.len()) {
            return Err(InvalidTrace::State);
        }
        if length(&members) > MAX_TRACE_STATE {
            members.retain(|member| member.len() <= LONG);
        }
        while length(&members) > MAX_TRACE_STATE {
            members.pop();
        }
        let kept = (!members.is_empty()).then(|| Self(members.join(",").into()));
        Ok(kept)
    }
}

impl fmt::Display for TraceState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for TraceState {
    type Err = InvalidTrace;

    fn from_str(text: &str) -> Result<Self, InvalidTrace> {
        Self::parse(text)?.ok_or(InvalidTrace::State)
    }
}

fn length(members: &[&str]) -> usize {
    let commas = members.len().saturating_sub(1);
    members.iter().map(|member| member.len()).sum::<usize>() + commas
}

/// Returns the key of a well-formed member (§3.3.1.3).
fn key(member: &str) -> Option<&str> {
    let (key, value) = member.split_once('=')?;
    let of_value = |byte: u8| matches!(byte, b' '..=b'~') && byte != b'=' && byte != b',';
    let value = (1..=256).contains(&value.len()) && value.bytes().all(of_value);
    let key = match key.split_once('@') {
        Some((tenant, system)) => {
            let begins = tenant.bytes().next().is_some_and(is_letter_or_digit);
            (begins && is_name(tenant, 241) && starts_with_letter(system) && is_name(system, 14))
                .then_some(key)
        }
        None => (starts_with_letter(key) && is_name(key, 256)).then_some(key),
    };
    key.filter(|_| value)
}

fn starts_with_letter(name: &str) -> bool {
    name.bytes().next().is_some_and(|b| b.is_ascii_lowercase())
}

fn is_letter_or_digit(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit()
}

fn is_name(name: &str, most: usize) -> bool {
    let fits = |byte| is_letter_or_digit(byte) || matches!(byte, b'_' | b'-' | b'*' | b'/');
    name.len() <= most && name.bytes().all(fits)
}
