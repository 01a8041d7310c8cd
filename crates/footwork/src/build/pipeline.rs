//! The pipeline of a build: verbs, in order, over one [`Draft`] of the database.

use super::clip_report::ClipReport;
use super::codec::{Captured, Encoder, decode_into};
use super::multiply::{self, Made};
use super::pool::{self, PooledClip};
use super::report::BuildReport;
use super::rooted::{self, Rooted};
use super::rows::{self, Assembled, Extracted};
use super::rules::{self, Rules};
use super::track::Track;
use super::{
    BuildConfig, BuildError, BuildOptions, annotations, blend_space, by_role, chain, contacts, kinds, normalize, prune,
    speeds, standing, summary, treadmill, usable,
};
use crate::clip::RawClip;
use crate::database::{Database, DatabaseContent, MirrorMode};
use crate::frames::JointIndex;
use crate::memory;
use crate::motion::codec::EncodedPoses;
use crate::motion::{PosePool, StickSpeeds};
use crate::parallel;
use crate::rig::{Leg, Rig};
use crate::schema::FeatureSchema;
use crate::skeleton::Skeleton;
use std::borrow::Cow;

/// Builds a database from all given clips, in the order of a build.
///
/// # Errors
/// Returns [`BuildError`] with the name of the invalid clip, joint, frame, channel or key.
pub fn run(
    clips: Cow<[RawClip]>,
    config: &BuildConfig,
    options: &BuildOptions,
) -> Result<(Database, BuildReport), BuildError> {
    usable::check(&clips)?;
    let rules = Rules::read(&config.rules)?;
    let mut draft = Draft::root(clips, config, options)?;
    draft.leave_out_short()?;
    draft.chain()?;
    draft.blend()?;
    draft.label();
    draft.classify();
    draft.measure();
    draft.multiply();
    draft.pool();
    draft.encode();
    draft.resolve_schema()?;
    draft.extract()?;
    draft.assemble()?;
    draft.summarize();
    draft.stand();
    draft.tag(&rules);
    draft.finish()
}

/// A database in the making. Each verb reads what earlier verbs have added; values that no verb has added yet are empty.
pub struct Draft<'a> {
    config: &'a BuildConfig,
    options: &'a BuildOptions<'a>,
    report: BuildReport,
    pub skeleton: Skeleton,
    pub contact_joints: Vec<JointIndex>,
    /// Joint names.
    mirror_pairs: Vec<[String; 2]>,
    rig: Rig,
    /// Captured and blended tracks, then made ones, until their frames are in the pool.
    pub tracks: Vec<Track>,
    /// Number of captured and blended tracks.
    captured: usize,
    /// `[tracks]` `[frames x contact joints]`: 1 if the joint touches the ground, else 0.
    pub labels: Vec<Vec<u8>>,
    /// `[tracks]` `[contact joints]` share of frames in which the foot is planted.
    stances: Vec<Vec<f32>>,
    /// `[tracks]`.
    taken: Vec<kinds::Classification>,
    /// Length of a leg, in metres.
    leg_m: f32,
    stick: StickSpeeds,
    /// True if no captured track travels.
    stays: bool,
    /// Warning about implausible contact joints.
    implausible: Option<String>,
    poses: PosePool,
    /// `[tracks]` what they have beside their frames, from the pool on.
    clips: Vec<PooledClip>,
    /// The poses as bits, if they are encoded.
    encoded: Option<EncodedPoses>,
    /// Frames of the body's usual motion, in rising order.
    usual: Vec<usize>,
    schema: FeatureSchema,
    extracted: Extracted,
    assembled: Assembled,
}

impl<'a> Draft<'a> {
    /// Reads clips and configuration. Adds the rates, the skeleton with its roles and contact joints, and the tracks: fixed,
    /// at one rate, with a root, without discarded ranges.
    pub fn root(
        clips: Cow<[RawClip]>,
        config: &'a BuildConfig,
        options: &'a BuildOptions<'a>,
    ) -> Result<Self, BuildError> {
        let (pose_rate_hz, search_rate_hz) = usable::rates(&clips, config)?;
        let mut report = BuildReport { pose_rate_hz, search_rate_hz, ..Default::default() };
        let Rooted { skeleton, roles, contact_joints, tracks } = rooted::root(clips, config, options, &mut report)?;
        Ok(Self {
            config,
            options,
            report,
            mirror_pairs: by_role::mirror_pairs(&skeleton, &roles, config),
            rig: Rig::find(&skeleton, roles, &contact_joints),
            skeleton,
            contact_joints,
            captured: tracks.len(),
            tracks,
            labels: Vec::new(),
            stances: Vec::new(),
            taken: Vec::new(),
            leg_m: 0.0,
            stick: StickSpeeds::default(),
            stays: false,
            implausible: None,
            poses: PosePool::default(),
            clips: Vec::new(),
            encoded: None,
            usual: Vec::new(),
            schema: FeatureSchema::empty(),
            extracted: Extracted::default(),
            assembled: Assembled::default(),
        })
    }

    /// Reads the tracks. Removes those that are too short for transitions, and adds them to the report.
    fn leave_out_short(&mut self) -> Result<(), BuildError> {
        self.tracks = usable::long_enough(std::mem::take(&mut self.tracks), &mut self.report)?;
        Ok(())
    }

    /// Reads the tracks. Moves those that continue another one to its end.
    fn chain(&mut self) -> Result<(), BuildError> {
        chain::chain(&mut self.tracks, self.config)
    }

    /// Reads the tracks and the contact joints. Adds the tracks of blend spaces.
    fn blend(&mut self) -> Result<(), BuildError> {
        self.report.blends = blend_space::sample(&mut self.tracks, &self.skeleton, &self.contact_joints, self.config)?;
        self.captured = self.tracks.len();
        Ok(())
    }

    /// Reads the tracks and the contact joints. Adds the contact labels and stance shares of every track.
    pub fn label(&mut self) {
        let feet = self.feet(&self.tracks);
        (self.labels, self.stances) = feet.into_iter().map(|f| (f.labels, f.stance_share)).unzip();
    }

    /// Returns the contacts of the feet in each of the tracks.
    fn feet(&self, tracks: &[Track]) -> Vec<contacts::Feet> {
        let (skeleton, joints) = (&self.skeleton, &self.contact_joints);
        parallel::map(tracks, |t| contacts::feet(t, skeleton, joints, &self.config.contacts))
    }

    /// Reads tracks, labels and legs. Adds the class of every track, and tags to the tracks.
    fn classify(&mut self) {
        let legs = Leg::find(&self.skeleton, &self.rig.roles, &self.contact_joints);
        let evidence = kinds::Evidence { skeleton: &self.skeleton, labels: &self.labels, legs: &legs };
        self.taken = kinds::take(&mut self.tracks, &evidence);
    }

    /// Returns the tracks of locomotion, with their labels.
    fn locomotion(&self) -> Vec<(&Track, &Vec<u8>)> {
        let all = self.tracks.iter().zip(&self.labels).zip(&self.taken);
        all.filter(|(_, taken)| taken.is_locomotion()).map(|(track, _)| track).collect()
    }

    /// Reads the captured tracks, labels and classes. Adds the length of a leg, the speeds and directions of a full stick, whether no track
    /// travels, and a warning about contact joints.
    fn measure(&mut self) {
        let leg_m = contacts::leg_length_m(&self.tracks[0], &self.skeleton, &self.contact_joints);
        let two_legs = self.contact_joints.len() == 2;
        let locomotion: Vec<&Track> = self.locomotion().iter().map(|known| known.0).collect();
        self.stick = speeds::find(&locomotion, leg_m, two_legs, self.config.mirror != MirrorMode::Off);
        self.stays = self.tracks.iter().all(|t| treadmill::stays(t, leg_m));
        self.implausible = contacts::joints_warning(&contacts::ContactMotion {
            tracks: &self.tracks,
            labels: &self.labels,
            skeleton: &self.skeleton,
            joints: &self.contact_joints,
            leg_m,
        });
        self.leg_m = leg_m;
    }

    /// Reads the tracks of locomotion, their labels, and the stick. Adds the tracks that they lack, with labels and classes, whether
    /// any track turns, and a warning about low hips.
    fn multiply(&mut self) {
        let known = self.locomotion();
        let (made, told): (Vec<Track>, Made) =
            multiply::multiply(&known, &self.skeleton, &self.rig, &self.stick, &self.config.multiply);
        self.report.warnings.extend(told.warning());
        self.report.made = told;
        for (feet, track) in self.feet(&made).into_iter().zip(made) {
            self.labels.push(feet.labels);
            self.stances.push(feet.stance_share);
            self.taken.push(kinds::Classification::made());
            self.tracks.push(track);
        }
        self.stick.turns =
            self.tracks.iter().zip(&self.taken).any(|(t, taken)| taken.is_locomotion() && speeds::turns(t));
    }

    /// Reads classes. Moves the tracks to the pose pool and its clips. Adds which of its frames are usual motion.
    fn pool(&mut self) {
        (self.poses, self.clips) = pool::pool(std::mem::take(&mut self.tracks), &self.skeleton);
        self.usual = kinds::usual_frames(&self.clips, &self.taken);
    }

    /// Reads the pool, the clips, the labels and the contact joints. Adds the poses as bits, and replaces those of the pool with the
    /// decoded ones, if the options say so.
    fn encode(&mut self) {
        let error_mm = self.config.codec.error_mm;
        if !self.options.encode_poses || error_mm == 0.0 {
            return;
        }
        let captured = Captured { skeleton: &self.skeleton, poses: &self.poses, contact_joints: &self.contact_joints };
        let encoder = Encoder { captured, error_m: error_mm / 1000.0 };
        let frames: Vec<usize> = self.clips.iter().map(PooledClip::frames).collect();
        let clips = encoder.encode(&frames, &self.labels);
        self.encoded = Some(decode_into(&mut self.poses, clips));
    }

    /// Reads the configuration, the roles and the usual poses. Adds the feature schema.
    fn resolve_schema(&mut self) -> Result<(), BuildError> {
        let (specs, props) = by_role::channels(&self.skeleton, &self.rig.roles, self.config);
        let specs = rows::with_heading_axes(specs, &self.skeleton, &self.poses, &self.usual);
        self.schema = FeatureSchema::resolve(&specs, &props, &self.skeleton, &self.contact_joints)?;
        Ok(())
    }

    /// Reads clips, poses, labels and the schema. Adds the raw rows of all clips.
    fn extract(&mut self) -> Result<(), BuildError> {
        let stage = rows::Stage {
            clips: &self.clips,
            skeleton: &self.skeleton,
            poses: &self.poses,
            schema: &self.schema,
            config: self.config,
            options: self.options,
        };
        self.extracted = stage.extract(&self.labels, self.contact_joints.len(), self.report.search_rate_hz)?;
        memory::return_freed();
        Ok(())
    }

    /// Reads the raw rows. Adds the normalised matrix with stored mirror images, its clips, and warnings about one-sided
    /// motion.
    fn assemble(&mut self) -> Result<(), BuildError> {
        let config = self.config;
        let mirror = rows::mirror_columns(&self.skeleton, &self.schema, &self.poses, &self.mirror_pairs, config)?;
        let symmetric = mirror.as_deref().filter(|_| config.symmetric_normalization);
        let compared = &self.extracted.compared(self.schema.columns);
        let scaling = normalize::scaling(compared, &self.schema, config.schema.normalization, symmetric)?;
        self.report.warnings.extend(self.travel_warning(&scaling));
        self.report.warnings.extend(kinds::warning(&self.clips[..self.captured], &self.taken));
        let stored = mirror.as_deref().filter(|_| config.mirror == MirrorMode::Stored);
        let extracted = std::mem::take(&mut self.extracted);
        self.assembled = rows::assemble(extracted, &self.clips, &self.schema, scaling, stored);
        prune::thin_loops(&mut self.assembled, &self.clips);
        Ok(())
    }

    /// Returns a warning if no captured clip travels, or if all go straight.
    fn travel_warning(&self, scaling: &normalize::Scaling) -> Option<String> {
        if self.stays {
            return Some(treadmill::stays_warning());
        }
        scaling.straight.first().map(|column| normalize::straight_warning(&self.schema.column_label(*column)))
    }

    /// Reads clips, poses, labels, classes and the matrix. Adds a report of every clip, and warnings about contacts.
    fn summarize(&mut self) {
        let all = self.clips.iter().zip(std::mem::take(&mut self.stances)).zip(std::mem::take(&mut self.taken));
        for (i, ((clip, stance_share), taken)) in all.enumerate() {
            let report_of = summary::clip(clip, &self.poses, &self.labels[i], stance_share, (&self.assembled, i));
            let report_of = ClipReport { taken_for: taken.what, taken_because: taken.because, ..report_of };
            let clips = if i < self.captured { &mut self.report.clips } else { &mut self.report.made.clips };
            clips.push(report_of);
        }
        self.report.warnings.extend(contacts::warning(&self.report.clips, self.leg_m));
        self.report.warnings.extend(self.implausible.take());
    }

    /// Reads poses, clips, labels and usual frames. Adds the hinges of the knees and the standing pose to the rig.
    fn stand(&mut self) {
        let motion = standing::Motion {
            skeleton: &self.skeleton,
            poses: &self.poses,
            clips: &self.assembled.clips,
            contacts: &self.labels.concat(),
            pose_rate_hz: self.report.pose_rate_hz,
            usual: &self.usual,
        };
        standing::complete(&mut self.rig, &motion);
    }

    /// Reads clips, poses, labels and the standing pose. Adds the tags of the rules to the clips, and their warnings.
    fn tag(&mut self, rules: &Rules) {
        let hips = self.rig.body.as_ref().map(|body| body.hips);
        let standing_m = hips.map_or(f32::NAN, |hips| self.rig.standing[hips.at()].translation.y);
        let body = rules::Body { skeleton: &self.skeleton, poses: &self.poses, hips, standing_m };
        self.report.warnings.extend(rules.tag(&mut self.clips, &self.labels, body));
    }

    /// Reads everything. Returns the database with the annotations of the clips, and the report with its sizes and columns.
    fn finish(mut self) -> Result<(Database, BuildReport), BuildError> {
        let (curve_names, curves) = annotations::curves(&self.clips, self.report.pose_rate_hz);
        let (event_names, events) = annotations::events(&self.clips);
        let (tags, tag_spans) = annotations::tags(&self.clips)?;
        let mut database = Database::new(DatabaseContent {
            skeleton: self.skeleton,
            rig: self.rig,
            schema: self.schema,
            normalization: self.config.schema.normalization,
            clips: self.assembled.clips,
            poses: self.poses,
            pose_rate_hz: self.report.pose_rate_hz,
            search_rate_hz: self.report.search_rate_hz,
            contacts: self.labels.concat(),
            curve_names,
            curves,
            features: self.assembled.features,
            row_frames: self.assembled.row_frames,
            row_flags: self.assembled.row_flags,
            row_costs: self.assembled.row_costs,
            tags,
            tag_spans,
            event_names,
            events,
            stick: self.stick,
            mirror: self.config.mirror,
            mirror_pairs: self.mirror_pairs,
        })?;
        database.encoded_poses = self.encoded;
        summary::database(&mut self.report, &database);
        Ok((database, self.report))
    }
}

#[cfg(test)]
#[path = "pipeline_tests.rs"]
mod tests;
