//! Request targets.

use http::Uri;

use super::error::RequestError;
use super::origin::Origin;

/// The request target in origin form and in absolute form (RFC 9112 §3.2).
pub(super) fn request_targets(url: &url::Url, origin: &Origin) -> Result<(Uri, Uri), RequestError> {
    let mut path = url.path().to_owned();
    if let Some(query) = url.query() {
        path.push('?');
        path.push_str(query);
    }
    let path: Uri = path.parse().map_err(|_| RequestError::Url)?;
    let absolute = Uri::builder()
        .scheme(url.scheme())
        .authority(origin.authority())
        .path_and_query(path.path_and_query().cloned().ok_or(RequestError::Url)?)
        .build()
        .map_err(|_| RequestError::Url)?;
    Ok((path, absolute))
}
