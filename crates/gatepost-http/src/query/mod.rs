//! The query language of lists: `?fields=&filter=&sort=&limit=&offset=`.
//!
//! All client input is parsed into types of bounded size before any row is read.

pub(crate) mod fields;
pub(crate) mod filter;
pub(crate) mod sort;

use fields::Fields;
use filter::Filter;
use sort::Sort;
use webhook_model::OwnerId;

use crate::aside::Aside;
use crate::error::{ApiError, Result};
use crate::limits::Limits;

/// The query of a list request.
#[derive(Debug, Default)]
pub(crate) struct ListQuery {
    pub fields: Fields,
    pub filter: Option<Filter>,
    pub sort: Sort,
    /// The maximum number of rows of the response; `None` for `limit=0` or no limit.
    pub limit: Option<usize>,
    /// Rows to skip.
    pub offset: usize,
}

impl ListQuery {
    /// Returns how many rows must be found, including those to skip; `None` for all.
    pub(crate) fn wanted(&self) -> Option<usize> {
        self.limit.map(|limit| limit.saturating_add(self.offset))
    }

    /// Parses the query string of a user's request. If it may contain patterns, which take
    /// milliseconds to compile, this is done on another thread.
    pub(crate) async fn read(
        query: Option<&str>,
        limits: Limits,
        (aside, user): (&Aside, OwnerId),
    ) -> Result<Self> {
        let query = query.unwrap_or("");
        let mut parameters = url::form_urlencoded::parse(query.as_bytes());
        if !parameters.any(|(_, value)| value.to_ascii_lowercase().contains("rx")) {
            return Self::parse(query, &limits);
        }
        let query = query.to_owned();
        let parse = move || Self::parse(&query, &limits);
        aside.run(user, parse).await
    }

    /// Parses the query string of a request. Unknown parameters are ignored, because clients send
    /// some for other servers.
    fn parse(query: &str, limits: &Limits) -> Result<Self> {
        let (mut list, mut filter) = (Self::default(), None);
        for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
            match &*name {
                "fields" => list.fields = Fields::parse(&value)?,
                "filter" => filter = Some(value),
                "sort" => list.sort = Sort::parse(&value)?,
                "limit" => list.limit = Some(number("limit", &value)?).filter(|n| *n > 0),
                "offset" => list.offset = number("offset", &value)?,
                _ => {}
            }
        }
        // The last one counts, and only that one is parsed.
        if let Some(filter) = filter.filter(|filter| !filter.trim().is_empty()) {
            list.filter = Some(Filter::parse(&filter, limits)?);
        }
        Ok(list)
    }
}

/// Parses a number. The OpenAPI document declares it as a signed 64-bit integer.
fn number(field: &'static str, text: &str) -> Result<usize> {
    let number: Option<i64> = text.trim().parse().ok();
    let number = number.and_then(|number| usize::try_from(number).ok());
    number.ok_or_else(|| {
        ApiError::field(
            field,
            "must be a whole number, 0 or greater, and less than 2^63",
        )
    })
}
