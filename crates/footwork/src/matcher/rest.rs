//! Costs at rest and under a steady command, and the share of a command that the character still has to follow.
//!
//! Without a command, every transition is an avoidable disturbance. At rest, a candidate therefore pays for the transitions per
//! second that it leads to: the inverse of the seconds for which its clip stays in place, because it must be left then, and the
//! inverse of the seconds since its row was last shown, because it repeats.

use super::config::MatcherConfig;
use super::played::Played;
use super::state::Commanded;
use super::state_groups::Playback;
use crate::database::{Database, MirrorMode};
use crate::search::ShownRows;
use std::f32::consts::LN_2;

/// Speed above which a character is not at rest, in m/s.
const MOVES_MPS: f32 = 1.0;

impl Commanded<'_> {
    /// Returns how much the character is at rest, 0 to 1: no command, and slow remaining motion.
    pub(super) fn rests(&self, config: &MatcherConfig) -> f32 {
        let speed = self.simulation.velocity.length() + self.desired.velocity.length();
        let stands = (1.0 - speed / MOVES_MPS).max(0.0);
        stands * stands * stands * (1.0 - self.has_to_turn(config)).max(0.0)
    }

    /// Returns how much the character follows a steady command, 0 to 1: it moves as commanded, or behind a stick that turns at a
    /// constant rate by as much as its springs lag.
    pub(super) fn is_steady(&self, config: &MatcherConfig) -> f32 {
        let [path_rad, facing_rad] = [config.simulation.velocity_half_life_s, config.simulation.facing_half_life_s]
            .map(|half_life_s| half_life_s / LN_2);
        let [path_rad, facing_rad] = [path_rad * self.turn_radps[0].abs(), facing_rad * self.turn_radps[1].abs()];
        let speed_mps = self.desired.velocity.length();
        let change_mps = (self.desired.velocity - self.simulation.velocity).length() - speed_mps * path_rad.min(1.0);
        let turn_rad = self.desired.facing.angle_to(self.simulation.facing).abs() - facing_rad;
        let change = change_mps / config.search.force_velocity_mps.max(1e-3);
        let turn = turn_rad / config.search.force_facing_deg.to_radians().max(1e-3);
        let follows = 1.0 - change.max(turn).clamp(0.0, 1.0);
        follows * follows * (speed_mps / MOVES_MPS).min(1.0)
    }

    /// Returns the share of a change of command that is still to be followed, 0 to 1. A change of 1 triggers a search.
    pub(super) fn has_to_obey(&self, config: &MatcherConfig) -> f32 {
        let change = self.desired.velocity - self.simulation.velocity;
        let velocity = change.length() / config.search.force_velocity_mps.max(1e-3);
        velocity.max(self.has_to_turn(config)).min(1.0)
    }

    /// Returns the share of a turn that is still to be made, 0 or more. A share of 1 triggers a search.
    fn has_to_turn(&self, config: &MatcherConfig) -> f32 {
        let turn_rad = self.desired.facing.angle_to(self.simulation.facing).abs();
        turn_rad / config.search.force_facing_deg.to_radians().max(1e-3)
    }
}

impl Playback {
    /// Adds the playing stretch, which is left at `now_s` by transition number `transition`, to the remembered ones.
    pub(super) fn remember(&mut self, transition: u64, now_s: f64) {
        self.played[transition as usize % self.played.len()] = self.plays(now_s);
    }

    /// Writes the rows of a database that were shown up to `now_s` to `out`, which has room for two stretches for each
    /// remembered one and for the playing one.
    pub(super) fn shown_rows(&self, db: &Database, now_s: f64, out: &mut Vec<ShownRows>) {
        out.clear();
        for played in self.played.iter().chain([&self.plays(now_s)]) {
            if played.to_s > played.from_s {
                push_rows(db, played, now_s - played.ended_s, out);
            }
        }
    }

    /// Returns the playing stretch, up to `now_s`.
    fn plays(&self, now_s: f64) -> Played {
        let p = self.playing;
        Played { clip: p.clip, mirrored: p.mirrored, from_s: self.entered_s, to_s: p.time_s, ended_s: now_s }
    }
}

/// Adds the rows of a stretch that ended `ago_s` seconds ago. A stretch of a loop may give two ranges.
fn push_rows(db: &Database, played: &Played, ago_s: f64, out: &mut Vec<ShownRows>) {
    let Some(clip) = db.clips.get(played.clip.at()) else { return };
    let (rows, rate_hz) = (clip.row_range(), f64::from(db.search_rate_hz));
    let count = rows.len() as i64;
    let mut low = (played.from_s * rate_hz).floor() as i64;
    let mut high = (played.to_s * rate_hz).ceil() as i64 + 1;
    if clip.looping() {
        // A loop repeats after each cycle: only the last cycle counts.
        low = low.max(high - count);
        let cycles = (high - 1).div_euclid(count.max(1)) * count;
        (low, high) = (low - cycles, high - cycles);
    }
    let mut push = |low: i64, high: i64, ago_s: f64| {
        let at = |row: i64| (rows.start as i64 + row.clamp(0, count)) as u32;
        if at(low) < at(high) {
            out.push(ShownRows {
                start: at(low),
                end: at(high),
                mirrored: played.mirrored && db.mirror == MirrorMode::Query,
                ago_s: ago_s as f32,
                row_s: 1.0 / db.search_rate_hz,
            });
        }
    };
    push(low, high, ago_s);
    if low < 0 && clip.looping() {
        push(low + count, count, ago_s + high as f64 / rate_hz);
    }
}
