//! The lengths of the parts of a key string.

pub(crate) const ID_LEN: usize = 16;
pub(crate) const SECRET_LEN: usize = 33;
pub(crate) const CHECK_LEN: usize = 6;
/// `{id}_{secret}`: the part that the digest covers. With its padding it fits one block of SHA-256.
pub(crate) const ID_SECRET_LEN: usize = ID_LEN + 1 + SECRET_LEN;
/// `{id}_{secret}{check}`: the part of fixed length, from the right.
pub(crate) const TAIL_LEN: usize = ID_SECRET_LEN + CHECK_LEN;
pub(crate) const MAX_PREFIX_LEN: usize = 19;

/// The maximum length of a key string in bytes: a prefix of 19, `_`, and 56 fixed characters.
pub const MAX_KEY_LEN: usize = MAX_PREFIX_LEN + 1 + TAIL_LEN;
