//! Messages between a game and the studio.
//!
//! ```text
//! studio -> game  text    {"footwork_stream":1, "ask":0, "follow":null}             greeting; later: which character to send
//! game -> studio  text    {"footwork_stream":1, "game":"..", "characters":[..]}     greeting; again where characters have changed
//! game -> studio  binary  number of the ask (u32, little endian), piece of the recording
//! ```

use footwork::advanced::error::cut_quotes;
use footwork::advanced::recorder::{DataId, Piece};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Default address of the studio: this machine only.
pub const ADDRESS: &str = "127.0.0.1:7475";
/// Version of the messages.
pub const VERSION: u32 = 1;
/// Maximum bytes of a message.
pub(crate) const MOST_MESSAGE: usize = 16 << 20;
/// Maximum number of characters of a game.
pub(crate) const MOST_CHARACTERS: usize = 4096;
pub(crate) const MOST_NAME: usize = 256;
/// Maximum bytes of a text: a greeting with the maximum number of characters and every byte of their names escaped.
const MOST_TEXT: usize = MOST_CHARACTERS * (6 * MOST_NAME + 256);

/// Character that a game offers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Character {
    /// Name in the game.
    pub name: String,
    /// Identifier of the character's data; the studio needs the same data.
    pub data: DataId,
}

/// Greeting of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hello {
    pub(crate) footwork_stream: u32,
    /// Name of the game.
    pub game: String,
    /// Characters, sorted by name.
    pub characters: Vec<Character>,
}

/// Request of a studio.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Follow {
    pub footwork_stream: u32,
    /// Number of the request; a piece carries the number of the request that it answers.
    pub ask: u32,
    /// Character to send, or none to stop.
    pub follow: Option<String>,
}

/// Version of a text; other fields are ignored.
#[derive(Deserialize)]
struct Version {
    #[serde(default)]
    footwork_stream: Option<u64>,
}

/// Parses a text of this version. The error is a message that names the other side's version.
pub(crate) fn read<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    if text.len() > MOST_TEXT {
        return Err(format!("message: expected a text of at most {MOST_TEXT} bytes, found {}", text.len()));
    }
    let other = |e: &serde_json::Error| {
        let (what, at) =
            (if e.is_data() { "JSON of something else" } else { "other text" }, cut_quotes(&e.to_string()));
        format!("expected a message of footwork, found {what} ({at})")
    };
    let version: Version = serde_json::from_str(text).map_err(|e| other(&e))?;
    match version.footwork_stream {
        Some(found) if found == u64::from(VERSION) => {}
        Some(found) => {
            return Err(format!(
                "version {found} of the stream: expected {VERSION}; use the same footwork on both sides"
            ));
        }
        None => return Err("expected a message of footwork, found JSON of something else".to_owned()),
    }
    serde_json::from_str(text).map_err(|e| format!("a message of footwork: {}", cut_quotes(&e.to_string())))
}

pub(crate) fn text(message: &impl Serialize) -> String {
    // Names, numbers and hashes can always be written as JSON.
    serde_json::to_string(message).unwrap_or_default()
}

impl Hello {
    /// # Errors
    /// Returns a message if there are too many characters, or a name is too long.
    pub(crate) fn check(&self) -> Result<(), String> {
        let names = self.characters.iter().map(|c| &c.name).chain([&self.game]);
        if self.characters.len() > MOST_CHARACTERS || names.into_iter().any(|name| name.len() > MOST_NAME) {
            return Err(format!("expected at most {MOST_CHARACTERS} characters with names of {MOST_NAME} bytes"));
        }
        Ok(())
    }
}

pub(crate) fn put_piece(ask: u32, piece: &Piece) -> Result<Vec<u8>, String> {
    let mut bytes = piece.to_bytes()?;
    bytes.splice(0..0, ask.to_le_bytes());
    Ok(bytes)
}

pub(crate) fn take_piece(bytes: &[u8]) -> Result<(u32, Piece), String> {
    let (ask, piece) =
        bytes.split_first_chunk().ok_or("expected a piece of a recording, found less than its header")?;
    Ok((u32::from_le_bytes(*ask), Piece::from_bytes(piece)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_versions_and_other_text_are_told_apart() {
        let hello = |text: &str| read::<Hello>(text).unwrap_err();
        assert!(hello(r#"{"footwork_stream":9,"new":true}"#).contains("version 9"), "the version comes first");
        assert!(hello(r#"{"jsonrpc":"2.0"}"#).contains("something else"));
        assert!(hello("GET /").contains("other text"));
        assert!(hello(r#"{"footwork_stream":1,"game":"a"}"#).contains("characters"));
        let ours = Follow { footwork_stream: VERSION, ask: 3, follow: Some("hero".into()) };
        assert_eq!(read::<Follow>(&text(&ours)), Ok(ours));
    }
}
