//! Databases made by hand: any number of clips and rows, any feature values, and a skeleton of four joints.

use footwork::advanced::motion::PosePool;
use footwork::database::{Clip, DatabaseContent, Features, MirrorMode, RowFlags, TagSpan};
use footwork::frames::{FrameIndex, JointIndex};
use footwork::math::{Quat, Transform};
use footwork::rig::Rig;
use footwork::roles::JointRoles;
use footwork::schema::{ChannelSpec, ChannelType, FeatureSchema, Normalization, Residual};
use footwork::skeleton::Skeleton;
use glam::Vec3;

/// Returns a skeleton of a root, hips and two feet, which can be mirrored.
pub fn skeleton() -> Skeleton {
    let rest = |x: f32, y: f32| Transform::new(Vec3::new(x, y, 0.0), Quat::IDENTITY);
    Skeleton::new(
        ["Root", "Hips", "LeftFoot", "RightFoot"].map(str::to_owned).to_vec(),
        vec![None, Some(JointIndex(0)), Some(JointIndex(1)), Some(JointIndex(1))],
        vec![rest(0.0, 0.0), rest(0.0, 1.0), rest(0.1, -0.9), rest(-0.1, -0.9)],
    )
    .unwrap()
}

/// Returns channels for each kind of mirroring: onto each other, and onto themselves with and without a change of sign.
pub fn channels(user_width: usize, residual: Residual) -> Vec<ChannelSpec> {
    let mut all = vec![
        ChannelSpec::joint(ChannelType::JointPosition, "LeftFoot", 1.0),
        ChannelSpec::joint(ChannelType::JointPosition, "RightFoot", 1.0),
        ChannelSpec::trajectory(ChannelType::TrajectoryPosition, &[0.5, 1.0], 1.0),
    ];
    all.iter_mut().for_each(|c| c.residual = residual);
    if user_width > 0 {
        all.push(ChannelSpec::user("ball", user_width, 1.0));
    }
    all
}

/// Returns content with one frame per row; `values` returns the feature at (row, column).
pub fn content(
    clips: &[(usize, bool)],
    channels: &[ChannelSpec],
    mirror: MirrorMode,
    mut values: impl FnMut(usize, usize) -> f32,
) -> DatabaseContent {
    let skeleton = skeleton();
    let schema = FeatureSchema::resolve(channels, &[], &skeleton, &[]).unwrap();
    let rows: usize = clips.iter().map(|c| c.0).sum();
    let columns = schema.columns;
    let mut first = 0;
    let clips = clips
        .iter()
        .enumerate()
        .map(|(i, (rows, looping))| {
            let clip = Clip {
                name: format!("clip {i}"),
                first_frame: first,
                frames: *rows as u32,
                first_row: first,
                rows: *rows as u32,
                loop_delta: looping.then_some(Transform::IDENTITY),
                mirrored: false,
                source_start_s: 0.0,
            };
            first += *rows as u32;
            clip
        })
        .collect();
    DatabaseContent {
        normalization: Normalization::None,
        clips,
        poses: PosePool {
            joints: 4,
            rotations: vec![Quat::IDENTITY; rows * 4],
            translated: vec![JointIndex(0)],
            translations: vec![Vec3::ZERO; rows],
        },
        stick: footwork::advanced::motion::StickSpeeds::default(),
        pose_rate_hz: 30.0,
        search_rate_hz: 30.0,
        rig: Rig::find(&skeleton, JointRoles::default(), &[]),
        contacts: vec![],
        curve_names: vec![],
        curves: vec![],
        features: Features {
            columns,
            values: (0..rows * columns).map(|i| values(i / columns, i % columns)).collect(),
            offset: vec![0.0; columns],
            scale: vec![1.0; columns],
        },
        row_frames: (0..rows).map(FrameIndex::new).collect(),
        row_flags: vec![RowFlags::default(); rows],
        row_costs: vec![],
        tags: ["a", "b", "c"].map(str::to_owned).to_vec(),
        tag_spans: Vec::<TagSpan>::new(),
        event_names: vec![],
        events: vec![],
        mirror,
        mirror_pairs: vec![],
        skeleton,
        schema,
    }
}

/// Returns the same motion with stored mirror images in place of `mirror = query`.
pub fn stored(query: &DatabaseContent, mirror_columns: &[footwork::advanced::schema::MirrorColumn]) -> DatabaseContent {
    let mut c = query.clone();
    c.mirror = MirrorMode::Stored;
    let rows = c.row_frames.len();
    for row in 0..rows {
        for m in mirror_columns {
            c.features.values.push(m.sign * query.features.values[row * query.features.columns + m.column]);
        }
    }
    c.row_frames.extend_from_within(..);
    c.row_flags.extend_from_within(..);
    c.row_costs.extend_from_within(..);
    for clip in &query.clips {
        let name = format!("{} (mirrored)", clip.name);
        c.clips.push(Clip { name, first_row: clip.first_row + rows as u32, mirrored: true, ..clip.clone() });
    }
    c
}
