//! Reads the joint tree: from `HIERARCHY` to the last brace.

use super::error::{BvhProblem as P, Fault, quote};
use super::lexer::{Lexer, Piece, line_of};
use super::number::{self, Reject};
use super::{BvhJoint, Channel};
use footwork::skeleton::Skeleton;
use glam::Vec3;
use std::collections::HashMap;

/// A joint whose brace is not closed yet.
struct Open {
    joint: usize,
    at: usize,
    has_offset: bool,
    has_channels: bool,
}

struct Tree<'a, 'b> {
    lexer: &'b mut Lexer<'a>,
    joints: Vec<BvhJoint>,
    open: Vec<Open>,
    /// Byte offset of each joint name.
    seen: HashMap<String, usize>,
}

/// Reads the tree and leaves the lexer after the root's closing brace.
pub(super) fn read(lexer: &mut Lexer<'_>) -> Result<Vec<BvhJoint>, Fault> {
    expect_hierarchy(lexer)?;
    let Some(root) = lexer.word() else { return Err(truncated(lexer, "`ROOT <name>`")) };
    if !root.is("ROOT") {
        return Err(Fault::new(root.at, P::NoJoints { found: quote(root.text) }));
    }
    // An explicit stack: depth is bounded by the joint limit, not by the thread's stack.
    let mut tree = Tree { lexer, joints: Vec::new(), open: Vec::new(), seen: HashMap::new() };
    tree.begin_joint(root)?;
    while !tree.open.is_empty() {
        tree.statement()?;
    }
    Ok(tree.joints)
}

fn expect_hierarchy(lexer: &mut Lexer<'_>) -> Result<(), Fault> {
    let Some(word) = lexer.word() else { return Err(Fault::new(0, P::Empty)) };
    if word.is("HIERARCHY") {
        return Ok(());
    }
    // The file ends within its first word.
    if lexer.at == lexer.bytes.len() && "HIERARCHY".as_bytes().starts_with(word.text) {
        return Err(truncated(lexer, "`HIERARCHY`"));
    }
    Err(Fault::new(word.at, P::NoHierarchy { found: quote(word.text) }))
}

fn truncated(lexer: &Lexer<'_>, expected: &str) -> Fault {
    Fault::new(lexer.bytes.trim_ascii_end().len(), P::Truncated { expected: expected.to_owned() })
}

impl Tree<'_, '_> {
    /// Reads one statement within the innermost open joint.
    fn statement(&mut self) -> Result<(), Fault> {
        let Some(word) = self.lexer.word() else {
            let end = self.lexer.bytes.trim_ascii_end().len();
            return Err(self.open_brace(end, "the end of the file".into()));
        };
        if word.is("OFFSET") {
            self.offset(word)
        } else if word.is("CHANNELS") {
            self.channels(word)
        } else if word.is("JOINT") {
            self.begin_joint(word)
        } else if word.is("End") || word.is("EndSite") {
            self.end_site()
        } else if word.is("}") {
            self.end_joint(word)
        } else if word.is("ROOT") {
            let first = self.joints[0].name.clone();
            Err(Fault::new(word.at, P::TwoRoots { first, second: quote(self.lexer.name().text) }))
        } else if word.is("MOTION") {
            Err(self.open_brace(word.at, "`MOTION`".into()))
        } else {
            let expected = "OFFSET, CHANNELS, JOINT, End Site or `}`".to_owned();
            Err(Fault::new(word.at, P::Expected { expected, found: quote(word.text) }))
        }
    }

    fn open_brace(&self, at: usize, found: String) -> Fault {
        let (joint, opened) = self.open.last().map_or((0, 0), |o| (o.joint, o.at));
        let joint = self.joints[joint].name.clone();
        Fault::new(at, P::OpenBrace { joint, opened_line: line_of(self.lexer.bytes, opened), found })
    }

    fn begin_joint(&mut self, keyword: Piece<'_>) -> Result<(), Fault> {
        let name = self.lexer.name();
        if name.text.is_empty() {
            return Err(Fault::new(keyword.at, P::NoName { keyword: quote(keyword.text) }));
        }
        if self.joints.len() == Skeleton::MAX_JOINTS {
            return Err(Fault::new(keyword.at, P::TooManyJoints));
        }
        let joint = String::from_utf8_lossy(name.text).into_owned();
        if let Some(first) = self.seen.insert(joint.clone(), keyword.at) {
            let first_line = line_of(self.lexer.bytes, first);
            return Err(Fault::new(keyword.at, P::RepeatedName { joint: quote(joint.as_bytes()), first_line }));
        }
        self.brace("{")?;
        let parent = self.open.last().map(|o| o.joint);
        let at = self.lexer.at - 1;
        self.open.push(Open { joint: self.joints.len(), at, has_offset: false, has_channels: false });
        self.joints.push(BvhJoint { name: joint, parent, offset: Vec3::ZERO, channels: Vec::new(), end_site: None });
        Ok(())
    }

    fn end_joint(&mut self, brace: Piece<'_>) -> Result<(), Fault> {
        match self.open.pop() {
            Some(o) if !o.has_offset => {
                Err(Fault::new(brace.at, P::NoOffset { joint: self.joints[o.joint].name.clone() }))
            }
            _ => Ok(()),
        }
    }

    fn brace(&mut self, brace: &str) -> Result<(), Fault> {
        let expected = format!("`{brace}`");
        match self.lexer.word() {
            Some(w) if w.is(brace) => Ok(()),
            Some(w) => Err(Fault::new(w.at, P::Expected { expected, found: quote(w.text) })),
            None => Err(truncated(self.lexer, &expected)),
        }
    }

    /// Returns the innermost open joint. `statement` only runs while there is one.
    fn current(&mut self) -> Option<(&mut Open, &mut BvhJoint)> {
        let open = self.open.last_mut()?;
        let joint = &mut self.joints[open.joint];
        Some((open, joint))
    }

    fn offset(&mut self, keyword: Piece<'_>) -> Result<(), Fault> {
        let offset = self.vector()?;
        let Some((open, joint)) = self.current() else { return Ok(()) };
        if std::mem::replace(&mut open.has_offset, true) {
            let joint = joint.name.clone();
            return Err(Fault::new(keyword.at, P::RepeatedKeyword { joint, keyword: "OFFSET" }));
        }
        joint.offset = offset;
        Ok(())
    }

    fn vector(&mut self) -> Result<Vec3, Fault> {
        let mut v = [0.0; 3];
        for component in &mut v {
            let place = || "OFFSET".to_owned();
            let Some(w) = self.lexer.word() else { return Err(truncated(self.lexer, "3 numbers after OFFSET")) };
            *component = number::word(w.text).map_err(|reject| {
                let (place, found) = (place(), quote(w.text));
                Fault::new(
                    w.at,
                    match reject {
                        Reject::NotANumber => P::NotANumber { place, found },
                        Reject::NotFinite => P::NotFinite { place, found },
                    },
                )
            })?;
        }
        Ok(Vec3::from_array(v))
    }

    fn channels(&mut self, keyword: Piece<'_>) -> Result<(), Fault> {
        let Some(count) = self.lexer.word() else { return Err(truncated(self.lexer, "the number of channels")) };
        let claimed: u64 = std::str::from_utf8(count.text).ok().and_then(|t| t.parse().ok()).ok_or_else(|| {
            let expected = "the number of channels after CHANNELS".to_owned();
            Fault::new(count.at, P::Expected { expected, found: quote(count.text) })
        })?;
        let mut list = Vec::new();
        let name = self.open.last().map_or(String::new(), |o| self.joints[o.joint].name.clone());
        // Read all channel names, whatever the count: in a valid file, a keyword or a brace follows.
        while let Some(w) = self.lexer.peek() {
            let known = Channel::ALL.into_iter().find(|c| w.is(c.name()));
            let Some(channel) = known else {
                if (list.len() as u64) < claimed && !starts_statement(w) {
                    return Err(Fault::new(w.at, P::UnknownChannel { joint: name, channel: quote(w.text) }));
                }
                break;
            };
            if matches!(channel, Channel::Position(_)) && list.contains(&channel) {
                return Err(Fault::new(w.at, P::RepeatedChannel { joint: name, channel: channel.name() }));
            }
            list.push(channel);
            self.lexer.word();
        }
        if list.len() as u64 != claimed {
            if self.lexer.peek().is_none() {
                return Err(truncated(self.lexer, &format!("{claimed} channels of joint `{name}`")));
            }
            return Err(Fault::new(keyword.at, P::ChannelCount { joint: name, claimed, found: list.len() }));
        }
        let Some((open, joint)) = self.current() else { return Ok(()) };
        if std::mem::replace(&mut open.has_channels, true) {
            return Err(Fault::new(keyword.at, P::RepeatedKeyword { joint: name, keyword: "CHANNELS" }));
        }
        joint.channels = list;
        Ok(())
    }

    fn end_site(&mut self) -> Result<(), Fault> {
        // `Site`, and any name that an exporter adds.
        self.lexer.name();
        self.brace("{")?;
        match self.lexer.word() {
            Some(w) if w.is("OFFSET") => {}
            Some(w) => {
                let expected = "OFFSET in the End Site".to_owned();
                return Err(Fault::new(w.at, P::Expected { expected, found: quote(w.text) }));
            }
            None => return Err(truncated(self.lexer, "OFFSET in the End Site")),
        }
        let offset = self.vector()?;
        if let Some((_, joint)) = self.current() {
            joint.end_site.get_or_insert(offset);
        }
        self.brace("}")
    }
}

fn starts_statement(w: Piece<'_>) -> bool {
    ["OFFSET", "CHANNELS", "JOINT", "ROOT", "End", "EndSite", "MOTION", "{", "}"].iter().any(|k| w.is(k))
}
