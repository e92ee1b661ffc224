//! The parser of filters. `None` covers every invalid or too large expression: the wire has one
//! response for all of them.

use super::lex::{Token, tokens};
use super::pattern::Allowance;
use super::term::{Filter, Joiner, Literal, Term, Test};
use super::text::fold;
use crate::error::{ApiError, Result};
use crate::limits::Limits;

impl Filter {
    /// Parses a client's filter.
    pub(crate) fn parse(text: &str, limits: &Limits) -> Result<Self> {
        parse(text, limits).ok_or_else(ApiError::invalid_argument)
    }
}

fn parse(text: &str, limits: &Limits) -> Option<Filter> {
    if text.len() > limits.filter_bytes {
        return None;
    }
    let mut parser = Parser {
        tokens: tokens(text)?.into_iter(),
        terms: limits.filter_terms,
        patterns: Allowance::default(),
    };
    let (filter, closed) = parser.chain(limits.filter_depth)?;
    (!closed).then_some(filter)
}

struct Parser {
    tokens: std::vec::IntoIter<Token>,
    /// The number of comparisons that are still allowed.
    terms: usize,
    patterns: Allowance,
}

impl Parser {
    /// Parses terms up to the end or a closing parenthesis, and returns which of the two it was.
    fn chain(&mut self, depth: usize) -> Option<(Filter, bool)> {
        let mut filter = Filter {
            first: self.term(depth)?,
            rest: Vec::new(),
        };
        loop {
            let joiner = match self.tokens.next() {
                None => return Some((filter, false)),
                Some(Token::Close) => return Some((filter, true)),
                Some(Token::Word(word)) if word.eq_ignore_ascii_case("and") => Joiner::And,
                Some(Token::Word(word)) if word.eq_ignore_ascii_case("or") => Joiner::Or,
                Some(_) => return None,
            };
            filter.rest.push((joiner, self.term(depth)?));
        }
    }

    fn term(&mut self, depth: usize) -> Option<Term> {
        match self.tokens.next()? {
            Token::Open => {
                let (group, closed) = self.chain(depth.checked_sub(1)?)?;
                closed.then(|| Term::Group(Box::new(group)))
            }
            Token::Word(field) => {
                self.terms = self.terms.checked_sub(1)?;
                let Token::Word(operator) = self.tokens.next()? else {
                    return None;
                };
                let literal = self.tokens.next()?.literal()?;
                let test = self.test(&operator, literal)?;
                Some(Term::Compare { field, test })
            }
            Token::Close | Token::Text(_) => None,
        }
    }

    fn test(&mut self, operator: &str, literal: Literal) -> Option<Test> {
        Some(match operator.to_ascii_lowercase().as_str() {
            "eq" => Test::Equal(literal),
            "ne" => Test::NotEqual(literal),
            "gt" => Test::Greater(literal),
            "ge" => Test::GreaterOrEqual(literal),
            "lt" => Test::Less(literal),
            "le" => Test::LessOrEqual(literal),
            "bw" => Test::BeginsWith(text(literal)?),
            "ew" => Test::EndsWith(text(literal)?),
            "cs" => Test::ContainsExactly(text(literal)?),
            "ct" => Test::Contains(fold(&text(literal)?)),
            "rx" => Test::Matches(self.patterns.take(&text(literal)?)?),
            _ => return None,
        })
    }
}

/// Converts the operand of a text operator to text; a bare number becomes its digits.
fn text(literal: Literal) -> Option<String> {
    match literal {
        Literal::Text(text) => Some(text),
        Literal::Int(number) => Some(number.to_string()),
        Literal::Null | Literal::Bool(_) | Literal::InAnyTable(_) => None,
    }
}
