//! Poses as CSV, in the order of Unitree's retargeted LAFAN1: position, rotation (x, y, z, w), hinges; one line per frame, without a
//! header. <https://huggingface.co/datasets/lvhaidong/LAFAN1_Retargeting_Dataset>

use crate::clip::RobotClip;
use crate::model::RobotModel;
use std::fmt::Write;

/// Returns a clip as CSV: metres, unit quaternion (x, y, z, w), radians, six decimals.
pub fn to_csv(model: &RobotModel, clip: &RobotClip) -> String {
    let mut text = String::new();
    for pose in clip.poses.chunks_exact(model.pose_len()) {
        let order = [0, 1, 2, 4, 5, 6, 3].into_iter().chain(7..pose.len());
        for (k, value) in order.enumerate() {
            let comma = if k == 0 { "" } else { "," };
            // Without the sign of a zero.
            _ = write!(text, "{comma}{:.6}", pose[value] + 0.0);
        }
        text.push('\n');
    }
    text
}
