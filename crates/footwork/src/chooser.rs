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
    /// Rows; the first whose condition holds is taken. Where none does, what plays goes on.
    pub rows: Vec<ChooserRow>,
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
    variables: Variables,
    rows: Vec<Row>,
}

#[derive(Clone, Debug)]
struct Row {
    when: Option<Expression<(usize, Comparison, f32)>>,
    character: Arc<Character>,
}

impl Chooser {
    /// Resolves a specification for characters by name, all of one skeleton.
    ///
    /// # Errors
    /// Returns [`MachineError`] for the first part that cannot be: an unknown name with the nearest one, a malformed condition or
    /// query with the place of the fault.
    pub fn new(spec: &ChooserSpec, characters: &BTreeMap<String, Arc<Character>>) -> Result<Self, MachineError> {
        let names: Vec<String> = spec.variables.keys().cloned().collect();
        let defaults: Vec<f32> = spec.variables.values().copied().collect();
        let row = |(i, row): (usize, &ChooserRow)| {
            let at = format!("rows[{i}]");
            let resolve = |term: &Term| {
                let (comparison, number) = term.comparison.unwrap_or((Comparison::Greater, 0.5));
                let place = names.iter().position(|n| *n == term.name);
                let place = place.ok_or_else(|| unknown("variable", &term.name, names.iter().map(String::as_str)))?;
                Ok((place, comparison, number))
            };
            let when = row.when.as_ref().map(|text| Expression::parse(text, resolve)).transpose();
            let when = when.map_err(|e| MachineError::expression(format!("{at}.when"), &e))?;
            let known = || characters.keys().map(String::as_str);
            let unknown = || MachineError::unknown(format!("{at}.character"), "character", &row.character, known());
            let character = characters.get(&row.character).ok_or_else(unknown)?;
            Ok(Row { when, character: row.refine(&at, character)? })
        };
        let rows = spec.rows.iter().enumerate().map(row).collect::<Result<_, _>>()?;
        Ok(Self { variables: Variables::new(&names, &defaults), rows })
    }

    /// Values of the variables as the specification gives them; to be changed and passed to [`Chooser::apply`].
    pub fn variables(&self) -> Variables {
        self.variables.clone()
    }

    /// The character of the first row that holds; `None` where none does. Allocates nothing.
    pub fn choose(&self, variables: &Variables) -> Option<&Arc<Character>> {
        let value = |place: usize| variables.values().get(place).copied().unwrap_or(0.0);
        let holds = |row: &&Row| {
            row.when.as_ref().is_none_or(|when| when.holds(|(place, is, number)| is.holds(value(*place), *number)))
        };
        self.rows.iter().find(holds).map(|row| &row.character)
    }

    /// Makes a character one of the first row that holds, from the pose that it shows. True where it changed; allocates only then.
    /// The state's time begins anew then.
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
