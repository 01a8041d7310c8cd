//! What can be filmed: motion files, databases, recorded runs. All of them become one [`Motion`].

use super::timeline::cut;
use crate::args::Common;
use crate::clips;
use crate::database::{build_clips, built_in, in_source, name_fits, sources};
use crate::trace::Trace;
use anyhow::{Context, Result, bail};
use footwork::build::config::matches_pattern;
use footwork::build::{JointRoles, prepare};
use footwork::clip::RawClip;
use footwork::database::Database;
use footwork::error::nearest;
use footwork::frames::{ClipIndex, JointIndex};
use footwork::math::{Facing, Transform, atan2};
use footwork::pose::{Pose, PoseVelocity};
use footwork::skeleton::Skeleton;
use footwork_import::format::{Format, known};
use footwork_import::{CharacterConfig, SourceConfig, check_rules};
use glam::Vec3;
use std::path::{Path, PathBuf};

/// Seconds before a span that are loaded as well: feet leave a trace.
pub const BEFORE_S: f64 = 0.5;

/// Joints of all filmed frames at most: about half a gigabyte.
const MOST_TRANSFORMS: usize = 20_000_000;
/// Nothing is filmed further away than this, metres: there, places are known to 6 cm.
const FAR_M: f32 = 1e6;
/// Steps of a way that its direction is found from.
const MOST_STEPS: usize = 5000;
/// Characters of a name that are kept for every frame.
const MOST_CHARS: usize = 80;

/// Motion to choose from, not yet looked at frame by frame.
pub struct Reel {
    /// Where it came from: for the headline.
    pub source: String,
    pub skeleton: Skeleton,
    pub roles: JointRoles,
    pub rate_hz: f32,
    pub contact_joints: Vec<JointIndex>,
    pub takes: Vec<Take>,
    data: Data,
}

/// A clip of a reel.
#[derive(Clone, Debug)]
pub struct Take {
    pub name: String,
    pub frames: usize,
    /// It can go on round and round.
    pub looping: bool,
    mirrored: bool,
    /// Which of the data's clips.
    index: usize,
}

enum Data {
    Clips(Vec<RawClip>),
    Database(Box<Database>),
    Trace(Box<Trace>),
}

/// Frames of some seconds, in the world.
#[derive(Clone, Debug)]
pub struct Motion {
    pub rate_hz: f32,
    /// Seconds shown for frame 0.
    pub first_s: f64,
    joints: usize,
    /// `[frames x joints]` `world_from_joint`.
    world: Vec<Transform>,
    slots: usize,
    /// `[frames x contact joints]`.
    contacts: Vec<u8>,
    /// Frames with transitions, and how many each.
    pub transitions: Vec<(usize, u32)>,
    /// Where another clip, round, or part of a course begins.
    pub parts: Vec<MotionPart>,
    /// Frames at which the character is somewhere else than a moment before, in order.
    borders: Vec<usize>,
    /// `[frames]` names of what plays; empty where there is but one thing.
    pub playing: Vec<String>,
    /// `[frames]` the commanded character; empty where nobody commanded.
    pub commanded: Vec<Vec3>,
}

/// A stretch of a motion.
#[derive(Clone, Debug, PartialEq)]
pub struct MotionPart {
    /// First frame.
    pub start: usize,
    pub name: String,
    /// The character is somewhere else than a moment before.
    pub apart: bool,
}

impl Motion {
    pub fn frames(&self) -> usize {
        self.world.len() / self.joints
    }

    pub fn world(&self, frame: usize) -> &[Transform] {
        &self.world[frame * self.joints..][..self.joints]
    }

    pub fn root(&self, frame: usize) -> Transform {
        self.world[frame * self.joints]
    }

    pub fn planted(&self, frame: usize, slot: usize) -> bool {
        self.contacts[frame * self.slots + slot] != 0
    }

    /// The frame nearest to a time.
    pub fn frame_at(&self, time_s: f64) -> usize {
        let f = ((time_s - self.first_s) * f64::from(self.rate_hz)).round();
        (f.max(0.0) as usize).min(self.frames() - 1)
    }

    pub fn time_s(&self, frame: usize) -> f64 {
        self.first_s + frame as f64 / f64::from(self.rate_hz)
    }

    /// The frames around one between two borders where the character is moved elsewhere.
    pub fn piece(&self, frame: usize) -> std::ops::Range<usize> {
        let after = self.borders.partition_point(|b| *b <= frame);
        let start = after.checked_sub(1).map_or(0, |before| self.borders[before]);
        start..self.borders.get(after).copied().unwrap_or(self.frames())
    }

    /// Metres per second over the ground.
    pub fn speed_mps(&self, frame: usize) -> f32 {
        // 0.1 s on both sides: the speed of a body, not of its sway.
        let half = ((self.rate_hz * 0.1).round() as usize).max(1);
        let piece = self.piece(frame);
        let (a, b) = (frame.saturating_sub(half).max(piece.start), (frame + half).min(piece.end - 1));
        let way = flat(self.root(b).translation - self.root(a).translation).length();
        way * self.rate_hz / (b - a).max(1) as f32
    }

    /// Where the character goes in a range of frames; on a way there and back, where it first goes; where it stays, where
    /// it faces.
    pub fn ahead(&self, range: std::ops::Range<usize>) -> Facing {
        let last = range.end.max(range.start + 1) - 1;
        let at = |f: usize| flat(self.root(f).translation);
        let way = at(last) - at(range.start);
        // Of a long motion some steps of several frames: its way is as long.
        let step = range.len().div_ceil(MOST_STEPS).max(1);
        let walked: f32 = (range.start..last).step_by(step).map(|f| (at((f + step).min(last)) - at(f)).length()).sum();
        if way.length() > 0.4 && way.length() > 0.8 * walked {
            return Facing::from_direction(way).unwrap_or_default();
        }
        if let Some(axis) = self.axis(range.clone()).filter(|_| walked > 1.0) {
            let quarter = at(range.start + (last - range.start) / 4) - at(range.start);
            let there = if quarter.length() > 0.1 { quarter } else { way };
            return if axis.dot(there) < 0.0 { Facing::from_direction(-axis) } else { Facing::from_direction(axis) }
                .unwrap_or_default();
        }
        if way.length() > 0.4 && way.length() > 0.6 * walked {
            return Facing::from_direction(way).unwrap_or_default();
        }
        let facing = |f: usize| Facing::from_rotation(self.root(f).rotation).direction();
        let mean = range.clone().step_by(step).map(facing).sum::<Vec3>() / range.len().div_ceil(step).max(1) as f32;
        Facing::from_direction(if mean.length() > 0.6 { mean } else { facing(range.start) }).unwrap_or_default()
    }

    /// The line along which a long and narrow way lies.
    fn axis(&self, range: std::ops::Range<usize>) -> Option<Vec3> {
        let range = range.clone().step_by(range.len().div_ceil(MOST_STEPS).max(1));
        let n = range.len().max(1) as f32;
        let at = |f: usize| flat(self.root(f).translation);
        let middle = range.clone().map(at).sum::<Vec3>() / n;
        let (mut xx, mut xz, mut zz) = (0.0, 0.0, 0.0);
        for p in range.map(|f| at(f) - middle) {
            xx += p.x * p.x / n;
            xz += p.x * p.z / n;
            zz += p.z * p.z / n;
        }
        // Spread along and across the principal axis of these places.
        let half = ((xx - zz) * (xx - zz) / 4.0 + xz * xz).sqrt();
        let (along, across) = ((xx + zz) / 2.0 + half, (xx + zz) / 2.0 - half);
        let axis = Facing::from_yaw(0.5 * atan2(2.0 * xz, zz - xx)).direction();
        (along > 9.0 * across.max(1e-6)).then_some(axis)
    }
}

/// Without its height.
pub fn flat(v: Vec3) -> Vec3 {
    Vec3::new(v.x, 0.0, v.z)
}

impl Reel {
    /// The motion that a word of the command line means: a motion file, folder or pattern, a database (or `built-in`),
    /// a trace; `#clip` after it chooses one of its clips.
    pub fn open(word: &Path, clip: Option<&str>, common: &Common) -> Result<Self> {
        let text = word.to_string_lossy();
        let (name, chosen) = match text.rsplit_once('#') {
            Some((name, chosen)) if !word.exists() => (PathBuf::from(name), Some(chosen)),
            _ => (word.to_owned(), clip),
        };
        let extension = name.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
        let mut reel = match extension.as_str() {
            _ if name == Path::new("built-in") => Self::built_in(common)?,
            "fwdb" => Self::database(Database::load(&name)?, name.display().to_string(), &common.character()?)?,
            "fwtrace" => Self::trace(&name)?,
            _ if Format::of(&name).is_some() || name.is_dir() || text.contains('*') => {
                Self::files(&name, &name.display().to_string(), common)?
            }
            _ => bail!(
                "{}: cannot be filmed: expected a motion file ({}), a folder of them, a database (.fwdb), a trace \
                 (.fwtrace), or `built-in`; `#clip` behind it chooses a clip",
                name.display(),
                known()
            ),
        };
        if let Some(chosen) = chosen {
            reel.choose(chosen)?;
        }
        Ok(reel)
    }

    /// The data that comes with footwork, or the database of `--db`.
    pub fn built_in(common: &Common) -> Result<Self> {
        let config = common.character()?;
        let (db, _) = build_clips(&built_in(), &config, common)?;
        Self::database(db, "built-in data".to_owned(), &config)
    }

    pub fn database(db: Database, source: String, config: &CharacterConfig) -> Result<Self> {
        let roles = roles(&db.skeleton, config);
        let takes = db.clips.iter().enumerate().map(|(index, c)| Take {
            name: c.name.clone(),
            frames: c.frames as usize,
            looping: c.looping(),
            mirrored: c.mirrored,
            index,
        });
        Ok(Self {
            source,
            roles,
            rate_hz: db.pose_rate_hz,
            contact_joints: db.rig.contact_joints.clone(),
            takes: takes.collect(),
            skeleton: db.skeleton.clone(),
            data: Data::Database(Box::new(db)),
        })
    }

    /// Motion files, taken in as a build takes them in.
    pub fn files(input: &Path, source: &str, common: &Common) -> Result<Self> {
        let config = &common.character()?;
        // Files are shown whole: ranges are of those clips that a build reads.
        let whole = SourceConfig { ranges: Vec::new(), ..config.source.clone() };
        let raw = clips::read(&[input.to_owned()], Path::new(""), &whole, common)?;
        let mut build = config.build.clone();
        // Rules for clips that are not looked at now are no mistake.
        build.clips.retain(|rule| raw.iter().any(|c| matches_pattern(&rule.name, &c.name)));
        if let Some(file) = &common.config {
            check_rules(&build.clips, &raw, file)?;
        }
        let clips = prepare(&raw, &build).map_err(|error| in_source(&sources(&raw), common, error));
        let clips = clips.with_context(|| format!("{source}: cannot be filmed"))?;
        let first = clips.first().with_context(|| format!("{source}: all of it is discarded: nothing to film"))?;
        let skeleton = first.skeleton.clone();
        let contacts = &first.annotations.contacts;
        let contact_joints = contacts.iter().filter_map(|c| skeleton.find(&c.joint)).collect();
        let takes = clips.iter().enumerate().map(|(index, c)| Take {
            name: c.name.clone(),
            frames: c.frames(),
            looping: false,
            mirrored: false,
            index,
        });
        Ok(Self {
            source: source.to_owned(),
            roles: roles(&skeleton, config),
            rate_hz: first.rate_hz,
            contact_joints,
            takes: takes.collect(),
            skeleton,
            data: Data::Clips(clips),
        })
    }

    pub fn trace(path: &Path) -> Result<Self> {
        let trace = Trace::load(path)?;
        Ok(Self::recorded(trace, path.display().to_string()))
    }

    pub fn recorded(trace: Trace, source: String) -> Self {
        let take = Take {
            name: format!("course {}", trace.course),
            frames: trace.frames(),
            looping: false,
            mirrored: false,
            index: 0,
        };
        Self {
            source,
            roles: roles(&trace.skeleton, &CharacterConfig::default()),
            skeleton: trace.skeleton.clone(),
            rate_hz: trace.rate_hz,
            contact_joints: trace.contact_joints.clone(),
            takes: vec![take],
            data: Data::Trace(Box::new(trace)),
        }
    }

    pub fn is_trace(&self) -> bool {
        matches!(self.data, Data::Trace(_))
    }

    /// Keeps one clip, by name or by number.
    pub fn choose(&mut self, wanted: &str) -> Result<()> {
        let by_name = self.takes.iter().position(|t| t.name == wanted);
        let by_number = || wanted.parse::<usize>().ok().filter(|n| *n < self.takes.len());
        let Some(i) = by_name.or_else(by_number) else {
            let names = self.takes.iter().map(|t| t.name.as_str());
            let hint = nearest(wanted, names).map(|n| format!("; the nearest is `{n}`")).unwrap_or_default();
            let last = self.takes.len() - 1;
            bail!("{}: no clip is named `{wanted}`{hint}; numbers go from 0 to {last}", self.source);
        };
        self.takes = vec![self.takes[i].clone()];
        Ok(())
    }

    /// Leaves stored mirror images out.
    pub fn originals(&mut self) {
        self.takes.retain(|t| !t.mirrored);
    }

    /// Keeps the clips whose name holds some words, or fits a pattern with `*`.
    pub fn filter(&mut self, wanted: &str) -> Result<()> {
        let fits = |name: &str| name_fits(wanted, name);
        if !self.takes.iter().any(|t| fits(&t.name)) {
            let names = self.takes.iter().map(|t| t.name.as_str());
            let hint = nearest(wanted, names).map(|n| format!("; the nearest is `{n}`")).unwrap_or_default();
            bail!("{}: no clip has `{wanted}` in its name{hint}", self.source);
        }
        self.takes.retain(|t| fits(&t.name));
        Ok(())
    }

    /// Seconds of all takes, one after the other; the last frame has no length of its own.
    pub fn seconds(&self) -> f64 {
        let frames: usize = self.takes.iter().map(|t| t.frames).sum();
        (frames - 1) as f64 / f64::from(self.rate_hz)
    }

    /// True where time has no end.
    pub fn endless(&self) -> bool {
        self.takes.len() == 1 && self.takes[0].looping
    }

    /// A frame of a take, which may lie beyond the end of a loop.
    fn pose(&self, take: &Take, frame: usize, world: &mut Vec<Transform>, contacts: &mut Vec<u8>) {
        let joints = self.skeleton.len();
        let slots = self.contact_joints.len();
        let mut pose = Pose::rest(&self.skeleton);
        let raw = |pose: &mut Pose, translations: &[Vec3], rotations: &[footwork::math::Quat]| {
            pose.translations.copy_from_slice(&translations[frame * joints..][..joints]);
            pose.rotations.copy_from_slice(&rotations[frame * joints..][..joints]);
        };
        match &self.data {
            Data::Clips(clips) => {
                let c = &clips[take.index];
                raw(&mut pose, &c.translations, &c.rotations);
                contacts.extend(c.annotations.contacts.iter().map(|t| u8::from(t.on[frame])));
            }
            Data::Database(db) => {
                let (clip, mirrored) = (ClipIndex::new(take.index), db.clips[take.index].mirrored);
                let time_s = frame as f64 / f64::from(self.rate_hz);
                db.view(clip, mirrored).sample(time_s, &mut pose, &mut PoseVelocity::zero(joints));
                let start = contacts.len();
                contacts.resize(start + slots, 0);
                db.contacts_at(clip, mirrored, time_s, &mut contacts[start..]);
            }
            Data::Trace(trace) => {
                raw(&mut pose, &trace.translations, &trace.rotations);
                contacts.extend_from_slice(&trace.contacts[frame * slots..][..slots]);
            }
        }
        let mut joints_in_world = Vec::with_capacity(joints);
        pose.world(&self.skeleton, &mut joints_in_world);
        world.append(&mut joints_in_world);
    }

    /// Some frames from everywhere, to measure the body by: a motion that is none.
    ///
    /// # Errors
    /// A place or a rotation that cannot be drawn.
    pub fn samples(&self) -> Result<Motion> {
        const MOST: usize = 600;
        let all: usize = self.takes.iter().map(|t| t.frames).sum();
        let mut motion = self.empty(0.0);
        for k in 0..MOST.min(all) {
            let mut frame = k * all / MOST.min(all);
            let mut take = 0;
            while frame >= self.takes[take].frames {
                frame -= self.takes[take].frames;
                take += 1;
            }
            self.pose(&self.takes[take], frame, &mut motion.world, &mut motion.contacts);
        }
        self.check(motion)
    }

    fn empty(&self, first_s: f64) -> Motion {
        Motion {
            rate_hz: self.rate_hz,
            first_s,
            joints: self.skeleton.len(),
            world: Vec::new(),
            slots: self.contact_joints.len(),
            contacts: Vec::new(),
            transitions: Vec::new(),
            parts: Vec::new(),
            borders: Vec::new(),
            playing: Vec::new(),
            commanded: Vec::new(),
        }
    }

    /// The frames from a little before `from_s` to `to_s`, the takes one after the other.
    ///
    /// # Errors
    /// More than fits into a picture; a place or a rotation that cannot be drawn.
    pub fn motion(&self, from_s: f64, to_s: f64) -> Result<Motion> {
        let rate = f64::from(self.rate_hz);
        let frame = |s: f64| (s * rate).round().max(0.0) as usize;
        let (first, last) = (frame(from_s - BEFORE_S), frame(to_s));
        let (frames, joints) = (last.saturating_sub(first), self.skeleton.len());
        if frames.saturating_mul(joints) > MOST_TRANSFORMS {
            bail!(
                "{}: {frames} frames of {joints} joints are too many for one picture: expected at most {}; film fewer \
                 seconds (--from, --to)",
                self.source,
                MOST_TRANSFORMS / joints
            );
        }
        let mut motion = self.empty(first as f64 / rate);
        let mut start = 0;
        for take in &self.takes {
            let frames = if self.endless() { usize::MAX } else { take.frames };
            let (a, b) = (first.max(start), (last + 1).min(start.saturating_add(frames)));
            for f in a..b.max(a) {
                let at = f - start;
                if at % take.frames == 0 || f == a {
                    let round = at / take.frames;
                    let name = cut(&take.name, MOST_CHARS);
                    let name = if round > 0 { format!("{name} round {}", round + 1) } else { name };
                    motion.parts.push(MotionPart { start: f - first, name, apart: round == 0 });
                }
                self.pose(take, at, &mut motion.world, &mut motion.contacts);
            }
            start = start.saturating_add(frames);
        }
        motion.borders = motion.parts.iter().filter(|p| p.apart).map(|p| p.start).collect();
        if let Data::Trace(trace) = &self.data {
            motion.follow(trace, first);
        }
        self.check(motion)
    }

    /// Refuses what no picture can show: numbers overflow long before lengths of the universe.
    fn check(&self, motion: Motion) -> Result<Motion> {
        let far = |t: &Transform| {
            let near = t.translation.abs().max_element() <= FAR_M;
            !(near && t.translation.is_finite() && t.rotation.is_finite())
        };
        let Some(i) = motion.world.iter().position(far) else { return Ok(motion) };
        let joints = self.skeleton.len();
        let (joint, t) = (&self.skeleton.names()[i % joints], motion.world[i]);
        let what = if t.translation.is_finite() && t.rotation.is_finite() {
            format!("expected a place within {:.0} km of the origin, found {} m", FAR_M / 1000.0, t.translation)
        } else {
            "expected a finite place and rotation, found a number that is not".to_owned()
        };
        let time_s = motion.time_s(i / joints);
        bail!("{}, {time_s:.2} s, joint `{joint}`: {what}; the data is damaged, or in other units", self.source)
    }

    /// All frames of one take.
    ///
    /// # Errors
    /// A place or a rotation that cannot be drawn.
    pub fn motion_of(&self, take: &Take) -> Result<Motion> {
        let mut motion = self.empty(0.0);
        for f in 0..take.frames {
            self.pose(take, f, &mut motion.world, &mut motion.contacts);
        }
        if let Data::Trace(trace) = &self.data {
            motion.follow(trace, 0);
        }
        self.check(motion)
    }
}

impl Motion {
    /// What a trace knows beside poses.
    fn follow(&mut self, trace: &Trace, first: usize) {
        let range = first..first + self.frames();
        for f in range.clone() {
            if trace.transitions[f] > 0 {
                self.transitions.push((f - first, trace.transitions[f]));
            }
            let mirrored = if trace.playing_mirrored[f] != 0 { " mirrored" } else { "" };
            self.playing.push(format!("{}{mirrored}", cut(&trace.clips[trace.playing_clips[f] as usize], MOST_CHARS)));
        }
        self.commanded.extend_from_slice(&trace.simulated[range.clone()]);
        let part =
            |p: &(usize, String)| MotionPart { start: p.0.saturating_sub(first), name: p.1.clone(), apart: false };
        let begun = trace.parts.iter().rev().find(|p| p.0 <= first).map(part);
        let begin = trace.parts.iter().filter(|p| p.0 > first && p.0 < range.end).map(part);
        self.parts = begun.into_iter().chain(begin).collect();
    }
}

/// Roles by the names of the joints, by the configuration where it fits the skeleton.
fn roles(skeleton: &Skeleton, config: &CharacterConfig) -> JointRoles {
    let given = JointRoles::resolve(skeleton, &config.build.roles);
    given.or_else(|_| JointRoles::resolve(skeleton, &Default::default())).unwrap_or_default()
}
