//! A chooser: which clips, tags and weights a character plays, by conditions on variables of the game.
//!
//! A state machine chooses within one database. A chooser chooses among characters, each with a database, settings and a machine of
//! its own: healthy or injured, on foot or with a shield. The first row whose condition holds is taken, and the character goes on
//! from the pose that is shown ([`MotionMatcher::switch_to`]).

use crate::error::unknown;
use crate::expression::{Comparison, Expression, Term};
use crate::input::InputError;
use crate::machine::{Machine, MachineError, MachineSpec, StateSpec, Variables};
use crate::matcher::{Character, MotionMatcher};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a chooser is made from: plain data, as a TOML file holds it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ChooserSpec {
    /// What the game sets, and its value where the game sets nothing.
    pub variables: BTreeMap<String, f32>,
    /// Files of the characters, by name, for tools. A game may load its characters in its own way: [`Chooser::new`] takes them made.
    pub characters: BTreeMap<String, CharacterFiles>,
    /// Rows; the first whose condition holds is taken. Where none does, what plays goes on.
    pub rows: Vec<ChooserRow>,
}

/// The files of a character. Paths are relative to the folder of the chooser's file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CharacterFiles {
    /// Database (`.fwdb`); none: the tool's own data.
    pub db: Option<String>,
    /// State machine (TOML); none: motion matching alone.
    pub machine: Option<String>,
    /// Configuration (TOML) whose matcher settings apply; none: the defaults.
    pub config: Option<String>,
}

/// A row of a chooser.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ChooserRow {
    /// Condition over the variables, such as `injured & speed > 2`; none: always.
    pub when: Option<String>,
    /// The character, by the name that the game gave it.
    pub character: String,
    /// Only rows of its database that this tag query accepts. Not for characters with a state machine, whose states say that.
    #[serde(rename = "match")]
    pub matching: Option<String>,
    /// Factors on the cost of channels, over those of the character's settings. Not for characters with a state machine.
    pub channel_cost: BTreeMap<String, f32>,
}

/// A chooser, resolved for the characters of a game. Immutable; shared by any number of characters.
#[derive(Clone, Debug)]
pub struct Chooser {
    conditions: ChooserConditions,
    /// `[rows]`.
    characters: Vec<Arc<Character>>,
}

/// The conditions of a chooser alone, for those who keep characters themselves.
#[derive(Clone, Debug)]
pub struct ChooserConditions {
    variables: Variables,
    /// `[rows]`; `None`: always.
    rows: Vec<Option<Expression<(usize, Comparison, f32)>>>,
}

impl ChooserConditions {
    /// Reads the conditions of rows, in order, over variables with their values where the game sets nothing.
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

    /// Values of the variables as they are where the game sets nothing.
    pub fn variables(&self) -> Variables {
        self.variables.clone()
    }

    /// The first row that holds, by its place; `None` where none does. Allocates nothing.
    pub fn choose(&self, variables: &Variables) -> Option<usize> {
        let value = |place: usize| variables.values().get(place).copied().unwrap_or(0.0);
        let holds = |row: &Option<Expression<(usize, Comparison, f32)>>| {
            row.as_ref().is_none_or(|when| when.holds(|(place, is, number)| is.holds(value(*place), *number)))
        };
        self.rows.iter().position(holds)
    }
}

impl Chooser {
    /// Resolves a specification for characters by name, all of one skeleton.
    ///
    /// # Errors
    /// Returns [`MachineError`] for the first part that cannot be: an unknown name with the nearest one, a malformed condition or
    /// query with the place of the fault.
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

    /// Values of the variables as the specification gives them; to be changed and passed to [`Chooser::apply`].
    pub fn variables(&self) -> Variables {
        self.conditions.variables()
    }

    /// The character of each row, in order.
    pub fn characters(&self) -> impl Iterator<Item = &Arc<Character>> {
        self.characters.iter()
    }

    /// The character of the first row that holds; `None` where none does. Allocates nothing.
    pub fn choose(&self, variables: &Variables) -> Option<&Arc<Character>> {
        self.choose_row(variables).map(|row| &self.characters[row])
    }

    /// The first row that holds, by its place; `None` where none does. Allocates nothing.
    pub fn choose_row(&self, variables: &Variables) -> Option<usize> {
        self.conditions.choose(variables)
    }

    /// Makes a character one of the first row that holds, from the pose that it shows. True where it changed; allocates only then.
    /// Time begins anew then; the state machine goes on by names ([`MotionMatcher::switch_to`]). Values for the variables of the new
    /// machine are the game's to give: [`Variables::take_over`] finds those of the same names.
    ///
    /// # Errors
    /// Returns [`InputError::OtherSkeleton`] if the skeletons differ; the character is as it was.
    pub fn apply(&self, matcher: &mut MotionMatcher, variables: &Variables) -> Result<bool, InputError> {
        let Some(chosen) = self.choose(variables).filter(|chosen| !Arc::ptr_eq(chosen, matcher.character())) else {
            return Ok(false);
        };
        matcher.switch_to(chosen.clone())?;
        Ok(true)
    }
}

impl ChooserRow {
    /// The character with the row's tags and weights: motion matching as the one state of a machine.
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
