//! Summary of a finished database in the report: clips, sizes and columns.

use super::clip_report::{ClipReport, ColumnReport};
use super::pool::PooledClip;
use super::report::BuildReport;
use super::rows;
use crate::database::{Clip, Database};
use crate::motion::PosePool;

/// Returns the report of one clip, without its classification. `labels`: `[frames x contact joints]`.
pub fn clip(
    pooled: &PooledClip,
    poses: &PosePool,
    labels: &[u8],
    stance_share: Vec<f32>,
    (rows, index): (&rows::Assembled, usize),
) -> ClipReport {
    let (n, contacts) = (pooled.frames(), stance_share.len());
    let clip: &Clip = &rows.clips[index];
    let root = |f: usize| poses.root(f).translation;
    let way: f32 = pooled.range.clone().skip(1).map(|f| (root(f) - root(f - 1)).length()).sum();
    let share = |slot: usize| labels.iter().skip(slot).step_by(contacts).filter(|l| **l == 1).count() as f32 / n as f32;
    ClipReport {
        name: pooled.name.clone(),
        frames: n,
        rows: clip.rows as usize,
        extrapolated_rows: rows.row_flags[clip.row_range()].iter().filter(|f| f.extrapolated()).count(),
        seconds: n as f64 / f64::from(pooled.rate_hz),
        looping: clip.looping(),
        mean_speed_mps: way * pooled.rate_hz / (n - 1) as f32,
        contact_share: (0..contacts).map(share).collect(),
        stance_share,
        taken_for: String::new(),
        taken_because: String::new(),
    }
}

/// Adds the sizes, contact joints and columns of a database to a report, and a warning if it has no contact joints.
pub fn database(report: &mut BuildReport, db: &Database) {
    report.frames = db.frames();
    report.rows = db.rows();
    report.columns = db.schema.columns;
    report.seconds = db.seconds();
    report.bytes = db.bytes();
    report.contact_joints = db.rig.contact_joints.iter().map(|j| db.skeleton.name(*j).to_owned()).collect();
    if db.rig.contact_joints.is_empty() {
        report
            .warnings
            .push("no feet found: no contacts are labelled; name them in `contacts.joints` or `roles`".into());
    }
    report.features = (0..db.schema.columns)
        .map(|c| ColumnReport {
            label: db.schema.column_label(c),
            offset: db.features.offset[c],
            scale: db.features.scale[c],
        })
        .collect();
}
