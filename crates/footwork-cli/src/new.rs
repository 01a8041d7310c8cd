//! `footwork new`: creates a game project with a character.

use crate::args::{Common, NewArgs};
use crate::{clips, output};
use anyhow::{Context, Result, bail};
use footwork::database::Database;
use footwork_import::glb::{self, GlbOptions};
use serde_json::json;
use std::path::{Path, PathBuf};

const MAIN: &str = include_str!("../templates/bevy/main.rs");
const README: &str = include_str!("../templates/bevy/README.md");
/// Version of Bevy that the plugin requires.
const BEVY: &str = "0.19.1";

/// Runs the command.
pub fn new(args: &NewArgs, common: &Common) -> Result<()> {
    let folder = &args.path;
    let shown = folder.display();
    let name = package_name(folder)?;
    if folder.exists() && (!folder.is_dir() || folder.read_dir().is_ok_and(|mut entries| entries.next().is_some())) {
        bail!("{shown}: expected no file or folder, or an empty one, found another: name another folder");
    }
    let (db, _) = common.open()?;
    let model = model(args, &db)?;
    let manifest = manifest(&name, plugin_here().as_deref());
    let make = |path: &Path| {
        std::fs::create_dir_all(path).with_context(|| format!("cannot make the folder {}", path.display()))
    };
    make(&folder.join("src"))?;
    make(&folder.join("assets"))?;
    output::text(&folder.join("Cargo.toml"), &manifest)?;
    output::text(&folder.join(".gitignore"), "/target\n")?;
    output::text(&folder.join("README.md"), &README.replace("NAME", &name))?;
    output::text(&folder.join("src/main.rs"), MAIN)?;
    output::bytes(&folder.join("assets/hero.glb"), &model)?;
    let database = folder.join("assets/hero.fwdb");
    db.save(&database).with_context(|| format!("cannot write {}", database.display()))?;
    if common.json {
        out!("{}", json!({ "output": folder, "name": name, "clips": db.clips.len() }));
    } else {
        out!("{shown}: a game with {} clips; next: cd {shown} && cargo run --release", db.clips.len());
    }
    Ok(())
}

/// Returns the name of the folder, if Cargo accepts it as the name of a package.
fn package_name(folder: &Path) -> Result<String> {
    let name = std::path::absolute(folder).ok().and_then(|path| Some(path.file_name()?.to_str()?.to_owned()));
    let fits = |name: &String| {
        name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
    };
    name.filter(fits).with_context(|| {
        format!("{}: expected a name of letters, digits, `-` and `_` that begins with a letter", folder.display())
    })
}

/// Returns the given model, or a mannequin with the skeleton of the clips.
fn model(args: &NewArgs, db: &Database) -> Result<Vec<u8>> {
    match &args.model {
        Some(path) => clips::read_model(path).context("--model"),
        None => {
            let mut bytes = Vec::new();
            glb::write(&db.skeleton, &[], &GlbOptions::default(), &mut bytes).context("the mannequin")?;
            Ok(bytes)
        }
    }
}

/// Returns the folder of the plugin in the sources from which this command was built, if it still exists.
fn plugin_here() -> Option<PathBuf> {
    let plugin = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bindings/bevy").canonicalize().ok()?;
    plugin.join("Cargo.toml").is_file().then_some(plugin)
}

fn manifest(name: &str, plugin: Option<&Path>) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let plugin = match plugin {
        Some(path) => format!("{{ path = {} }}", toml::Value::from(path.display().to_string())),
        None => format!("\"{version}\""),
    };
    format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
         [dependencies]\nbevy = \"{BEVY}\"\nbevy_footwork = {plugin}\n\n\
         # Without optimisation, a frame of Bevy takes too long.\n[profile.dev]\nopt-level = 1\n\n\
         [profile.dev.package.\"*\"]\nopt-level = 3\n\n\
         # This project is no part of a workspace around it.\n[workspace]\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_cargo_takes() {
        assert_eq!(package_name(Path::new("games/my-game_2")).unwrap(), "my-game_2");
        for wrong in ["2nd", "my game", "-x", "spiel.rs"] {
            assert!(package_name(Path::new(wrong)).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_plugin_is_that_of_these_sources_or_the_published_one() {
        let text = manifest("game", Some(Path::new("a \"b\"/bevy")));
        let table: toml::Table = text.parse().unwrap();
        assert_eq!(table["dependencies"]["bevy_footwork"]["path"].as_str(), Some("a \"b\"/bevy"));
        let table: toml::Table = manifest("game", None).parse().unwrap();
        assert_eq!(table["dependencies"]["bevy_footwork"].as_str(), Some(env!("CARGO_PKG_VERSION")));
        assert_eq!(table["dependencies"]["bevy"].as_str(), Some(BEVY));
    }
}
