//! Choosers, which select the clips, tags and weights of a character by conditions on variables of the game.
//!
//! A state machine selects within one database. A chooser selects among characters, each with its own database, settings and
//! machine: healthy or injured, on foot or with a shield. The first row whose condition is true is taken, and the character
//! continues from the shown pose ([`MotionMatcher::switch_to`]).

use crate::error::unknown;
use crate::expression::{Comparison, Expression, Term};
use crate::input::InputError;
use crate::machine::{Machine, MachineError, MachineSpec, StateSpec, Variables};
use crate::matcher::{Character, MotionMatcher};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Specification of a chooser: plain data, stored as TOML.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ChooserSpec {
    /// Variables that the game sets, with their default values.
    pub variables: BTreeMap<String, f32>,
    /// Files of the characters, by name, for tools. A game may load its characters differently: [`Chooser::new`] takes loaded
    /// characters.
    pub characters: BTreeMap<String, CharacterFiles>,
    /// Rows. The first row whose condition is true is taken; if there is none, the current character remains.
    pub rows: Vec<ChooserRow>,
}

/// The files of a character. Paths are relative to the folder of the chooser's file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CharacterFiles {
    /// Database (`.fwdb`). Default: the tool's own data.
    pub db: Option<String>,
    /// State machine (TOML). Default: motion matching only.
    pub machine: Option<String>,
    /// Configuration (TOML) whose matcher settings apply. Default: the default settings.
    pub config: Option<String>,
}

/// A row of a chooser.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ChooserRow {
    /// Condition over the variables, such as `injured & speed > 2`. Default: always true.
    pub when: Option<String>,
    /// Name of the character, as the game gave it.
    pub character: String,
    /// Tag query that limits the rows of the character's database. Not allowed for a character with a state machine, whose states
    /// have their own queries.
    #[serde(rename = "match")]
    pub matching: Option<String>,
    /// Factors on the channel costs of the character's settings. Not allowed for a character with a state machine.
    pub channel_cost: BTreeMap<String, f32>,
}

/// A chooser, resolved for the characters of a game. Immutable; shared by any number of characters.
#[derive(Clone, Debug)]
pub struct Chooser {
    conditions: ChooserConditions,
    /// `[rows]`.
    characters: Vec<Arc<Character>>,
}

/// The conditions of a chooser without its characters, for programs that manage characters themselves.
#[derive(Clone, Debug)]
pub struct ChooserConditions {
    variables: Variables,
    /// `[rows]`; `None`: always true.
    rows: Vec<Option<Expression<(usize, Comparison, f32)>>>,
}

impl ChooserConditions {
    /// Parses the conditions of rows, in order. `variables` are the names with their default values.
    ///
    /// # Errors
    /// Returns [`MachineError`] for the first unknown name, with the nearest one, and for a malformed condition.
    pub fn new<'a>(
        variables: &BTreeMap<String, f32>,
        rows: impl IntoIterator<Item = Option<&'a str>>,
    ) -> Result<Self, MachineError> {
        let names: Vec<String> = variables.keys().cloned().collect();
        let defaults: Vec<f32> = variables.values().copied().collect();
        let resolve = |term: &Term| {
            let (comparison, number) = term.comparison.unwrap_or((Comparison::Greater, 0.5));
            let place = names.iter().position(|n| *n == term.name);
            let place = place.ok_or_else(|| unknown("variable", &term.name, names.iter().map(String::as_str)))?;
            Ok((place, comparison, number))
        };
        let row = |(i, when): (usize, Option<&str>)| {
            let when = when.map(|text| Expression::parse(text, resolve)).transpose();
            when.map_err(|e| MachineError::expression(format!("rows[{i}].when"), &e))
        };
        let rows = rows.into_iter().enumerate().map(row).collect::<Result<_, _>>()?;
        Ok(Self { variables: Variables::new(&names, &defaults), rows })
    }

    /// Returns the default values of the variables.
    pub fn variables(&self) -> Variables {
        self.variables.clone()
    }

    /// Returns the index of the first row whose condition is true; `None` if there is none. Allocates nothing.
    pub fn choose(&self, variables: &Variables) -> Option<usize> {
        let value = |place: usize| variables.values().get(place).copied().unwrap_or(0.0);
        let holds = |row: &Option<Expression<(usize, Comparison, f32)>>| {
            row.as_ref().is_none_or(|when| when.holds(|(place, is, number)| is.holds(value(*place), *number)))
        };
        self.rows.iter().position(holds)
    }
}

impl Chooser {
    /// Resolves a specification for characters by name. All must have the same skeleton.
    ///
    /// # Errors
    /// Returns [`MachineError`] for the first invalid part: an unknown name (with the nearest known one), or a malformed
    /// condition or query (with the position of the fault).
    pub fn new(spec: &ChooserSpec, characters: &BTreeMap<String, Arc<Character>>) -> Result<Self, MachineError> {
        let conditions = ChooserConditions::new(&spec.variables, spec.rows.iter().map(|row| row.when.as_deref()))?;
        let character = |(i, row): (usize, &ChooserRow)| {
            let at = format!("rows[{i}]");
            let known = || characters.keys().map(String::as_str);
            let unknown = || MachineError::unknown(format!("{at}.character"), "character", &row.character, known());
            row.refine(&at, characters.get(&row.character).ok_or_else(unknown)?)
        };
        let characters = spec.rows.iter().enumerate().map(character).collect::<Result<_, _>>()?;
        Ok(Self { conditions, characters })
    }

    /// Returns the default values of the variables. Change them and pass them to [`Chooser::apply`].
    pub fn variables(&self) -> Variables {
        self.conditions.variables()
    }

    /// Returns the character of each row, in order.
    pub fn characters(&self) -> impl Iterator<Item = &Arc<Character>> {
        self.characters.iter()
    }

    /// Returns the character of the first row whose condition is true; `None` if there is none. Allocates nothing.
    pub fn choose(&self, variables: &Variables) -> Option<&Arc<Character>> {
        self.choose_row(variables).map(|row| &self.characters[row])
    }

    /// Returns the index of the first row whose condition is true; `None` if there is none. Allocates nothing.
    pub fn choose_row(&self, variables: &Variables) -> Option<usize> {
        self.conditions.choose(variables)
    }

    /// Switches a character to the first row whose condition is true, from the pose that it shows. Returns true if the character
    /// changed, and allocates only then. Its time then restarts, and the state machine continues by names
    /// ([`MotionMatcher::switch_to`]). The game must provide values for the variables of the new machine;
    /// [`Variables::take_over`] copies those with the same names.
    ///
    /// # Errors
    /// Returns [`InputError::OtherSkeleton`] if the skeletons differ; the character is then unchanged.
    pub fn apply(&self, matcher: &mut MotionMatcher, variables: &Variables) -> Result<bool, InputError> {
        let Some(chosen) = self.choose(variables).filter(|chosen| !Arc::ptr_eq(chosen, matcher.character())) else {
            return Ok(false);
        };
        matcher.switch_to(chosen.clone())?;
        Ok(true)
    }
}

impl ChooserRow {
    /// Returns the character with the row's tags and weights. Motion matching becomes the only state of a machine.
    fn refine(&self, at: &str, character: &Arc<Character>) -> Result<Arc<Character>, MachineError> {
        if self.matching.is_none() && self.channel_cost.is_empty() {
            return Ok(character.clone());
        }
        let (Some(db), None) = (character.database(), character.machine()) else {
            let what = "`match` and `channel_cost` are for characters of clips without a state machine";
            return Err(MachineError::new(at, what));
        };
        let state = StateSpec {
            name: "chosen".into(),
            matching: Some(self.matching.clone().unwrap_or_default()),
            channel_cost: self.channel_cost.clone(),
            ..StateSpec::default()
        };
        let spec = MachineSpec { states: vec![state], ..MachineSpec::default() };
        let machine =
            Machine::new(db.clone(), spec).map_err(|e| MachineError::new(format!("{at}: {}", e.at), e.what))?;
        Ok(Arc::new(character.with_machine(Some(Arc::new(machine)))?))
    }
}
