//! Pages of a list.

use gatepost_storage::{Bodies, Page};

/// The newest rows of a list, without what may be large: lists do not show it.
pub(crate) fn newest_rows<I>(limit: u32) -> Page<I> {
    Page::newest(limit).with_bodies(Bodies::Omitted)
}
