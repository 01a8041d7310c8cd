//! Choosing: at search instants, and when the playing clip is over.

use super::cost::write_shown_bodies;
use super::foreseen::{Wanted, wanted};
use super::query::Query;
use crate::database::{AcceptedTags, Database, TagMask, TagQuery};
use crate::foresight::Foresight;
use crate::input::{GroundPoint, MotionInput};
use crate::matcher::character::{Character, Choice, Choose};
use crate::matcher::director::{Directed, Directive};
use crate::matcher::output::Output;
use crate::matcher::playing::Playing;
use crate::matcher::scratch::Scratch;
use crate::matcher::source::nearest_row;
use crate::matcher::state::MatcherState;
use crate::matcher::state_groups::CONTROL_S;
use crate::search::Ahead;
use glam::Vec3;

/// Maximum and minimum time by which a candidate reaches the later tags early, in seconds. Rows and play rates are not exact, and
/// a clip that arrives late would need another transition.
const EARLY_S: [f32; 2] = [0.12, 0.03];
/// Tolerance, early or late, of a playing clip that leads to the later tags, in seconds.
const OFF_S: f32 = 0.2;
/// Ground with at most this difference in height counts as level, in metres.
const LEVEL_M: f32 = 0.03;
/// Distance ahead and behind at which the ground height is tested, in metres.
const LEVEL_REACH_M: f32 = 0.4;

impl Choose<'_> {
    /// Returns the clip and time that play next; `None` if the playing clip continues.
    pub fn run(&mut self) -> Option<Playing> {
        let character = self.character;
        let may_continue = !character.is_over(&self.state.header.playback.playing, CONTROL_S);
        self.scratch.last = None;
        let directive = match character.director.next(&mut self.directed()) {
            Directive::MatchOnce if !self.is_accepted() => Directive::Match,
            Directive::MatchOnce => Directive::Continue,
            other => other,
        };
        let choice = match directive {
            Directive::Play(next) => Choice::Transition(next),
            Directive::Continue => Choice::Continue,
            Directive::Match | Directive::MatchOnce => character.chooser.choose(self, may_continue),
            Directive::MatchAnew => character.chooser.choose(self, false),
        };
        let h = &mut self.state.header;
        if !matches!(directive, Directive::Match | Directive::MatchAnew) {
            h.choice.stranded = false;
        }
        let desired = &h.goal.desired;
        (h.choice.searched_velocity, h.choice.searched_facing) = (desired.velocity, desired.facing);
        match choice {
            Choice::Transition(next) => Some(next),
            Choice::Continue => None,
        }
    }

    /// Returns the character as its director sees it.
    pub fn directed(&mut self) -> Directed<'_> {
        directed(self.character, self.input, self.state, self.scratch, self.output)
    }

    /// Returns the job that writes the features of the query.
    pub fn query(&mut self) -> Query<'_> {
        Query { character: self.character, input: self.input, state: self.state, scratch: self.scratch }
    }

    /// Writes the shown body to `scratch`, as it is and mirrored, for the costs of transitions.
    pub fn write_shown_bodies(&mut self, db: &Database) {
        write_shown_bodies(self.character, self.state, self.scratch, db);
    }

    /// Returns the desired future.
    pub fn wanted<'a>(&self, table: Option<&'a Foresight>) -> Wanted<'a> {
        wanted(self.character, self.input, self.state, table)
    }

    /// Returns true if the playing clip has not ended and its row may be played.
    fn is_accepted(&self) -> bool {
        let playing = self.state.header.playback.playing;
        let Some(db) = self.character.database().filter(|_| !self.character.is_over(&playing, CONTROL_S)) else {
            return false;
        };
        nearest_row(db, &playing).is_some_and(|row| db.accepts(&self.accepted(db), row.at()))
    }

    /// Returns the rows that may be played: those that both the input and the director accept. Clips that move up or down by
    /// themselves are excluded on level ground, and where no feature tells how far they climb.
    pub fn accepted(&self, db: &Database) -> AcceptedTags {
        let (character, open) = (self.character, TagQuery::default());
        let of_director = character.director.tags(self.state.director(&character.resolved.layout)).unwrap_or(&open);
        let own_ground = character.resolved.own_ground;
        let fits = || db.schema.matches_heights() && !self.is_on_level_ground();
        let without = if own_ground.is_empty() || fits() { TagMask::default() } else { own_ground };
        db.accepted_by_both(&self.input.tags, of_director, without)
    }

    /// Returns true if the ground around the character and ahead of it is level or unknown.
    fn is_on_level_ground(&self) -> bool {
        let Some(ground) = self.input.ground else { return true };
        let h = &self.state.header;
        let root = h.shown_root(&self.character.config.transition);
        let height_m = |by: Vec3| GroundPoint::under(ground, root.translation + by).height_m;
        let (here_m, ahead) = (height_m(Vec3::ZERO), root.rotation * Vec3::Z * LEVEL_REACH_M);
        let desired = h.goal.desired.velocity;
        let around = [ahead, -ahead, desired * 0.5, desired];
        around.into_iter().all(|by| (height_m(by) - here_m).abs() <= LEVEL_M)
    }

    /// Returns the rows that lead to the later tags in time, and those that still count as leading there while they play. `None`
    /// without later tags, when their time has come, and when it is further away than the longest clip.
    pub fn ahead(&self, db: &Database) -> Option<(Ahead, Ahead)> {
        let later = self.input.later?;
        let left_s = (later.at_s - self.state.header.clock.time_s) as f32;
        if !(left_s > 0.0 && left_s < db.longest_clip_s()) {
            return None;
        }
        let tags = db.accepted(&later.tags);
        let rows = |seconds: f32| (seconds.max(0.0) * db.search_rate_hz).round() as usize;
        let within = |early_s: f32, late_s: f32| Ahead {
            tags,
            not_yet_rows: rows(left_s - early_s),
            then_rows: rows(left_s + late_s).max(1),
        };
        Some((within(EARLY_S[0], -EARLY_S[1]), within(OFF_S, OFF_S)))
    }
}

/// Returns a character as its director sees it.
pub(crate) fn directed<'a>(
    character: &'a Character,
    input: &'a MotionInput<'a>,
    state: &'a mut MatcherState,
    scratch: &'a mut Scratch,
    output: &'a mut Output,
) -> Directed<'a> {
    let (header, source_memory, memory) = state.memories(&character.resolved.layout);
    Directed {
        input,
        source: &*character.source,
        clock: &header.clock,
        playback: &header.playback,
        body: header.commanded(),
        stranded: header.choice.stranded,
        root_is_owned: false,
        memory,
        source_memory,
        next_memory: &mut scratch.memory,
        scratch: &mut scratch.source,
        output,
    }
}
