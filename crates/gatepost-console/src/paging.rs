//! Pages of a list.

use gatepost_manage::Listed;
use gatepost_storage::{Bodies, Page};

/// The newest rows of a list, without what may be large: lists do not show it.
pub(crate) fn newest_rows<I>(limit: u32) -> Page<I> {
    Page::newest(limit).with_bodies(Bodies::Omitted)
}

/// The rows of one page, and the row after which the next page begins.
///
/// The list was read with a limit of one row more than a page has, so that a full last page offers
/// no empty page after it.
pub(crate) fn one_page<R, I>(
    listed: Listed<R, I>,
    size: usize,
    id: impl Fn(&R) -> I,
) -> (Vec<R>, Option<I>) {
    let (mut rows, mut next) = (listed.rows, listed.next);
    if rows.len() > size {
        rows.truncate(size);
        next = rows.last().map(id);
    }
    (rows, next)
}
