//! Pieces of a recording: new updates that are appended elsewhere while the character is still recorded.

use super::data_id::DataId;
use super::segment::LEAST_SEGMENT;
use crate::error::cut_quotes;
use crate::machine::MachineSpec;
use crate::matcher::MatcherConfig;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Size of the length of the JSON at the beginning of a message, in bytes.
const LENGTH: usize = 4;

/// Position up to which a recording has been read. The default is before the first update.
#[derive(Clone, Debug, Default)]
pub struct Cursor {
    /// Identity of the recording that was read.
    pub(super) of: Option<Arc<()>>,
    /// Position in bytes and updates, counted from the start of the recording.
    pub(super) byte: u64,
    pub(super) update: u64,
}

/// Values common to all updates of a recording.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Head {
    pub data: DataId,
    /// Number of floats in the block of a state.
    pub block: usize,
    pub title: String,
    pub ground: String,
    pub machine: Option<MachineSpec>,
}

/// A part of a piece: updates of one segment.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Part {
    /// Index into the settings of the piece, if a segment begins here; `None` if the previous segment continues.
    pub begins: Option<u32>,
    pub bytes: u32,
    pub updates: u32,
}

/// Updates of a recording that follow those read before ([`super::Recorder::read`]). A piece begins or extends a
/// [`super::Replay`]. [`Piece::to_bytes`] returns its message.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Piece {
    /// Present in the first piece of a recording.
    pub(super) head: Option<Head>,
    pub(super) lost: u64,
    /// Settings of the segments that begin here.
    pub(super) configs: Vec<Arc<MatcherConfig>>,
    pub(super) parts: Vec<Part>,
    /// Names of sections, with the indices of the updates of this piece that begin them.
    pub(super) marks: Vec<(u32, String)>,
    pub(super) stream: Vec<u8>,
}

/// The JSON of a message.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Message {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    head: Option<HeadMessage>,
    #[serde(default, skip_serializing_if = "is_zero")]
    lost: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    configs: Vec<MatcherConfig>,
    parts: Vec<Part>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    marks: Vec<(u32, String)>,
}

/// The numbers of elements in the lists of a message, read without their content, because `IgnoredAny` has no size.
#[derive(Deserialize)]
struct Counts {
    #[serde(default)]
    configs: Vec<IgnoredAny>,
    #[serde(default)]
    parts: Vec<IgnoredAny>,
    #[serde(default)]
    marks: Vec<IgnoredAny>,
}

impl Counts {
    /// Checks the numbers of elements. Each of the settings belongs to a segment, each mark and part to an update. With more of
    /// them, a small message would be large in memory.
    fn check(&self, stream_bytes: usize) -> Result<(), String> {
        let settings = 1 + stream_bytes / LEAST_SEGMENT;
        // An update has at least one byte.
        let (parts, marks) = (1 + stream_bytes, 1 + stream_bytes);
        let lists =
            [("configs", &self.configs, settings), ("parts", &self.parts, parts), ("marks", &self.marks, marks)];
        match lists.into_iter().find(|(_, list, most)| list.len() > *most) {
            None => Ok(()),
            Some((name, list, most)) => Err(format!(
                "piece of a recording: {name}: expected at most {most} for {stream_bytes} bytes of updates, found {}; use the \
                 same footwork on both sides",
                list.len()
            )),
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct HeadMessage {
    data: DataId,
    state_floats: usize,
    title: String,
    ground: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    machine: Option<MachineSpec>,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Piece {
    /// Returns an empty piece with a capacity for `bytes` bytes of updates in several segments. Filling it within the capacity
    /// does not allocate.
    pub fn with_capacity(bytes: usize) -> Self {
        Self {
            configs: Vec::with_capacity(8),
            parts: Vec::with_capacity(64),
            stream: Vec::with_capacity(bytes),
            ..Self::default()
        }
    }

    /// Returns the number of updates.
    pub fn updates(&self) -> u64 {
        self.parts.iter().map(|p| u64::from(p.updates)).sum()
    }

    /// Returns the number of updates that are missing between those read before and these. The recorder had dropped them, or they
    /// exceeded the available space.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// Returns true for the first piece of a recording.
    pub fn begins(&self) -> bool {
        self.head.is_some()
    }

    /// Returns the data of the recording, in its first piece.
    pub fn data(&self) -> Option<DataId> {
        self.head.as_ref().map(|head| head.data)
    }

    /// Returns the name of the ground ([`super::Trace::ground`]), in the first piece.
    pub fn ground(&self) -> Option<&str> {
        self.head.as_ref().map(|head| head.ground.as_str())
    }

    /// Clears the piece and keeps its allocations.
    pub(super) fn clear(&mut self) {
        (self.head, self.lost) = (None, 0);
        self.configs.clear();
        self.parts.clear();
        self.marks.clear();
        self.stream.clear();
    }

    /// Returns the message as bytes: the length of the JSON (u32, little endian), the JSON, the updates as recorded.
    ///
    /// # Errors
    /// Returns an error if JSON cannot represent the piece.
    pub fn to_bytes(&self) -> Result<Vec<u8>, String> {
        let head = self.head.as_ref().map(|h| HeadMessage {
            data: h.data,
            state_floats: h.block,
            title: h.title.clone(),
            ground: h.ground.clone(),
            machine: h.machine.clone(),
        });
        let message = Message {
            head,
            lost: self.lost,
            configs: self.configs.iter().map(|c| (**c).clone()).collect(),
            parts: self.parts.clone(),
            marks: self.marks.clone(),
        };
        let mut bytes = vec![0; LENGTH];
        serde_json::to_writer(&mut bytes, &message).map_err(|e| e.to_string())?;
        let length = u32::try_from(bytes.len() - LENGTH).map_err(|e| e.to_string())?;
        bytes[..LENGTH].copy_from_slice(&length.to_le_bytes());
        bytes.extend_from_slice(&self.stream);
        Ok(bytes)
    }

    /// Parses a message. The updates themselves are checked when they are appended.
    ///
    /// # Errors
    /// Returns a message about the fault.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        let cut = || format!("expected a piece of a recording, found {} bytes that end too early", bytes.len());
        let (length, rest) = bytes.split_first_chunk::<LENGTH>().ok_or_else(cut)?;
        let (json, stream) = rest.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or_else(cut)?;
        let invalid = |e: serde_json::Error| format!("piece of a recording: {}", cut_quotes(&e.to_string()));
        serde_json::from_slice::<Counts>(json).map_err(invalid)?.check(stream.len())?;
        let m: Message = serde_json::from_slice(json).map_err(invalid)?;
        let bytes: u64 = m.parts.iter().map(|p| u64::from(p.bytes)).sum();
        if bytes != stream.len() as u64 {
            return Err(format!("piece of a recording: expected {bytes} bytes of updates, found {}", stream.len()));
        }
        let head = |h: HeadMessage| Head {
            data: h.data,
            block: h.state_floats,
            title: h.title,
            ground: h.ground,
            machine: h.machine,
        };
        Ok(Self {
            head: m.head.map(head),
            lost: m.lost,
            configs: m.configs.into_iter().map(Arc::new).collect(),
            parts: m.parts,
            marks: m.marks,
            stream: stream.to_vec(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_has_no_more_settings_parts_and_marks_than_its_updates_justify() {
        let message = |json: String, stream: usize| {
            let bytes = [&(json.len() as u32).to_le_bytes()[..], json.as_bytes(), &vec![0; stream]].concat();
            Piece::from_bytes(&bytes).map(|_| ())
        };
        let list = |element: &str, count: usize| vec![element; count].join(",");
        let part = r#"{"begins":null,"bytes":0,"updates":0}"#;
        let parts = |count: usize| format!(r#"{{"parts":[{}]}}"#, list(part, count));
        let with = |key: &str, element: &str, count: usize, bytes: usize| {
            format!(r#"{{"parts":[{{"begins":null,"bytes":{bytes},"updates":1}}],"{key}":[{}]}}"#, list(element, count))
        };
        assert_eq!(message(with("configs", "{}", 1, 100), 100), Ok(()));
        assert_eq!(message(with("configs", "{}", 3, 2 * LEAST_SEGMENT), 2 * LEAST_SEGMENT), Ok(()));
        let why = message(with("configs", "{}", 4, 2 * LEAST_SEGMENT), 2 * LEAST_SEGMENT).unwrap_err();
        assert!(why.contains("configs: expected at most 3 for 1024 bytes of updates, found 4"), "{why}");
        assert_eq!(message(with("marks", r#"[0,"a"]"#, 5, 4), 4), Ok(()));
        assert!(message(with("marks", r#"[0,"a"]"#, 6, 4), 4).unwrap_err().contains("marks: expected at most 5"));
        assert_eq!(message(parts(1), 0), Ok(()));
        assert!(message(parts(2), 0).unwrap_err().contains("parts: expected at most 1"));
    }
}
