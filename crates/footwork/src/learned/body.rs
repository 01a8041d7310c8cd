//! Bodies of a decompressor as numbers: local rotations and translations, velocity of the root, contacts, curves.

use crate::database::Database;
use crate::frames::{ClipIndex, JointIndex};
use crate::math::Quat;
use crate::pose::{Pose, PoseVelocity};
use crate::schema::{ChannelKind, SourceBuffers};
use glam::Vec3;
use std::ops::Range;

/// Number of values of a rotation: the joint's x and y axes in its parent's space.
pub const ROTATION_WIDTH: usize = 6;
/// Number of values of a contact joint's future: seconds until the next contact, and duration of that contact.
const NEXT_CONTACT_WIDTH: usize = 2;

/// Layout of a body's numbers. The parts follow each other in the order of the fields.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyLayout {
    /// Number of joints, including the root.
    pub joints: usize,
    /// Joints with variable translations, without the root.
    pub translated: Vec<JointIndex>,
    /// `[joints - 1][6]` local rotations.
    pub rotations: Range<usize>,
    /// `[translated][3]` local translations, in metres.
    pub translations: Range<usize>,
    /// `[3]` velocity of the root along its own axes, in m/s.
    pub root_velocity: Range<usize>,
    /// `[1]` turn rate of the root about +Y, in radians per second.
    pub root_turn: Range<usize>,
    /// `[contact joints]` 1 in contact, 0 otherwise.
    pub contacts: Range<usize>,
    /// `[contact joints][2]` seconds until the next contact (0: now, at most [`Database::CONTACT_HORIZON_S`]), and its
    /// duration in seconds.
    pub next_contacts: Range<usize>,
    /// `[curves]` values of curves.
    pub curves: Range<usize>,
}

impl BodyLayout {
    /// Returns the layout for the bodies of a database.
    pub fn of(db: &Database) -> Self {
        let translated = db.poses.translated[1..].to_vec();
        Self::new(db.skeleton.len(), translated, db.rig.contact_joints.len(), db.curve_names.len())
    }

    /// Returns the layout for the given numbers of joints, contact joints and curves.
    pub fn new(joints: usize, translated: Vec<JointIndex>, contacts: usize, curves: usize) -> Self {
        let mut end = 0;
        let mut next = |width: usize| {
            end += width;
            end - width..end
        };
        Self {
            joints,
            rotations: next((joints - 1) * ROTATION_WIDTH),
            translations: next(translated.len() * 3),
            root_velocity: next(3),
            root_turn: next(1),
            contacts: next(contacts),
            next_contacts: next(contacts * NEXT_CONTACT_WIDTH),
            curves: next(curves),
            translated,
        }
    }

    /// Returns the number of values of a body.
    pub fn width(&self) -> usize {
        self.curves.end
    }

    /// Writes the pose and the root's velocity as numbers. Contacts and curves stay unchanged.
    pub fn encode(&self, pose: &Pose, velocity: &PoseVelocity, body: &mut [f32]) {
        let rotations = body[self.rotations.clone()].chunks_exact_mut(ROTATION_WIDTH);
        for (out, q) in rotations.zip(&pose.rotations[1..]) {
            out[..3].copy_from_slice(&(*q * Vec3::X).to_array());
            out[3..].copy_from_slice(&(*q * Vec3::Y).to_array());
        }
        let translations = body[self.translations.clone()].chunks_exact_mut(3);
        for (out, joint) in translations.zip(&self.translated) {
            out.copy_from_slice(&pose.translations[joint.at()].to_array());
        }
        body[self.root_velocity.clone()].copy_from_slice(&velocity.linear[0].to_array());
        body[self.root_turn.start] = velocity.angular[0].y;
    }

    /// Reads a local pose from numbers, without the root. Joints without variable translations keep theirs.
    pub fn decode(&self, body: &[f32], pose: &mut Pose) {
        let rotations = body[self.rotations.clone()].chunks_exact(ROTATION_WIDTH);
        for (q, axes) in pose.rotations[1..].iter_mut().zip(rotations) {
            *q = rotation(axes);
        }
        let translations = body[self.translations.clone()].chunks_exact(3);
        for (t, joint) in translations.zip(&self.translated) {
            pose.translations[joint.at()] = Vec3::from_slice(t);
        }
    }
}

/// Returns the rotation whose x axis is the first three numbers and whose y axis is as close as possible to the other
/// three.
fn rotation(axes: &[f32]) -> Quat {
    let (x, y) = (Vec3::from_slice(&axes[..3]), Vec3::from_slice(&axes[3..]));
    let unit = |v: Vec3, or: Vec3| {
        let length = v.length_squared().sqrt();
        if length > SHORTEST { v / length } else { or }
    };
    let x = unit(x, Vec3::X);
    let z = unit(x.cross(y), unit(x.cross(Vec3::Y), Vec3::Z));
    Quat::from_axes(x, z.cross(x), z)
}

/// Minimum length of axes with a valid direction.
const SHORTEST: f32 = 1e-6;

/// Samples features and bodies of a database at any time of its clips, for training and comparison.
#[derive(Clone, Debug)]
pub struct Sampler<'a> {
    db: &'a Database,
    layout: BodyLayout,
    buffers: SourceBuffers,
    /// Values of all curves of the database, and indices of the curves of bodies.
    all_curves: Vec<f32>,
    curves: Vec<usize>,
}

impl<'a> Sampler<'a> {
    /// Creates a sampler for a database.
    pub fn new(db: &'a Database) -> Self {
        Self::for_character(db, db)
    }

    /// Creates a sampler for a database with the curves of a character, which must all be in the database. Other curves are
    /// ignored.
    pub fn for_character(db: &'a Database, character: &Database) -> Self {
        let buffers = SourceBuffers::new(&db.schema, &db.skeleton, db.rig.contact_joints.len());
        let place = |name: &String| db.curve_names.iter().position(|n| n == name);
        let curves: Vec<usize> = character.curve_names.iter().filter_map(place).collect();
        let translated = db.poses.translated[1..].to_vec();
        let layout = BodyLayout::new(db.skeleton.len(), translated, db.rig.contact_joints.len(), curves.len());
        Self { db, layout, buffers, all_curves: vec![0.0; db.curve_names.len()], curves }
    }

    /// Returns the layout of the bodies.
    pub fn layout(&self) -> &BodyLayout {
        &self.layout
    }

    /// Samples a clip, mirrored if `mirrored` is true: `[columns]` normalised features and `[width]` numbers of the body.
    /// The time may be beyond the end of a loop.
    pub fn sample(&mut self, clip: ClipIndex, mirrored: bool, time_s: f64, features: &mut [f32], body: &mut [f32]) {
        let (db, layout, b) = (self.db, &self.layout, &mut self.buffers);
        let view = db.view(clip, mirrored);
        b.gather_body(&view, time_s, db.schema.needs_accelerations);
        b.gather_trajectory(&view, time_s, &db.schema.times_s);
        db.contacts_at(clip, mirrored, time_s, &mut b.contacts);
        db.schema.extract(&b.source(), features);
        db.features.normalize(features);
        self.user_features(clip, time_s, features);
        let b = &self.buffers;
        layout.encode(&b.pose, &b.velocity, body);
        let next = body[layout.next_contacts.clone()].chunks_exact_mut(NEXT_CONTACT_WIDTH);
        for (slot, out) in next.enumerate() {
            let (until_s, for_s) = db.next_contact_s(clip, mirrored, slot, time_s);
            out[0] = until_s.min(Database::CONTACT_HORIZON_S as f32);
            out[1] = for_s;
        }
        for (out, touches) in body[layout.contacts.clone()].iter_mut().zip(&b.contacts) {
            *out = f32::from(*touches);
        }
        db.curves_at(clip, time_s, &mut self.all_curves);
        for (out, curve) in body[layout.curves.clone()].iter_mut().zip(&self.curves) {
            *out = self.all_curves[*curve];
        }
    }

    /// Takes the values of user channels from the nearest row: they are stored for rows only.
    fn user_features(&self, clip: ClipIndex, time_s: f64, features: &mut [f32]) {
        let db = self.db;
        let rows = db.clips[clip.at()].row_range();
        if db.schema.user_width == 0 || rows.is_empty() {
            return;
        }
        let row = (time_s.max(0.0) * f64::from(db.search_rate_hz)).round() as usize;
        let row = rows.start + if db.clips[clip.at()].looping() { row % rows.len() } else { row.min(rows.len() - 1) };
        for c in db.schema.channels.iter().filter(|c| matches!(c.kind, ChannelKind::User(_))) {
            let values = db.features.row(crate::frames::RowIndex::new(row));
            features[c.columns.clone()].copy_from_slice(&values[c.columns.clone()]);
        }
    }
}
