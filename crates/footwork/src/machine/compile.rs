//! Compilation of a specification into a machine: names are resolved, numbers are checked.

use super::blend_space::BlendSpace;
use super::body::Steer;
use super::clips::clip;
use super::condition::{Condition, Fact, Names, is_reserved, steer};
use super::layer::{Layer, mask};
use super::memory::MemoryLayout;
use super::montage::{Montage, Section, Window};
use super::spec::{LayerSpec, MachineSpec, MontageSpec, OneOrMany, StateSpec, TransitionSpec};
use super::{Machine, MachineError, Plays, State, Transition};
use crate::blend::BLENDS;
use crate::database::Database;
use crate::frames::EventId;
use crate::input::{RATES, SECONDS};
use crate::matcher::Playing;
use crate::matcher::source::events_of;
use std::ops::Range;
use std::sync::Arc;

/// Maximum number of events that conditions can read: the bits that a float can count exactly.
const MOST_WATCHED: usize = 24;
/// Minimum length of a section, in seconds.
const SHORTEST_S: f32 = 0.01;
/// Default blend-in and blend-out time of a montage, in seconds.
const BLEND_S: f32 = 0.2;

impl Machine {
    /// Resolves a specification for a database.
    ///
    /// # Errors
    /// Returns [`MachineError`] for the first invalid part: an unknown name (with the nearest known one), a number out of range,
    /// or a malformed condition (with the position of the fault).
    pub fn new(database: Arc<Database>, spec: MachineSpec) -> Result<Self, MachineError> {
        let db = &*database;
        let variables: Vec<String> = spec.variables.keys().cloned().collect();
        let triggers: Vec<String> = spec.triggers.keys().cloned().collect();
        check_variables(&spec)?;
        let montages: Vec<String> = spec.montages.iter().map(|m| m.name.clone()).collect();
        unique("montages", montages.iter())?;
        let events = event_names(db, &spec);
        let mut names = Names {
            variables: &variables,
            triggers: &triggers,
            events: &events,
            curves: &db.curve_names,
            tags: &db.tags,
            montages: &montages,
            watched: Vec::new(),
        };
        let blend_spaces = blend_spaces(db, &spec, &variables)?;
        let layers = layers(db, &spec, &variables)?;
        let mut plan = Plan { db, spec: &spec, states: Vec::new(), groups: Vec::new(), transitions: Vec::new() };
        let start = plan.part("", (&spec.states, &spec.transitions, spec.start.as_deref()), &mut names)?;
        let Plan { states, transitions, .. } = plan;
        let montages = montage_list(db, &spec, &events, &mut names)?;
        let watched: Vec<EventId> = names.watched.iter().map(|e| EventId::new(*e)).collect();
        if watched.len() > MOST_WATCHED {
            let what = format!("conditions ask for {} events: expected at most {MOST_WATCHED}", watched.len());
            return Err(MachineError::new("montages, transitions", what));
        }
        let of_montages = montages.iter().flat_map(|m| {
            let leaves = m.sections.iter().filter_map(|s| s.leave.as_ref().map(|(c, _)| c));
            leaves.chain(&m.start).chain(&m.stop)
        });
        let asks = |c: &Condition| c.facts().any(|f| matches!(f, Fact::Curve(_)));
        let asks_for_curves = transitions.iter().filter_map(|t| t.when.as_ref()).chain(of_montages).any(asks);
        let own: Vec<usize> = layers.iter().map(Layer::memory_width).collect();
        let layout = MemoryLayout::new(triggers.len(), montages.len(), &own);
        Ok(Self {
            defaults: spec.variables.values().copied().collect(),
            waits_s: spec.triggers.values().copied().collect(),
            names: variables.iter().chain(&triggers).cloned().collect(),
            db: database.clone(),
            states,
            start,
            transitions,
            blend_spaces,
            layers,
            montages,
            events,
            watched,
            asks_for_curves,
            layout,
            spec,
        })
    }
}

/// Returns a number if it is in a range; else an error that names it.
fn number(at: &str, key: &str, value: f32, range: Range<f32>) -> Result<f32, MachineError> {
    if value >= range.start && value <= range.end {
        return Ok(value);
    }
    let what = format!("`{key}` is {value}: expected {} to {}", range.start, range.end);
    Err(MachineError::new(at, what))
}

fn unique<'a>(at: &str, names: impl Iterator<Item = &'a String>) -> Result<(), MachineError> {
    let mut seen: Vec<&str> = Vec::new();
    for name in names {
        if name.is_empty() {
            return Err(MachineError::new(at, "a name is missing or empty"));
        }
        if seen.contains(&name.as_str()) {
            return Err(MachineError::new(at, format!("`{name}` is there twice")));
        }
        seen.push(name);
    }
    Ok(())
}

fn check_variables(spec: &MachineSpec) -> Result<(), MachineError> {
    let both = spec.variables.iter().map(|v| ("variables", v)).chain(spec.triggers.iter().map(|t| ("triggers", t)));
    for (at, (name, value)) in both {
        if is_reserved(name) {
            return Err(MachineError::new(at, format!("`{name}` is a term of its own: choose another name")));
        }
        let range = if at == "variables" { -1e6..1e6 } else { SECONDS };
        number(at, name, *value, range)?;
    }
    unique("variables, triggers", spec.variables.keys().chain(spec.triggers.keys()))
}

/// Returns the names of the database's events, then those of montages.
fn event_names(db: &Database, spec: &MachineSpec) -> Vec<String> {
    let mut names = db.event_names.clone();
    for montage in &spec.montages {
        let own = montage.notifies.iter().map(|n| &n.name).chain(montage.windows.iter().map(|w| &w.name));
        for name in own {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
    }
    names
}

/// Returns the blend spaces, each with the sources of its parameters.
fn blend_spaces(
    db: &Database,
    spec: &MachineSpec,
    variables: &[String],
) -> Result<Vec<(BlendSpace, Vec<Steer>)>, MachineError> {
    unique("blend_spaces", spec.blend_spaces.iter().map(|b| &b.name))?;
    let one = |b: &super::blend_space::BlendSpaceSpec| {
        let at = format!("blend_spaces.`{}`", b.name);
        let parameters = b.parameters.iter().map(|name| steer(&at, name, variables)).collect::<Result<_, _>>()?;
        let space = BlendSpace::new(db, b)?;
        Ok((space, parameters))
    };
    spec.blend_spaces.iter().map(one).collect()
}

fn layers(db: &Database, spec: &MachineSpec, variables: &[String]) -> Result<Vec<Layer>, MachineError> {
    unique("layers", spec.layers.iter().map(|l| &l.name))?;
    let steer = |at: &str, name: &str| steer(at, name, variables);
    spec.layers.iter().map(|layer| Layer::new(db, layer, &spec.blend_spaces, steer)).collect()
}

/// A machine under construction.
struct Plan<'a> {
    db: &'a Database,
    spec: &'a MachineSpec,
    states: Vec<State>,
    /// States with a machine inside: full name, range of the states inside, initial state.
    groups: Vec<(String, Range<usize>, usize)>,
    transitions: Vec<Transition>,
}

type Part<'a> = (&'a [StateSpec], &'a [TransitionSpec], Option<&'a str>);

impl Plan<'_> {
    /// Adds the states and transitions of a machine whose state names begin with `prefix`. Returns the initial state.
    fn part(&mut self, prefix: &str, part: Part, names: &mut Names) -> Result<usize, MachineError> {
        let (states, transitions, start) = part;
        let place =
            if prefix.is_empty() { "states".to_owned() } else { format!("states.`{}`", &prefix[..prefix.len() - 1]) };
        unique(&place, states.iter().map(|s| &s.name))?;
        let Some(first) = states.first() else {
            return Err(MachineError::new(place, "a machine needs at least one state"));
        };
        // Outer transitions come before inner ones, but may lead into inner machines, whose states must exist first. So the inner
        // transitions are set aside and appended last.
        let outer = self.transitions.len();
        let mut inner = Vec::new();
        for state in states {
            self.state(prefix, state, names)?;
            inner.append(&mut self.transitions.split_off(outer));
        }
        for (i, t) in transitions.iter().enumerate() {
            let at = format!("{}transitions[{i}]", if prefix.is_empty() { "" } else { prefix });
            let transition = self.transition(prefix, t, at, states, names)?;
            self.transitions.push(transition);
        }
        self.transitions.append(&mut inner);
        self.find(prefix, start.unwrap_or(&first.name), &format!("{place}.start"), states).map(|(_, start)| start)
    }

    /// Returns the range of states with a name of this machine, and the initial state among them.
    fn find(
        &self,
        prefix: &str,
        name: &str,
        at: &str,
        states: &[StateSpec],
    ) -> Result<(Range<usize>, usize), MachineError> {
        let full = format!("{prefix}{name}");
        if let Some((_, range, start)) = self.groups.iter().find(|(group, ..)| *group == full) {
            return Ok((range.clone(), *start));
        }
        if let Some(state) = self.states.iter().position(|s| s.name == full) {
            return Ok((state..state + 1, state));
        }
        Err(MachineError::unknown(at.to_owned(), "state", name, states.iter().map(|s| s.name.as_str())))
    }

    fn state(&mut self, prefix: &str, spec: &StateSpec, names: &mut Names) -> Result<(), MachineError> {
        let name = format!("{prefix}{}", spec.name);
        let at = format!("states.`{name}`");
        let given = [spec.matching.is_some(), spec.clip.is_some(), spec.blend_space.is_some(), spec.machine.is_some()];
        if given.iter().filter(|g| **g).count() != 1 {
            let what = "expected exactly one of `match`, `clip`, `blend_space` and `machine`";
            return Err(MachineError::new(at, what));
        }
        if spec.name.contains('/') {
            return Err(MachineError::new(at, "a name has no `/`: that divides outer from inner names"));
        }
        if (!spec.channel_cost.is_empty() || spec.once) && spec.matching.is_none() {
            return Err(MachineError::new(at, "`channel_cost` and `once` are for states with `match`"));
        }
        if let Some(inner) = &spec.machine {
            let first = self.states.len();
            let part = (&*inner.states, &*inner.transitions, inner.start.as_deref());
            let start = self.part(&format!("{name}/"), part, names)?;
            self.groups.push((name, first..self.states.len(), start));
            return Ok(());
        }
        let rate = number(&at, "rate", spec.rate.unwrap_or(1.0), RATES)?;
        let stay_s = spec.stay_s.unwrap_or([0.0; 2]);
        number(&at, "stay_s", stay_s[0], SECONDS)?;
        number(&at, "stay_s", stay_s[1], stay_s[0]..SECONDS.end)?;
        let plays = self.plays(spec, &at)?;
        let root_motion = spec.root_motion.unwrap_or(matches!(plays, Plays::Clips(_)));
        if root_motion && spec.matching.is_some() {
            return Err(MachineError::new(at, "`root_motion` is for states with `clip` or `blend_space`"));
        }
        let max_speed_mps = match spec.max_speed_mps {
            Some(speed) => number(&at, "max_speed_mps", speed, 0.0..1e3)?,
            None => f32::INFINITY,
        };
        self.states.push(State { name, plays, rate, root_motion, max_speed_mps, stay_s });
        Ok(())
    }

    fn plays(&self, spec: &StateSpec, at: &str) -> Result<Plays, MachineError> {
        if let Some(query) = &spec.matching {
            let tags = self.db.tag_query(query).map_err(|e| MachineError::expression(format!("{at}.match"), &e))?;
            let labels = || self.db.schema.channels.iter().map(|c| c.label.as_str());
            for (label, cost) in &spec.channel_cost {
                if !labels().any(|l| l == label) {
                    return Err(MachineError::unknown(format!("{at}.channel_cost"), "channel", label, labels()));
                }
                number(at, &format!("channel_cost.{label}"), *cost, 0.0..1e6)?;
            }
            return Ok(Plays::Matching { tags, once: spec.once, channel_cost: spec.channel_cost.clone() });
        }
        if let Some(name) = &spec.blend_space {
            let known = || self.spec.blend_spaces.iter().map(|b| b.name.as_str());
            let unknown = || MachineError::unknown(format!("{at}.blend_space"), "blend space", name, known());
            return known().position(|n| n == name).map(Plays::Blend).ok_or_else(unknown);
        }
        let clips = spec.clip.as_ref().map_or(&[][..], OneOrMany::names);
        if clips.is_empty() {
            return Err(MachineError::new(format!("{at}.clip"), "expected at least one clip"));
        }
        let one = |name: &String| {
            let playing = clip(self.db, &format!("{at}.clip"), name, spec.mirrored)?;
            let seconds = self.db.view(playing.clip, false).seconds() as f32;
            let from_s = number(at, "from_s", spec.from_s, 0.0..seconds)?;
            Ok(Playing { time_s: f64::from(from_s), ..playing })
        };
        clips.iter().map(one).collect::<Result<_, _>>().map(Plays::Clips)
    }

    fn transition(
        &self,
        prefix: &str,
        spec: &TransitionSpec,
        at: String,
        states: &[StateSpec],
        names: &mut Names,
    ) -> Result<Transition, MachineError> {
        let (_, to) = self.find(prefix, &spec.to, &format!("{at}.to"), states)?;
        let from = match &spec.from {
            Some(from) => {
                let one = |name: &String| Ok(self.find(prefix, name, &format!("{at}.from"), states)?.0);
                from.names().iter().map(one).collect::<Result<_, _>>()?
            }
            // Any state of this machine and of the machines inside.
            None => {
                let all = self.states.iter().enumerate().filter(|(_, s)| s.name.starts_with(prefix)).map(|(i, _)| i);
                all.map(|i| i..i + 1).collect()
            }
        };
        let when = spec.when.as_ref().map(|when| Condition::parse(when, format!("{at}.when"), names)).transpose()?;
        let hold_s = number(&at, "hold_s", spec.hold_s.unwrap_or(0.0), SECONDS)?;
        let blend_s = spec.blend_s.map_or(Ok(0.0), |blend_s| number(&at, "blend_s", blend_s, BLENDS))?;
        Ok(Transition { from, to, when, hold_s, interrupts: spec.interrupts, blend_s, text: spec.when.clone() })
    }
}

fn montage_list(
    db: &Database,
    spec: &MachineSpec,
    events: &[String],
    names: &mut Names,
) -> Result<Vec<Montage>, MachineError> {
    spec.montages.iter().map(|m| montage(db, spec, m, events, names)).collect()
}

fn montage(
    db: &Database,
    spec: &MachineSpec,
    m: &MontageSpec,
    events: &[String],
    names: &mut Names,
) -> Result<Montage, MachineError> {
    let at = format!("montages.`{}`", m.name);
    let known = || spec.layers.iter().map(|l| l.name.as_str());
    let layer = known().position(|l| l == m.layer);
    let layer = layer.ok_or_else(|| MachineError::unknown(format!("{at}.layer"), "layer", &m.layer, known()))?;
    let playing = clip(db, &format!("{at}.clip"), &m.clip, m.mirrored)?;
    let seconds = db.view(playing.clip, false).seconds() as f32;
    let event = |name: &String| EventId::new(events.iter().position(|e| e == name).unwrap_or(0));
    let time = |key: &str, time_s: f32| number(&at, key, time_s, 0.0..seconds);
    let mut notifies = Vec::new();
    for n in &m.notifies {
        notifies.push((time("notifies.at_s", n.at_s)?, event(&n.name)));
    }
    notifies.extend(events_of(db, playing.clip).iter().map(|e| (e.time_s, e.name)));
    notifies.sort_by(|a, b| a.0.total_cmp(&b.0));
    let window = |w: &super::spec::WindowSpec| {
        let from_s = time("windows.from_s", w.from_s)?;
        Ok(Window { from_s, to_s: number(&at, "windows.to_s", w.to_s, from_s + 1e-3..seconds)?, event: event(&w.name) })
    };
    let windows = m.windows.iter().map(window).collect::<Result<_, _>>()?;
    let condition = |key: &str, text: &String, names: &mut Names| Condition::parse(text, format!("{at}.{key}"), names);
    Ok(Montage {
        name: m.name.clone(),
        layer,
        playing,
        start: m.start.as_ref().map(|start| condition("start", start, names)).transpose()?,
        stop: m.stop.as_ref().map(|stop| condition("stop", stop, names)).transpose()?,
        priority: m.priority,
        rate: number(&at, "rate", m.rate.unwrap_or(1.0), RATES)?,
        root_motion: m.root_motion,
        mask: montage_mask(db, &spec.layers[layer], m, &at)?,
        blend_in_s: number(&at, "blend_in_s", m.blend_in_s.unwrap_or(BLEND_S), SECONDS)?,
        blend_out_s: number(&at, "blend_out_s", m.blend_out_s.unwrap_or(BLEND_S), SECONDS)?,
        sections: sections(m, seconds, &at, names)?,
        notifies,
        windows,
        curves: curves_of(db, playing),
    })
}

/// Returns the indices of the curves of a clip that are not 0 throughout.
fn curves_of(db: &Database, playing: Playing) -> Vec<usize> {
    let (clip, n) = (&db.clips[playing.clip.at()], db.curve_names.len());
    let first = clip.first_frame as usize;
    (0..n).filter(|c| (first..first + clip.frames as usize).any(|f| db.curves[f * n + c] != 0.0)).collect()
}

/// Returns `[joints]` weights of a montage, multiplied by those of its layer.
fn montage_mask(db: &Database, layer: &LayerSpec, m: &MontageSpec, at: &str) -> Result<Vec<f32>, MachineError> {
    let of_layer = mask(db, &layer.mask, &format!("layers.`{}`", layer.name))?;
    let own = mask(db, &m.mask, at)?;
    Ok(of_layer.iter().zip(&own).map(|(a, b)| a * b).collect())
}

fn sections(m: &MontageSpec, seconds: f32, at: &str, names: &mut Names) -> Result<Vec<Section>, MachineError> {
    if m.sections.is_empty() {
        let whole = Section { name: String::new(), from_s: 0.0, to_s: seconds, next: None, leave: None };
        return Ok(vec![whole]);
    }
    unique(&format!("{at}.sections"), m.sections.iter().map(|s| &s.name))?;
    let mut out = Vec::new();
    for (i, s) in m.sections.iter().enumerate() {
        let place = format!("{at}.sections.`{}`", s.name);
        let from_s = number(&place, "from_s", s.from_s, 0.0..seconds)?;
        let default_s = m.sections.get(i + 1).map_or(seconds, |next| next.from_s);
        let to_s = number(&place, "to_s", s.to_s.unwrap_or(default_s), from_s + SHORTEST_S..seconds)?;
        let following = (i + 1 < m.sections.len()).then_some(i + 1);
        let known = || m.sections.iter().map(|s| s.name.as_str());
        let next = match &s.next {
            Some(next) => Some(
                known()
                    .position(|n| n == next)
                    .ok_or_else(|| MachineError::unknown(format!("{place}.next"), "section", next, known()))?,
            ),
            None => following,
        };
        let leave = match &s.leave {
            Some(text) => Some((Condition::parse(text, format!("{place}.leave"), names)?, following)),
            None => None,
        };
        out.push(Section { name: s.name.clone(), from_s, to_s, next, leave });
    }
    Ok(out)
}
