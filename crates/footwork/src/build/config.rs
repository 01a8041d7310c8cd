//! Settings of a build. Every key has a default; unknown keys are errors.

use crate::database::MirrorMode;
use crate::schema::{ChannelSpec, Normalization, Preset, PropSpec};
use crate::{choices, settings};
use std::collections::BTreeMap;

settings! {
    /// The `[build]` table.
    #[derive(Clone, Debug, PartialEq)]
    pub struct BuildConfig {
        /// Poses per second in the database. Higher values cost memory. Default: the rate of the fastest clip, at most 60.
        /// `--rate` sets both rates.
        pose_rate_hz: Option<f32>, in 1.0 to 240.0, unit "Hz";
        /// Rows of the feature matrix per second, at most the pose rate. Twice as many rows cost twice the memory and improve
        /// matches little.
        search_rate_hz: f32 = 30.0, in 1.0 to 240.0, unit "Hz";
        /// How mirror images take part.
        mirror: MirrorMode = MirrorMode::Off;
        /// Pairs of left and right joints whose names do not tell their sides: `[["armA", "armB"]]`.
        mirror_pairs: Vec<[String; 2]>;
        /// Whether offset and scale of the features are the same for both sides. Without mirror images it has no effect.
        symmetric_normalization: bool = true;
        /// Whether the root continues beyond the ends of clips, so that the last second of a clip does not look like a stop.
        /// Without it, rows whose trajectory leaves the clip are not targets of transitions.
        extrapolate_ends: bool = true;
        /// Whether a clip becomes a loop if its end leads back into its start as smoothly as it moves elsewhere, where neither
        /// the clip nor the configuration says so.
        find_loops: bool = true;
        /// Which joint is which.
        ///
        /// Keys are roles, values are joint names: `left_foot = "LeftFoot"`. Roles that are not given are found from names,
        /// hierarchy and pose: `hips`, `spine`, `chest`, `neck`, `head`, and on each side `left_shoulder`, `left_up_arm`,
        /// `left_fore_arm`, `left_hand`, `left_up_leg`, `left_leg`, `left_foot`, `left_toe` (and `right_...`). A body on four
        /// feet has `left_fore_foot`, `right_fore_foot`, `left_hind_foot` and `right_hind_foot`. A role may stand wherever a
        /// joint name may.
        roles: BTreeMap<String, String>;
        /// Where the root is.
        root: RootMotionConfig;
        /// When feet touch the ground.
        contacts: ContactConfig;
        /// Tracking errors.
        ///
        /// Frames that move as no body does are bridged where they are one or two (1/30 s), else left out, and reported. A clip that
        /// is cut there becomes several. Clips that others continue or are blended from are not cut.
        glitches: GlitchConfig;
        /// Making the clips that thin data lacks.
        multiply: MultiplyConfig;
        /// Leaving out motion that other clips contain.
        ///
        /// Off by default.
        prune: PruneConfig;
        /// Encoding of poses in a file.
        codec: CodecConfig;
        /// Blended clips between loops.
        ///
        /// A list: `[[build.blend_spaces]]`.
        blend_spaces: Vec<BlendSpace>;
        /// Tags by what the motion does.
        ///
        /// A list: `[[build.rules]]`. A rule tags the ranges of all clips in which its condition holds. Conditions compare with
        /// numbers, joined by `&`, `|`, `!` and parentheses: `speed_mps` (of the root over the ground), `forward_mps` and `side_mps`
        /// (the same ahead and to the left), `turn_degps` (to either side), all as means over 0.2 s; `hips_m` (hips over the
        /// ground), `hips_share` (the same, of who stands), `foot_contact` (feet that touch).
        rules: Vec<TagRule>;
        /// What is matched.
        schema: SchemaConfig;
        /// Facts about clips.
        ///
        /// A list: `[[build.clips]]`. The same keys, without `name`, may stand in `<clip>.tags.toml` beside a clip.
        clips: Vec<ClipRule>;
    }
}

impl BuildConfig {
    /// Minimum duration that a non-looping clip must have left after a row that is a target of transitions, in seconds.
    pub const MIN_CLIP_S: f32 = 0.34;

    /// Returns true if another clip continues into this clip, or a blend space uses it.
    pub fn builds_upon(&self, clip: &str) -> bool {
        let named = |name: &Option<String>| name.as_deref() == Some(clip);
        self.clips.iter().any(|r| named(&r.before) || named(&r.after))
            || self.blend_spaces.iter().flat_map(|s| &s.clips).any(|p| p.clip == clip)
    }
}

choices! {
    /// Source of the root motion.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum RootMotion = Auto {
        /// `existing` where joint 0 stays on the ground and moves with the body in every clip that travels, else `synthesize`.
        Auto = "auto",
        /// Joint 0 of the clips is the root. Only its facing is corrected.
        Existing = "existing",
        /// A new joint 0 under the body. Joints above the hips rest under it.
        Synthesize = "synthesize",
    }
}

choices! {
    /// Conditions for making missing clips.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Multiply = Auto {
        /// Loops of steady commands that no captured loop answers; all others where the captured clips answer less than a quarter of
        /// what a stick can request.
        Auto = "auto",
        /// Every command that no captured clip answers gets one.
        On = "on",
        /// None is made.
        Off = "off",
    }
}

settings! {
    /// The `[build.root]` table.
    #[derive(Clone, Debug, PartialEq)]
    pub struct RootMotionConfig {
        /// How the root is made.
        mode: RootMotion = RootMotion::Auto;
        /// Joint or role whose position on the ground a synthesized root follows. Default: the chest, else the hips.
        joint: Option<String>;
        /// Smoothing window of the position (Savitzky-Golay, order 3). Higher values are smoother; lower values follow the body.
        position_window_s: f32 = 0.5, in 0.0 to 60.0, unit "s";
        /// Smoothing window of the facing. Higher values are smoother; lower values follow the body.
        facing_window_s: f32 = 1.0, in 0.0 to 60.0, unit "s";
        /// Angle about +Y from joint 0's own +Z to where the body faces. Default: found from hips and travel.
        forward_deg: Option<f32>, in -360.0 to 360.0, unit "degrees";
        /// Whether clips made in place get the speed at which their planted feet slide back, one speed per clip. `true`: all
        /// clips that stay in place and whose feet are on the ground; `false`: none. Default: loops whose feet clearly tread,
        /// with a warning.
        speed_from_feet: Option<bool>;
    }

    /// The `[build.contacts]` table.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ContactConfig {
        /// Joints or roles that touch the ground. Empty: toes, else feet, or all four paws.
        joints: Vec<String>;
        /// Speed up to which a joint touches while the body stays. Higher values label more contacts. Default: 5.2 % of the speed
        /// of a pendulum as long as the leg, 0.15 for a person. A foot that stands less still throughout a clip (a treadmill,
        /// noise) raises it for this clip up to three times.
        speed_mps: Option<f32>, in 0.0 to 100.0, unit "m/s";
        /// Speed up to which a joint touches while the body travels, as a share of the body's speed. Higher values label longer
        /// contacts.
        travel_share: f32 = 0.05, in 0.0 to 1.0;
        /// Height above the joint's lowest (5th percentile of the clip) up to which it touches. Higher values label more
        /// contacts. Default: 13 % of the leg's length, 0.12 for a person.
        height_m: Option<f32>, in 0.0 to 100.0, unit "m";
        /// Shortest time between two contacts: shorter gaps are closed, and contacts of half that time removed. Higher values
        /// remove longer flickers and short contacts.
        window_s: f32 = 0.07, in 0.0 to 10.0, unit "s";
    }

    /// The `[build.glitches]` table.
    #[derive(Clone, Debug, PartialEq)]
    pub struct GlitchConfig {
        /// Whether tracking errors are looked for.
        enabled: bool = true;
        /// Acceleration of the hips, over 1/60 s (or a frame, where frames are longer), from which on it is an error. 200 m/s² is
        /// to fall from two metres and to stop within 1/30 s; landings from jumps reach 100. Higher values let more pass.
        hips_mps2: f32 = 200.0, in 20.0 to 1e6, unit "m/s²";
        /// The same for all other joints. Hands that strike and feet that kick a ball reach 700 m/s², feet that land 350.
        joint_mps2: f32 = 1500.0, in 100.0 to 1e6, unit "m/s²";
        /// Turn of a joint with a role against its parent over the same time from which on it is an error: a flipped axis. 120
        /// degrees in 1/60 s is as fast as the arm of a pitcher turns; knees reach 40.
        flip_deg: f32 = 120.0, in 10.0 to 180.0, unit "degrees";
    }

    /// The `[build.multiply]` table.
    #[derive(Clone, Debug, PartialEq)]
    pub struct MultiplyConfig {
        /// When clips are made out of the captured ones: starts, stops, turns, curves, changes of speed and direction.
        mode: Multiply = Multiply::Auto;
        /// Cost of transitions to made clips, in the units of `transition_cost`. Higher values prefer captured clips.
        cost: f32 = 0.02, in 0.0 to 1e6;
    }

    /// The `[build.codec]` table. It has an effect if [`encode_poses`](super::BuildOptions::encode_poses) is set, as by
    /// `footwork build`.
    #[derive(Clone, Debug, PartialEq)]
    pub struct CodecConfig {
        /// Mean error of the poses, 3 cm off each joint. 99 of 100 errors are at most 5 times as large, and all 15 times; that of a
        /// contact joint that touches is at most as large. Lower values take more bytes: half the error 20 % more. 0: poses as
        /// captured, in seven times the bytes.
        error_mm: f32 = 0.07, in 0.0 to 100.0, unit "mm";
    }

    /// The `[build.prune]` table.
    #[derive(Clone, Debug, PartialEq)]
    pub struct PruneConfig {
        /// Whether repeated motion is left out. Writing the table without this key switches it on.
        enabled: bool = false;
        /// Distance below which two rows show the same motion, in units of the normalised features. 0.05 finds copies; 0.5 finds
        /// other takes of the same motion, too.
        distance: f32 = 0.05, in 0.0 to 10.0;
        /// Shortest stretch that is left out.
        run_s: f32 = 0.5, in 0.1 to 60.0, unit "s";
    }
}

settings! {
    /// An entry of `[[build.rules]]`: a tag over all ranges whose motion fulfils a condition.
    #[derive(Clone, Debug, PartialEq)]
    pub entry TagRule {
        /// Tag.
        tag: String;
        /// Where a range begins, such as `"speed_mps > 2.2"`.
        when: String;
        /// Where a range ends that has begun. Default: where `when` does not hold. A lower limit than that of `when` keeps speeds
        /// that vary about the limit in one range: `"speed_mps < 1.9"`.
        until: Option<String> = None;
        /// Ranges shorter than this are dropped, and then gaps that are shorter are closed.
        shortest_s: f32 = 0.2, in 0.0 to 60.0, unit "s";
    }

    /// An entry of `[[build.blend_spaces]]`: loops along an axis, and how many clips to make between them.
    #[derive(Clone, Debug, PartialEq)]
    pub entry BlendSpace {
        /// First part of the names of the clips that are made: `name_<position>`.
        name: String;
        /// What the positions measure, for people: speed, turn.
        axis: String = String::new();
        /// The loops of a blend space.
        ///
        /// Two or more, of as many strides each.
        clips: Vec<BlendPoint>;
        /// Number of clips to be made, evenly between the first position and the last. None is made at the position of a clip.
        steps: usize, in 1 to 10000;
    }

    /// A loop of a blend space.
    #[derive(Clone, Debug, PartialEq)]
    pub entry BlendPoint {
        /// A loop, by name.
        clip: String;
        /// Its position on the axis.
        at: f32;
    }

    /// The `[build.schema]` table.
    #[derive(Clone, Debug, PartialEq)]
    pub struct SchemaConfig {
        /// A ready-made set of channels. Default: `holden` (`quadruped` for a body on four feet), unless channels are given.
        preset: Option<Preset>;
        /// How features become comparable; see `docs/guide/schema.md`.
        normalization: Normalization = Normalization::Block;
        /// Channels of your own.
        ///
        /// A list: `[[build.schema.channels]]`. They follow those of the preset if both are given. See `docs/guide/schema.md`.
        channels: Vec<ChannelSpec>;
        /// Attachment points of joints.
        ///
        /// A list: `[[build.schema.props]]`. Channels name them like joints.
        props: Vec<PropSpec>;
    }
}

impl SchemaConfig {
    /// Returns the channels of the preset and the user's own channels.
    pub fn all_channels(&self) -> Vec<ChannelSpec> {
        let preset = match (self.preset, self.channels.is_empty()) {
            (Some(p), _) => Some(p),
            (None, true) => Some(Preset::default()),
            (None, false) => None,
        };
        let mut all = preset.map(Preset::channels).unwrap_or_default();
        all.extend(self.channels.iter().cloned());
        all
    }
}

settings! {
    /// Facts about clips: an entry of `[[build.clips]]`, or the content of `<clip>.tags.toml` beside a clip.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ClipRule {
        /// Clips meant, `*` for any run of characters.
        name: String = "*".to_owned();
        /// Whether the last frame leads back to the first (or repeats it). Default: what the source says, else what is found.
        looping: Option<bool>, key "loop";
        /// Clip that leads into this one. Its end becomes the past of this clip's start.
        before: Option<String>;
        /// Clip that this one leads into. Its start becomes the future of this clip's end and is played next.
        after: Option<String>;
        /// Ranges with a name.
        tags: Vec<TagSpec>;
        /// Ranges that are cut out: `[[start, end], ..]`.
        discard: Vec<[f32; 2]>, unit "s";
        /// Ranges that are played but are not targets of transitions: `[[start, end], ..]`.
        do_not_enter: Vec<[f32; 2]>, unit "s";
        /// Cost bias of ranges.
        costs: Vec<CostSpec>;
        /// Times with a name.
        events: Vec<EventSpec>;
        /// Functions of time.
        curves: Vec<CurveSpec>;
        /// Contacts of an action that replace those that are read.
        contacts: Vec<ContactSpec>;
    }

    /// A tag over a part of a clip.
    #[derive(Clone, Debug, PartialEq)]
    pub entry TagSpec {
        /// Tag.
        name: String;
        /// Start of the range. Default: the start of the clip.
        start_s: Option<f32> = None, unit "s";
        /// End of the range. Default: the end of the clip.
        end_s: Option<f32> = None, unit "s";
    }

    /// A cost of transitions to a part of a clip.
    #[derive(Clone, Debug, PartialEq)]
    pub entry CostSpec {
        /// Added to the cost of every transition into the range, in the units of `transition_cost`. The costs of overlapping
        /// ranges add up.
        cost: f32, in 0.0 to 1e6;
        /// Start of the range. Default: the start of the clip.
        start_s: Option<f32> = None, unit "s";
        /// End of the range. Default: the end of the clip.
        end_s: Option<f32> = None, unit "s";
    }

    /// A named time of a clip.
    #[derive(Clone, Debug, PartialEq)]
    pub entry EventSpec {
        /// Event.
        name: String;
        /// When it happens.
        time_s: f32, unit "s";
    }

    /// A joint that touches something in an action.
    #[derive(Clone, Debug, PartialEq)]
    pub entry ContactSpec {
        /// Joint: a hand, the hips, or a contact joint of a foot.
        joint: String;
        /// Start of the contact.
        start_s: f32, unit "s";
        /// End of the contact.
        end_s: f32, unit "s";
    }

    /// A function of time by keys.
    #[derive(Clone, Debug, PartialEq)]
    pub entry CurveSpec {
        /// Curve. A user channel of the same name takes its values.
        name: String;
        /// Times in seconds, each with its values: `[[time, value, ..], ..]`. Times rise; all have as many values.
        keys: Vec<Vec<f32>>;
    }
}

/// Returns true if `name` matches `pattern`, in which `*` stands for any run of characters.
pub fn matches_pattern(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    if !pattern.contains('*') {
        return rest.is_empty();
    }
    let parts: Vec<&str> = parts.collect();
    for (i, part) in parts.iter().enumerate() {
        if i + 1 == parts.len() {
            return rest.ends_with(part);
        }
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_with_stars() {
        for (p, n, fits) in [
            ("*", "walk", true),
            ("walk*", "walk_2", true),
            ("walk*", "a_walk", false),
            ("*walk", "a_walk", true),
            ("w*k", "walk", true),
            ("w*l*k", "walk", true),
            ("walk", "walk2", false),
            ("a*a", "a", false),
        ] {
            assert_eq!(matches_pattern(p, n), fits, "{p} {n}");
        }
    }
}
