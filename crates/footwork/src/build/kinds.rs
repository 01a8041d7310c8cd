//! Classification of clips: locomotion, or an action that only a query for its tag may play (a fall, sitting, an attack).
//!
//! Clips are classified by name, then by motion. Clips that are not locomotion get the tag [`Database::NO_LOCOMOTION`].

use super::pool::PooledClip;
use super::track::Track;
use crate::clip::{TagRange, TimeRange};
use crate::database::Database;
use crate::frames::JointIndex;
use crate::math::Transform;
use crate::rig::Leg;
use crate::skeleton::Skeleton;

/// Tags by the words of clip names; the first word is the tag. Only whole words match: `drunk` does not contain `run`.
const WORDS: &[(&[&str], Kind)] = &[
    (&["walk", "walks", "walking", "walked", "stroll", "march", "marching"], Kind::Gait),
    (&["run", "runs", "running"], Kind::Gait),
    (&["jog", "jogs", "jogging"], Kind::Gait),
    (&["sprint", "sprints", "sprinting", "dash", "dashing"], Kind::Gait),
    (&["strafe", "strafes", "strafing", "sidestep", "sidesteps", "sidestepping"], Kind::Gait),
    (&["sneak", "sneaking"], Kind::Gait),
    (&["trot", "trotting"], Kind::Gait),
    (&["canter", "cantering"], Kind::Gait),
    (&["gallop", "galloping"], Kind::Gait),
    (&["locomotion"], Kind::Gait),
    (&["idle", "idles", "idling"], Kind::Other),
    (&["stand", "stands", "standing"], Kind::Other),
    (&["turn", "turns", "turning", "pivot", "pivots"], Kind::Other),
    (&["start", "starts", "starting", "begin"], Kind::Other),
    (&["stop", "stops", "stopping"], Kind::Other),
    (&["crouch", "crouches", "crouching", "crouched"], Kind::Other),
    (&["left", "lt", "l"], Kind::Other),
    (&["right", "rt", "r"], Kind::Other),
    (&["forward", "forwards", "fwd"], Kind::Other),
    (&["backward", "backwards", "back", "bwd", "backpedal"], Kind::Other),
    (&["jump", "jumps", "jumping", "leap", "leaping"], Kind::Action),
    (&["land", "lands", "landing"], Kind::Action),
    (&["fall", "falls", "falling", "fell"], Kind::Action),
    (&["sit", "sits", "sitting", "seated", "sat"], Kind::Action),
    (&["kneel", "kneels", "kneeling"], Kind::Action),
    (&["lie", "lies", "lying", "laying", "prone", "sleep", "sleeping"], Kind::Action),
    (&["crawl", "crawls", "crawling"], Kind::Action),
    (&["roll", "rolls", "rolling", "dodge", "dodges", "dodging"], Kind::Action),
    (&["climb", "climbs", "climbing", "hang", "hanging", "vault", "vaulting"], Kind::Action),
    (&["swim", "swims", "swimming"], Kind::Action),
    (&["fly", "flies", "flying"], Kind::Action),
    (&["death", "die", "dies", "dying", "dead", "killed"], Kind::Action),
    (&["attack", "attacks", "attacking", "slash", "slashing", "stab", "stabbing"], Kind::Action),
    (&["punch", "punches", "punching", "kick", "kicks", "kicking"], Kind::Action),
    (&["shoot", "shoots", "shooting", "fire", "firing", "throw", "throws", "throwing"], Kind::Action),
    (&["hit", "hits", "hurt", "damage", "knockdown"], Kind::Action),
    (&["dance", "dances", "dancing"], Kind::Action),
];
/// Minimum height of a hip above its ankle in an upright body, as a share of the leg's length. Sitting with level
/// thighs gives half of the leg's length, a deep crouch three quarters.
const UPRIGHT: f32 = 0.6;
/// Minimum share of the frames in which a foot of a walking body touches the ground. The fastest runners have a quarter.
const STANCE: f32 = 0.05;
/// Minimum number of strides of locomotion. The run-up and landing of a jump, or the lunge of an attack, have fewer.
const STRIDES: usize = 3;
/// Minimum share of the frames in which each foot of a standing body touches the ground.
const STANDING: f32 = 0.5;
/// Speed above which a clip is locomotion even without detected contacts, in m/s.
const TRAVELS_MPS: f32 = 0.3;
/// Share of upright frames above which a clip counts as upright throughout.
const THROUGHOUT: f32 = 0.95;

/// Meaning of a word in a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A gait: feet move the body.
    Gait,
    /// A part, direction or manner of any motion.
    Other,
    /// Not locomotion.
    Action,
}

/// Classification of a clip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classification {
    /// `locomotion`, or the name of the action.
    pub what: String,
    /// Reason for the classification.
    pub because: String,
    /// True for locomotion whose name tells another kind, such as a dance.
    against_name: bool,
}

impl Classification {
    fn new(what: &str, because: String) -> Self {
        Self { what: what.to_owned(), because, against_name: false }
    }

    /// Returns the classification of a clip that was made from others.
    pub fn made() -> Self {
        Self::new(LOCOMOTION, "made of captured clips".to_owned())
    }

    /// Returns true if queries without tags may play the clip.
    pub fn is_locomotion(&self) -> bool {
        self.what == LOCOMOTION
    }
}

const LOCOMOTION: &str = "locomotion";

/// Data that the classification uses.
pub struct Evidence<'a> {
    pub skeleton: &'a Skeleton,
    /// `[tracks]` `[frames x contact joints]`.
    pub labels: &'a [Vec<u8>],
    /// `[contact joints]`.
    pub legs: &'a [Option<Leg>],
}

/// Classifies every clip and adds tags: those of its name if the clip has none, and [`Database::NO_LOCOMOTION`] if it is
/// not locomotion. If no clip is locomotion, none gets this last tag, so that all can be played.
pub fn take(tracks: &mut [Track], evidence: &Evidence) -> Vec<Classification> {
    let taken: Vec<Classification> =
        tracks.iter().zip(evidence.labels).map(|(t, labels)| evidence.judge(t, labels)).collect();
    let any = taken.iter().any(Classification::is_locomotion);
    for (track, taken) in tracks.iter_mut().zip(&taken) {
        let whole = TimeRange { start_s: 0.0, end_s: track.frames() as f32 / track.rate_hz };
        let told = if track.annotations.tags.is_empty() { tags_of(&track.name) } else { Vec::new() };
        let aside = (any && !taken.is_locomotion()).then_some(Database::NO_LOCOMOTION);
        let names = told.into_iter().chain(aside);
        let own = |name: &&str| !track.annotations.tags.iter().any(|t| t.name == *name);
        let new: Vec<TagRange> = names.filter(own).map(|n| TagRange { name: n.to_owned(), range: whole }).collect();
        track.annotations.tags.extend(new);
    }
    taken
}

/// Returns a warning if all locomotion comes from clips whose names tell another kind of motion.
pub fn warning(clips: &[PooledClip], taken: &[Classification]) -> Option<String> {
    let locomotion = || clips.iter().zip(taken).filter(|(_, taken)| taken.is_locomotion());
    let (clip, first) = locomotion().next()?;
    locomotion().all(|(_, taken)| taken.against_name).then(|| {
        format!(
            "the character goes only by clips that are named as something else (`{}`: {}); add clips that walk and run",
            clip.name, first.because
        )
    })
}

/// Returns the frames of the body's usual motion: those of locomotion, or all if there is none.
pub fn usual_frames(clips: &[PooledClip], taken: &[Classification]) -> Vec<usize> {
    let any = taken.iter().any(Classification::is_locomotion);
    let used = clips.iter().zip(taken).filter(|(_, taken)| taken.is_locomotion() || !any);
    used.flat_map(|(clip, _)| clip.range.clone()).collect()
}

/// Returns the tags of a clip's name, in the order of its words.
fn tags_of(name: &str) -> Vec<&'static str> {
    let mut tags: Vec<&'static str> = Vec::new();
    for (tag, _) in told(name) {
        if !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    tags
}

/// Returns tag and kind of each known word of a name.
fn told(name: &str) -> impl Iterator<Item = (&'static str, Kind)> {
    let known = |word: String| {
        let entry = WORDS.iter().find(|(words, _)| words.contains(&word.as_str()));
        entry.map(|(words, kind)| (words[0], *kind))
    };
    crate::roles::tokens(name).into_iter().filter_map(known)
}

impl Evidence<'_> {
    fn judge(&self, track: &Track, labels: &[u8]) -> Classification {
        let tagged = |name: &str| track.annotations.tags.iter().any(|t| t.name == name);
        if tagged(LOCOMOTION) {
            return Classification::new(LOCOMOTION, "tagged `locomotion`".to_owned());
        }
        if tagged(Database::NO_LOCOMOTION) {
            return Classification::new(Database::NO_LOCOMOTION, format!("tagged `{}`", Database::NO_LOCOMOTION));
        }
        let upright = self.upright(track);
        let (least_stance, most_stance) = self.stance(labels);
        let (speed_mps, was_moved) = root_motion(track);
        let says = |wanted: &[&str]| told(&track.name).any(|(word, _)| wanted.contains(&word));
        // The last known word decides: `fall_walk` is the walking part of a take of falls.
        let last = told(&track.name).filter(|(_, kind)| *kind != Kind::Other).last();
        match last {
            Some((word, Kind::Action)) => {
                // Parts of a take have the take's name. A body that walks for several strides does not fall, jump or fight.
                let goes = speed_mps > TRAVELS_MPS && self.fewest_stances(labels) >= STRIDES && !was_moved;
                let stands = says(&["stand"]) && least_stance > STANDING;
                if upright > THROUGHOUT && (goes || stands) {
                    let because = format!("named `{word}`, but upright on its feet throughout");
                    return Classification { against_name: true, ..Classification::new(LOCOMOTION, because) };
                }
                Classification::new(word, format!("named `{word}`"))
            }
            _ if upright < 0.5 => {
                Classification::new("low", format!("upright in {:.0} % of its frames", 100.0 * upright))
            }
            Some((word, _)) => Classification::new(LOCOMOTION, format!("named `{word}`")),
            None if most_stance < STANCE && speed_mps < TRAVELS_MPS && !says(&["idle", "stand", "turn"]) => {
                Classification::new("airborne", "no foot stands, and the body stays".to_owned())
            }
            None => Classification::new(LOCOMOTION, "feet on the ground, upright".to_owned()),
        }
    }

    /// Returns the share of the frames in which a body on two legs is upright; 1 for other bodies.
    fn upright(&self, track: &Track) -> f32 {
        const EVERY_S: f32 = 0.1;
        let legs: Vec<&Leg> = self.legs.iter().flatten().collect();
        if legs.len() != 2 {
            return 1.0;
        }
        let bone = |j: JointIndex| self.skeleton.rest()[j.at()].translation.length();
        let mut world: Vec<Transform> = Vec::new();
        let (mut seen, mut upright) = (0, 0);
        for frame in (0..track.frames()).step_by((EVERY_S * track.rate_hz).max(1.0) as usize) {
            track.world(self.skeleton, frame, &mut world);
            let at = |j: JointIndex| world[j.at()].translation.y;
            let stretched = |l: &&&Leg| at(l.hip) - at(l.ankle) >= UPRIGHT * (bone(l.knee) + bone(l.ankle));
            seen += 1;
            // One stretched leg is enough: the other may kneel or kick.
            upright += usize::from(legs.iter().any(|l| stretched(&l)));
        }
        upright as f32 / seen.max(1) as f32
    }

    /// Returns the least number of contacts over the feet; 0 without contact joints.
    fn fewest_stances(&self, labels: &[u8]) -> usize {
        let feet = self.legs.len();
        let of = |slot: usize| {
            let on: Vec<bool> = labels.iter().skip(slot).step_by(feet).map(|l| *l == 1).collect();
            usize::from(on.first() == Some(&true)) + on.windows(2).filter(|w| !w[0] && w[1]).count()
        };
        (0..feet).map(of).min().unwrap_or(0)
    }

    /// Returns the shares of the frames in which the feet touch the ground, as minimum and maximum over the feet; 1 without
    /// contact joints.
    fn stance(&self, labels: &[u8]) -> (f32, f32) {
        let feet = self.legs.len();
        let frames = labels.len() / feet.max(1);
        let share = |slot: usize| {
            labels.iter().skip(slot).step_by(feet).filter(|l| **l == 1).count() as f32 / frames.max(1) as f32
        };
        let shares = || (0..feet).map(share);
        if feet == 0 { (1.0, 1.0) } else { (shares().fold(1.0, f32::min), shares().fold(0.0, f32::max)) }
    }
}

/// Returns the mean speed of the root in m/s, and whether its velocity is constant. A constant velocity comes from a
/// treadmill or was set by hand, so it does not classify the clip.
fn root_motion(track: &Track) -> (f32, bool) {
    const SAME: f32 = 0.01;
    let step = |f: usize| {
        let (a, b) = (track.local(f, 0), track.local(f + 1, 0));
        a.inverse_direction(b.translation - a.translation)
    };
    let steps = || (0..track.frames().saturating_sub(1)).map(step);
    let n = track.frames().saturating_sub(1).max(1) as f32;
    let mean = steps().sum::<glam::Vec3>() / n;
    let speed_mps = steps().map(glam::Vec3::length).sum::<f32>() / n * track.rate_hz;
    (speed_mps, steps().all(|s| (s - mean).length() <= SAME * mean.length()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::track::tests::raw;

    #[test]
    fn names_tell_tags_by_whole_words() {
        for (name, tags) in [
            ("Armature|Walk_Fwd_Loop", &["walk", "forward"][..]),
            ("RunBackwardLeft02", &["run", "backward", "left"]),
            ("mixamo.com.Falling Idle", &["fall", "idle"]),
            ("sprint-to-stop_R", &["sprint", "stop", "right"]),
            ("drunk_sitar_hitchhiker", &[]),
            ("jog_jogging", &["jog"]),
        ] {
            assert_eq!(tags_of(name), tags, "{name}");
        }
    }

    /// Returns tracks with the given names, and their classification.
    fn taken(names: &[&str]) -> (Vec<Track>, Vec<Classification>) {
        let track = |name: &&str| Track { name: (*name).to_owned(), ..Track::resample(raw(60, 30.0), None, 30.0) };
        let mut tracks: Vec<Track> = names.iter().map(track).collect();
        let skeleton = raw(60, 30.0).skeleton;
        let labels = vec![vec![1; 60]; tracks.len()];
        let taken = take(&mut tracks, &Evidence { skeleton: &skeleton, labels: &labels, legs: &[None] });
        (tracks, taken)
    }

    fn is_aside(track: &Track) -> bool {
        track.annotations.tags.iter().any(|t| t.name == Database::NO_LOCOMOTION)
    }

    #[test]
    fn the_last_telling_word_of_a_name_decides() {
        let names = ["walk", "FallingIdle", "run_attack", "fall2_walk", "attack_left", "clip7", "sit_idle"];
        let (tracks, taken) = taken(&names);
        let what: Vec<&str> = taken.iter().map(|t| t.what.as_str()).collect();
        assert_eq!(what, ["locomotion", "fall", "attack", "locomotion", "attack", "locomotion", "sit"]);
        assert_eq!(tracks.iter().map(is_aside).collect::<Vec<_>>(), [false, true, true, false, true, false, true]);
    }

    #[test]
    fn who_goes_for_several_strides_does_not_fall_or_fight() {
        let skeleton = raw(60, 30.0).skeleton;
        let judge = |name: &str, stance: [u8; 60], turn_rad: f32| {
            let mut track = Track { name: name.to_owned(), ..Track::resample(raw(60, 30.0), None, 30.0) };
            // The velocity varies: a constant one could be a treadmill's.
            for f in 0..60 {
                let at = f * track.joints;
                track.rotations[at] = crate::math::Quat::IDENTITY;
                track.translations[at] =
                    glam::Vec3::Z * (f as f32 * 0.05 + 0.01 * crate::math::sin(f as f32 * turn_rad));
            }
            let labels = [stance.to_vec()];
            take(&mut [track], &Evidence { skeleton: &skeleton, labels: &labels, legs: &[None] }).remove(0).what
        };
        let every = |frames: usize| std::array::from_fn(|f| u8::from((f / frames).is_multiple_of(2)));
        let (walks, lunges, stands, falls) = (every(8), every(20), [1; 60], [0; 60]);
        assert_eq!(judge("fall_stumble", walks, 0.7), LOCOMOTION);
        assert_eq!(judge("fall_stumble", walks, 0.0), "fall", "moved by a treadmill");
        assert_eq!(judge("fall_stumble", falls, 0.7), "fall");
        assert_eq!(judge("fall_stumble", stands, 0.7), "fall");
        assert_eq!(judge("fall_stand", stands, 0.7), LOCOMOTION);
        assert_eq!(judge("attack_forward", lunges, 0.7), "attack");
        assert_eq!(judge("fight3_attack", walks, 0.7), LOCOMOTION);
    }

    #[test]
    fn clips_of_which_none_is_locomotion_are_what_there_is_to_play() {
        let (tracks, taken) = taken(&["fall", "Sitting"]);
        assert!(!tracks.iter().any(is_aside));
        assert_eq!(taken[1].what, "sit");
    }

    #[test]
    fn tags_of_a_person_win() {
        let skeleton = raw(60, 30.0).skeleton;
        let mut tracks: Vec<Track> = ["attack", "walk", "run"]
            .into_iter()
            .zip([Some(LOCOMOTION), Some(Database::NO_LOCOMOTION), None])
            .map(|(name, tag)| {
                let mut track = Track { name: name.to_owned(), ..Track::resample(raw(60, 30.0), None, 30.0) };
                let range = TimeRange { start_s: 0.0, end_s: 2.0 };
                track.annotations.tags.extend(tag.map(|tag| TagRange { name: tag.to_owned(), range }));
                track
            })
            .collect();
        let labels = vec![vec![1; 60]; 3];
        take(&mut tracks, &Evidence { skeleton: &skeleton, labels: &labels, legs: &[None] });
        let tags = |i: usize| tracks[i].annotations.tags.iter().map(|t| t.name.as_str()).collect::<Vec<_>>();
        assert_eq!([tags(0), tags(1), tags(2)], [vec![LOCOMOTION], vec![Database::NO_LOCOMOTION], vec!["run"]]);
    }

    #[test]
    fn without_a_name_a_body_without_stance_is_none_that_goes() {
        let skeleton = raw(60, 30.0).skeleton;
        let judge = |labels: Vec<u8>| {
            let mut track = [Track { name: "take".into(), ..Track::resample(raw(60, 30.0), None, 30.0) }];
            for f in 0..60 {
                track[0].translations[f * track[0].joints] = glam::Vec3::ZERO;
            }
            take(&mut track, &Evidence { skeleton: &skeleton, labels: &[labels], legs: &[None] }).remove(0).what
        };
        assert_eq!([judge(vec![1; 60]), judge(vec![0; 60])], ["locomotion", "airborne"]);
    }
}
