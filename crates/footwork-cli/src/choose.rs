//! `footwork simulate --chooser`: selects characters by conditions.

use crate::args::Common;
use crate::cast::Cast;
use anyhow::{Context, Result, bail};
use footwork::chooser::{Chooser, ChooserSpec};
use footwork::machine::Variables;
use footwork::matcher::{Character, MotionMatcher};
use footwork_import::load_chooser;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A running chooser, and the characters that it chose.
#[derive(Debug)]
pub struct Choosing {
    chooser: Chooser,
    spec: ChooserSpec,
    /// Values of the chooser's variables.
    pub variables: Variables,
    /// Chosen characters, in order of time.
    pub chosen: Vec<Chosen>,
    row: Option<usize>,
}

/// A time span in which one character was active.
#[derive(Clone, Debug, Serialize)]
pub struct Chosen {
    /// Name of the character.
    pub character: String,
    /// Condition of its row; `None`: always true.
    pub when: Option<String>,
    /// Time of the run at which it was chosen.
    pub from_s: f64,
}

impl Choosing {
    /// Opens a chooser and its characters; the cast is that of the first row whose condition is true at the start.
    pub fn open(file: &Path, common: &Common) -> Result<(Self, Cast)> {
        if common.db.is_some() || common.config.is_some() || common.learned.is_some() {
            bail!("--chooser {}: it names its data itself; leave out --db, --config and --learned", file.display());
        }
        let spec = load_chooser(file)?;
        let folder = file.parent().unwrap_or(Path::new(""));
        let path = |name: &Option<String>| name.as_ref().map(|name| folder.join(name));
        let mut casts = BTreeMap::new();
        for (name, files) in &spec.characters {
            let common = Common { db: path(&files.db), config: path(&files.config), ..common.clone() };
            let machine: Option<PathBuf> = path(&files.machine);
            let cast = Cast::open(&common).and_then(|cast| cast.run_by(machine.as_deref()));
            casts.insert(name.clone(), cast.with_context(|| format!("{}: characters.{name}", file.display()))?);
        }
        let characters: BTreeMap<String, Arc<Character>> =
            casts.iter().map(|(name, cast)| (name.clone(), Arc::clone(&cast.character))).collect();
        let chooser = Chooser::new(&spec, &characters).with_context(|| file.display().to_string())?;
        let variables = chooser.variables();
        let Some(row) = chooser.choose_row(&variables) else {
            bail!("{}: no row holds at the start; add a last row without `when`", file.display());
        };
        let first = casts.remove(&spec.rows[row].character).context("a row without its character")?;
        // A row may restrict its character's tags.
        let character = chooser.choose(&variables).map_or(first.character.clone(), Arc::clone);
        let chosen = Vec::new();
        Ok((Self { chooser, spec, variables, chosen, row: None }, Cast { character, ..first }))
    }

    /// Returns the variables and triggers of the chooser and of all its characters' machines.
    pub fn known(&self) -> Vec<Variables> {
        let machines = self.chooser.characters().filter_map(|c| Some(c.machine()?.variables()));
        [self.variables.clone()].into_iter().chain(machines).collect()
    }

    /// Switches to the character whose condition is true; `machine` becomes the values of its machine.
    pub fn apply(&mut self, matcher: &mut MotionMatcher, machine: &mut Variables, now_s: f64) -> Result<()> {
        let row = self.chooser.choose_row(&self.variables).or(self.row);
        if self.chooser.apply(matcher, &self.variables)? || self.row.is_none() {
            let before = std::mem::take(machine);
            *machine = matcher.character().machine().map(|m| m.variables()).unwrap_or_default();
            machine.take_over(&self.variables);
            machine.take_over(&before);
        }
        if row != self.row
            && let Some(row) = row.map(|row| &self.spec.rows[row])
        {
            let (character, when) = (row.character.clone(), row.when.clone());
            self.chosen.push(Chosen { character, when, from_s: now_s });
        }
        self.row = row;
        Ok(())
    }
}
