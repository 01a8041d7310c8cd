//! XML elements with the file and line that errors name. Included files are inserted in place.

use crate::error::RobotError;
use footwork::advanced::files::read_text_at_most;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Maximum size of a file, in bytes. Models with all their defaults have some hundred kilobytes.
const MOST_BYTES: u64 = 32 << 20;
/// Maximum number of nested elements.
const DEEPEST: usize = 256;

/// An element of a model.
#[derive(Debug)]
pub struct Element {
    pub name: String,
    pub attributes: Vec<(String, String)>,
    pub children: Vec<Self>,
    file: Arc<str>,
    line: u32,
}

impl Element {
    /// Returns an attribute as written.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.attributes.iter().find(|(k, _)| k == key).map(|(_, v)| v.as_str())
    }

    /// Returns an error at this element.
    pub fn error(&self, what: impl Into<String>) -> RobotError {
        RobotError::Model { file: self.file.to_string(), line: self.line, what: what.into() }
    }
}

/// Files of a model while it is read.
struct Files {
    /// Folder of the model, to which included files are relative; `None` for a text without a file.
    folder: Option<PathBuf>,
    included: Vec<PathBuf>,
}

/// Reads a model's file with all files that it includes.
pub fn load(path: &Path) -> Result<Element, RobotError> {
    let folder = Some(path.parent().unwrap_or(Path::new("")).to_owned());
    let text = read(path)?;
    tree(&text, &path.display().to_string(), &mut Files { folder, included: vec![path.to_owned()] })
}

/// Parses a text that includes no files; `name` stands for the file in errors.
pub fn parse(text: &str, name: &str) -> Result<Element, RobotError> {
    tree(text, name, &mut Files { folder: None, included: Vec::new() })
}

fn read(path: &Path) -> Result<String, RobotError> {
    let file = path.display().to_string();
    read_text_at_most(path, MOST_BYTES).map_err(|e| RobotError::Read { file, what: format!("cannot be read: {e}") })
}

fn tree(text: &str, name: &str, files: &mut Files) -> Result<Element, RobotError> {
    let document = roxmltree::Document::parse(text).map_err(|e| RobotError::Model {
        file: name.to_owned(),
        line: e.pos().row,
        what: format!("invalid XML: {e}; export the model again, or correct the line"),
    })?;
    let file: Arc<str> = name.into();
    element(&document, document.root_element(), &file, files, 0)
}

fn element(
    document: &roxmltree::Document,
    node: roxmltree::Node,
    file: &Arc<str>,
    files: &mut Files,
    depth: usize,
) -> Result<Element, RobotError> {
    let line = document.text_pos_at(node.range().start).row;
    let mut found = Element {
        name: node.tag_name().name().to_owned(),
        attributes: node.attributes().map(|a| (a.name().to_owned(), a.value().to_owned())).collect(),
        children: Vec::new(),
        file: file.clone(),
        line,
    };
    if depth > DEEPEST {
        return Err(found.error(format!("expected at most {DEEPEST} nested elements")));
    }
    for child in node.children().filter(roxmltree::Node::is_element) {
        let child = element(document, child, file, files, depth + 1)?;
        if child.name == "include" {
            found.children.extend(include(&child, files)?);
        } else {
            found.children.push(child);
        }
    }
    Ok(found)
}

/// Returns the elements of an included file. Its outermost element only holds them together.
fn include(at: &Element, files: &mut Files) -> Result<Vec<Element>, RobotError> {
    let Some(named) = at.get("file") else {
        return Err(at.error("`include`: expected an attribute `file`, found none; name the file to include"));
    };
    let Some(folder) = &files.folder else {
        return Err(at.error(format!("`include`: expected a model in one text, found a reference to `{named}`")));
    };
    let path = folder.join(named);
    // MuJoCo rejects a second inclusion as well; it would never end in a circle.
    if files.included.contains(&path) {
        return Err(at.error(format!("`include`: `{named}` is included twice; remove one of the two")));
    }
    files.included.push(path.clone());
    let text = read(&path).map_err(|e| at.error(format!("`include`: {e}")))?;
    Ok(tree(&text, &path.display().to_string(), files)?.children)
}
