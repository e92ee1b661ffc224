//! The SETTINGS frames of an HTTP/2 target (RFC 9113 §6.5). h2 obeys all settings except for the
//! maximum size of header lists, which it does not expose.

use tokio::sync::watch;

/// The head of a frame: its length, type, flags and stream (RFC 9113 §4.1).
const HEAD: usize = 9;
/// A setting: its identifier and value (RFC 9113 §6.5.1).
const SETTING: usize = 6;
const SETTINGS_FRAME: u8 = 4;
const ACK: u8 = 1;
const MAX_HEADER_LIST_SIZE: u16 = 6;

/// Reads the frames of a target from its stream.
pub(crate) struct SettingsReader {
    /// The partially read head or setting.
    part: Vec<u8>,
    /// The remaining bytes of the current frame after its head.
    left: usize,
    is_settings: bool,
    /// The maximum header list that the target accepts.
    limit: u32,
    announced: watch::Sender<Option<u32>>,
}

impl SettingsReader {
    /// Creates a reader, and a receiver for the maximum header list after the first SETTINGS frame.
    pub(crate) fn new() -> (Self, watch::Receiver<Option<u32>>) {
        let (announced, limit) = watch::channel(None);
        let reader = Self {
            part: Vec::with_capacity(HEAD),
            left: 0,
            is_settings: false,
            limit: u32::MAX,
            announced,
        };
        (reader, limit)
    }

    /// Reads the next bytes, which may be split anywhere.
    pub(crate) fn read(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let wanted = match (self.left, self.is_settings) {
                (0, _) => HEAD - self.part.len(),
                (left, true) => left.min(SETTING - self.part.len()),
                (left, false) => left,
            };
            let (here, rest) = bytes.split_at(wanted.min(bytes.len()));
            bytes = rest;
            if self.left == 0 {
                self.part.extend_from_slice(here);
                self.begin_frame();
                continue;
            }
            self.left -= here.len();
            if self.is_settings {
                self.part.extend_from_slice(here);
                self.end_setting();
            }
        }
    }

    fn begin_frame(&mut self) {
        let &[a, b, c, kind, flags, ..] = &self.part[..] else {
            return;
        };
        if self.part.len() < HEAD {
            return;
        }
        self.part.clear();
        self.left = usize::from(a) << 16 | usize::from(b) << 8 | usize::from(c);
        self.is_settings = kind == SETTINGS_FRAME && flags & ACK == 0;
        self.end_frame();
    }

    fn end_setting(&mut self) {
        if let &[i, d, a, b, c, e] = &self.part[..] {
            if u16::from_be_bytes([i, d]) == MAX_HEADER_LIST_SIZE {
                self.limit = u32::from_be_bytes([a, b, c, e]);
            }
            self.part.clear();
        }
        self.end_frame();
    }

    fn end_frame(&mut self) {
        if self.left == 0 && self.is_settings {
            self.part.clear();
            self.announced.send_replace(Some(self.limit));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn frame(kind: u8, flags: u8, payload: &[u8]) -> Vec<u8> {
        let mut frame = u32::try_from(payload.len()).unwrap().to_be_bytes()[1..].to_vec();
        frame.extend([kind, flags, 0, 0, 0, 0]);
        frame.extend(payload);
        frame
    }

    fn settings(of: &[(u16, u32)]) -> Vec<u8> {
        let of = of.iter();
        let payload: Vec<u8> = of
            .flat_map(|(id, value)| [&id.to_be_bytes()[..], &value.to_be_bytes()].concat())
            .collect();
        frame(SETTINGS_FRAME, 0, &payload)
    }

    proptest! {
        #[test]
        fn settings_bytes_cut_anywhere_are_read(pieces in prop::collection::vec(1_usize..40, 1..50)) {
            let looks_like_settings = settings(&[(6, 1)]);
            let steps = [
                (settings(&[(3, 7)]), Some(u32::MAX)),
                (frame(0, 0, &looks_like_settings), Some(u32::MAX)),
                (settings(&[(1, 6), (6, 8192), (4, 6)]), Some(8192)),
                (frame(SETTINGS_FRAME, ACK, &[]), Some(8192)),
                (frame(6, 0, &[6; 8]), Some(8192)),
                (settings(&[]), Some(8192)),
                (settings(&[(6, 100), (6, 0)]), Some(0)),
            ];
            let (mut reader, limit) = SettingsReader::new();
            let mut pieces = pieces.into_iter().cycle();
            prop_assert_eq!(*limit.borrow(), None);
            for (bytes, expected) in steps {
                let mut bytes = &bytes[..];
                while !bytes.is_empty() {
                    let (here, rest) = bytes.split_at(pieces.next().unwrap().min(bytes.len()));
                    reader.read(here);
                    bytes = rest;
                }
                prop_assert_eq!(*limit.borrow(), expected);
            }
        }
    }
}
