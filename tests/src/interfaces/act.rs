//! One route that changes something.

use gatepost_manage::Operation;

/// One request that changes something.
#[derive(Clone, Debug)]
pub struct Act {
    /// The name of the act, for every interface: `create task`, `replay failed`. REST API and
    /// console use the same words for the same act, as their audit records must.
    pub what: &'static str,
    /// The spelling by which it can be found: `POST /api/v4/tasks`.
    pub spelling: String,
    /// The request, head and body: see [`request`].
    pub request: Vec<u8>,
    /// The store's method that the request is held in, and which of its calls: the one that stores
    /// the change, or, for a message that is sent immediately, the one before the last.
    pub held: (&'static str, u64),
    /// The table of the audit record.
    pub table: &'static str,
    /// The operation of the audit record.
    pub operation: Operation,
}

/// Returns the bytes of an HTTP/1.1 request. `headers` are lines without their ends: `Cookie: a=b`.
#[must_use]
pub fn request(method: &str, path: &str, headers: &[&str], body: &str) -> Vec<u8> {
    let mut request = format!("{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n");
    for header in headers {
        request += header;
        request += "\r\n";
    }
    request += &format!("Content-Length: {}\r\n\r\n{body}", body.len());
    request.into_bytes()
}
