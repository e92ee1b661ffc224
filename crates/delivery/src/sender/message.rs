//! The message of one attempt: the request's headers and those that belong to the attempt.

use std::borrow::Cow;

use bytes::Bytes;
use chrono::{DateTime, Utc};
use http::header::{CONTENT_LENGTH, HOST, USER_AGENT};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use http_body::Body as _;
use http_body_util::Full;

use super::core::Parts;
use super::masked_head::shown;
use crate::outcome::{ErrorClass, Protocol};
use crate::request::{Header, Request, RequestError};

/// The overhead that a receiver counts for each field.
const FIELD_OVERHEAD: usize = 32;
/// The approximate length of a header with its name.
const HEADER_SIZE: usize = 48;

/// A header that the sender itself writes. Values that existed before the attempt are not copied.
struct Own<'a> {
    name: HeaderName,
    /// The name as HTTP/1.1 writes it: some receivers compare names as they are, and expect
    /// Title-Case.
    written: &'a str,
    value: Cow<'a, HeaderValue>,
}

impl<'a> Own<'a> {
    fn held(name: HeaderName, written: &'a str, value: &'a HeaderValue) -> Self {
        let value = Cow::Borrowed(value);
        Self {
            name,
            written,
            value,
        }
    }

    /// A header that is made for one attempt.
    fn made(name: HeaderName, written: &'a str, text: String) -> Result<Self, RequestError> {
        let value =
            HeaderValue::try_from(text).map_err(|_| RequestError::HeaderValue(name.to_string()))?;
        Ok(Self {
            name,
            written,
            value: Cow::Owned(value),
        })
    }
}

impl Parts {
    /// The head of an HTTP/1.1 request at `now`, with its empty line: the request's headers in the
    /// order and the case in which they were given, then the sender's own.
    pub(super) fn head(
        &self,
        request: &Request,
        now: DateTime<Utc>,
    ) -> Result<Vec<u8>, ErrorClass> {
        Ok(written(request, &self.h1_headers(request, now)?))
    }

    /// The head of an HTTP/1.1 request, and what may be shown of it.
    pub(super) fn h1_message(
        &self,
        request: &Request,
        now: DateTime<Utc>,
    ) -> Result<(Vec<u8>, Vec<u8>), ErrorClass> {
        let own = self.h1_headers(request, now)?;
        let shown = shown(request, Protocol::Http1, pairs(request, &own));
        Ok((written(request, &own), shown))
    }

    /// The sender's own headers, the framing's included.
    fn h1_headers<'a>(
        &'a self,
        request: &'a Request,
        now: DateTime<Utc>,
    ) -> Result<Vec<Own<'a>>, ErrorClass> {
        let mut own = self.own_headers(request, now)?;
        if !request.body.is_empty() || expects_body(&request.fixed.method) {
            let length = request.body.len().to_string();
            own.push(Own::made(CONTENT_LENGTH, "Content-Length", length)?);
        }
        Ok(own)
    }

    /// An HTTP/2 request at `now`, and what may be shown of it. Its headers are a map: lower case,
    /// repeated names together.
    pub(super) fn h2_message(
        &self,
        request: &Request,
        now: DateTime<Utc>,
    ) -> Result<(http::Request<Full<Bytes>>, Vec<u8>), ErrorClass> {
        let own = self.own_headers(request, now)?;
        // With capacity for hyper's Content-Length: a map that grows is built twice.
        let mut headers = HeaderMap::with_capacity(request.fixed.headers.len() + own.len() + 1);
        // `:authority` replaces `Host` (RFC 9113 §8.3.1).
        for header in given(request, &own).filter(|header| header.name != HOST) {
            headers.append(&header.name, header.value.clone());
        }
        headers.extend(
            own.into_iter()
                .map(|header| (header.name, header.value.into_owned())),
        );
        let mut message = http::Request::new(Full::new(request.body.clone()));
        *message.method_mut() = request.fixed.method.clone();
        *message.uri_mut() = request.fixed.absolute.clone();
        let pairs = headers.iter().map(|(name, value)| (name.as_str(), value));
        let shown = shown(request, Protocol::Http2, pairs);
        *message.headers_mut() = headers;
        Ok((message, shown))
    }

    /// Returns the sender's own headers: id, time, signature, and those that the request lacks:
    /// `User-Agent` and its trace.
    fn own_headers<'a>(
        &'a self,
        request: &'a Request,
        now: DateTime<Utc>,
    ) -> Result<Vec<Own<'a>>, ErrorClass> {
        let mut own = Vec::with_capacity(7);
        if !request.fixed.headers.contains(&USER_AGENT) {
            own.push(Own::held(USER_AGENT, "User-Agent", &self.user_agent));
        }
        let trace = request.trace();
        own.extend(trace.map(|(name, written, value)| Own::held(name, written, value)));
        let Some(id) = &request.id else {
            return Ok(own);
        };
        let names = &self.names;
        own.push(Own::held(
            names.id.name.clone(),
            &names.id.written,
            id.value(),
        ));
        if let Some(keys) = &request.fixed.signing {
            let signature = match &request.signature {
                Some(signed) => signed.to_string(),
                None => keys.signature(id.text(), now, &request.body),
            };
            let timestamp = now.timestamp().to_string();
            for (name, text) in [(&names.timestamp, timestamp), (&names.signature, signature)] {
                own.push(Own::made(name.name.clone(), &name.written, text)?);
            }
        }
        Ok(own)
    }
}

/// Returns the length of an HTTP/2 request's headers as a receiver counts it (RFC 9113 §6.5.2),
/// with the length that hyper adds.
pub(super) fn header_list_size(message: &http::Request<Full<Bytes>>) -> u64 {
    let headers = message.headers().iter();
    let headers = headers.map(|(name, value)| name.as_str().len() + value.len());
    let (method, uri) = (message.method(), message.uri());
    let authority = uri
        .authority()
        .map_or(0, |authority| authority.as_str().len());
    let path = uri.path_and_query().map_or(0, |path| path.as_str().len());
    let pseudo = [
        ":method".len() + method.as_str().len(),
        ":scheme".len() + uri.scheme_str().map_or(0, str::len),
        ":authority".len() + authority,
        ":path".len() + path,
    ];
    let length = message.body().size_hint().exact().unwrap_or_default();
    let is_announced = length > 0 || expects_body(method);
    let length = is_announced.then(|| CONTENT_LENGTH.as_str().len() + length.to_string().len());
    let sizes = headers.chain(pseudo).chain(length);
    sizes.map(|size| (size + FIELD_OVERHEAD) as u64).sum()
}

/// The head of an HTTP/1.1 request with these headers of the sender's own.
fn written(request: &Request, own: &[Own<'_>]) -> Vec<u8> {
    let count = request.fixed.headers.len() + own.len() + 2;
    let mut head = Vec::with_capacity(count * HEADER_SIZE);
    head.extend_from_slice(request.fixed.method.as_str().as_bytes());
    head.extend_from_slice(b" ");
    head.extend_from_slice(request.fixed.path().as_bytes());
    head.extend_from_slice(b" HTTP/1.1\r\n");
    for (name, value) in pairs(request, own) {
        head.extend_from_slice(name.as_bytes());
        head.extend_from_slice(b": ");
        head.extend_from_slice(value.as_bytes());
        head.extend_from_slice(b"\r\n");
    }
    head.extend_from_slice(b"\r\n");
    head
}

/// All headers of an HTTP/1.1 request, in their order.
fn pairs<'a>(
    request: &'a Request,
    own: &'a [Own<'_>],
) -> impl Iterator<Item = (&'a str, &'a HeaderValue)> {
    let given = given(request, own).map(|header| (&*header.written, &header.value));
    given.chain(own.iter().map(|header| (header.written, &*header.value)))
}

/// Returns the request's own headers, except for those that the sender writes: the caller cannot
/// set id, time or signature.
fn given<'a>(request: &'a Request, own: &'a [Own<'_>]) -> impl Iterator<Item = &'a Header> {
    let headers = request.fixed.headers.iter();
    headers.filter(|header| !own.iter().any(|own| own.name == header.name))
}

/// Whether an empty body is announced too (RFC 9110 §8.6).
fn expects_body(method: &Method) -> bool {
    !matches!(*method, Method::GET | Method::HEAD | Method::DELETE)
}
