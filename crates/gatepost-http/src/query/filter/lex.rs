//! Words, strings and parentheses of a filter.

use super::term::Literal;

#[derive(Debug, PartialEq)]
pub(super) enum Token {
    Open,
    Close,
    /// A field, an operator, a joiner, a number, `true`, `false` or `null`.
    Word(String),
    /// `'…'` with its escapes undone.
    Text(String),
}

impl Token {
    /// Returns the token as the right side of a comparison.
    pub(super) fn literal(self) -> Option<Literal> {
        match self {
            Self::Text(text) => Some(Literal::Text(text)),
            Self::Word(word) => match word.as_str() {
                "true" => Some(Literal::Bool(true)),
                "false" => Some(Literal::Bool(false)),
                "null" => Some(Literal::Null),
                digits => digits.parse().ok().map(Literal::Int),
            },
            Self::Open | Self::Close => None,
        }
    }
}

/// Returns the tokens of a text; `None` for an unterminated string.
pub(super) fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        tokens.push(match c {
            c if c.is_whitespace() => continue,
            '(' => Token::Open,
            ')' => Token::Close,
            '\'' => Token::Text(string(&mut chars)?),
            c => {
                let mut word = String::from(c);
                while let Some(c) =
                    chars.next_if(|c| !c.is_whitespace() && !matches!(c, '(' | ')' | '\''))
                {
                    word.push(c);
                }
                Token::Word(word)
            }
        });
    }
    Some(tokens)
}

/// Reads the rest of a string: a backslash makes the next character literal.
fn string(chars: &mut impl Iterator<Item = char>) -> Option<String> {
    let mut text = String::new();
    loop {
        match chars.next()? {
            '\'' => return Some(text),
            '\\' => text.push(chars.next()?),
            c => text.push(c),
        }
    }
}
