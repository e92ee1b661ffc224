//! The request target.

use http::Uri;
use http::uri::PathAndQuery;

use super::error::RequestError;
use super::origin::Origin;

/// The request target in absolute form (RFC 9112 §3.2.2); its origin form is a part of it.
pub(super) fn request_target(url: &url::Url, origin: &Origin) -> Result<Uri, RequestError> {
    let mut path = url.path().to_owned();
    if let Some(query) = url.query() {
        path.push('?');
        path.push_str(query);
    }
    let path = PathAndQuery::try_from(path).map_err(|_| RequestError::Url)?;
    Uri::builder()
        .scheme(url.scheme())
        .authority(origin.authority())
        .path_and_query(path)
        .build()
        .map_err(|_| RequestError::Url)
}
