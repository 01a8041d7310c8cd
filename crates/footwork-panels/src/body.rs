//! The body of a character, from the motion of its database.

use footwork::database::Database;
use footwork::frames::FrameIndex;
use footwork::pose::{Pose, PoseVelocity};
use footwork_draw::figure::Figure;
use footwork_draw::motion::Motion;

/// Number of poses from which the body is derived.
const BODY_SAMPLES: usize = 60;
/// Derives the figure from a database's skeleton and poses.
pub(crate) fn body(db: &Database) -> Figure {
    let (skeleton, joints) = (&db.skeleton, db.skeleton.len());
    let frames = db.frames();
    let samples = BODY_SAMPLES.min(frames);
    let (mut pose, mut velocity) = (Pose::rest(skeleton), PoseVelocity::zero(joints));
    let slots = db.rig.contact_joints.len();
    let (mut all, mut world, mut contacts) = (Vec::new(), Vec::new(), Vec::new());
    for k in 0..samples {
        let frame = k * frames / samples;
        contacts.extend_from_slice(&db.contacts[frame * slots..][..slots]);
        db.sample_pose(FrameIndex::new(frame), 0.0, &mut pose, &mut velocity);
        pose.world(skeleton, &mut world);
        all.extend_from_slice(&world);
    }
    Figure::of(skeleton, &db.rig, &Motion::samples(joints, all, contacts))
}
