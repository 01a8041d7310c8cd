//! Poses as arrays of numpy (`.npz`), in the layout that BeyondMimic and mjlab train with: `fps`, `joint_pos`, `joint_vel`,
//! `body_pos_w`, `body_quat_w` (w, x, y, z), `body_lin_vel_w`, `body_ang_vel_w`; beside them `joint_names`, `body_names` and `qpos`.
//! <https://github.com/HybridRobotics/whole_body_tracking>
//!
//! An `.npz` file is a ZIP archive of `.npy` files, here without compression. The formats: <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>
//! and PKWARE's APPNOTE, sections 4.3.7, 4.3.12 and 4.3.16.

use crate::clip::RobotClip;
use crate::kinematics::Placed;
use crate::model::RobotModel;
use crate::spatial::to_rotation_vector;
use glam::{DQuat, DVec3};

/// Returns a clip as the bytes of an `.npz` file. Numbers are 32-bit floats (`qpos`: 64-bit) in metres, radians and seconds, arrays
/// have one row per frame; velocities are central differences. Bodies and hinges are in the order of the model, whose names the
/// file holds.
pub fn to_npz(model: &RobotModel, clip: &RobotClip) -> Vec<u8> {
    let width = model.pose_len();
    let frames: Vec<&[f64]> = clip.poses.chunks_exact(width).collect();
    let (n, hinges, bodies) = (frames.len(), model.hinges.len(), model.bodies.len());
    let mut positions: Vec<DVec3> = Vec::with_capacity(n * bodies);
    let mut rotations: Vec<DQuat> = Vec::with_capacity(n * bodies);
    let mut placed = Placed::default();
    for pose in &frames {
        model.place(pose, &mut placed);
        positions.extend(&placed.positions);
        rotations.extend(&placed.rotations);
    }
    // The frames between which a velocity is measured, and frames per second over them.
    let around = |f: usize| {
        let (a, b) = (f.saturating_sub(1), (f + 1).min(n - 1));
        (a, b, if b > a { clip.rate_hz / (b - a) as f64 } else { 0.0 })
    };
    let mut joint_velocities = Vec::with_capacity(n * hinges);
    let mut linear = Vec::with_capacity(n * bodies);
    let mut angular = Vec::with_capacity(n * bodies);
    for f in 0..n {
        let (a, b, rate) = around(f);
        joint_velocities.extend((7..width).map(|k| (frames[b][k] - frames[a][k]) * rate));
        for k in 0..bodies {
            let (a, b) = (a * bodies + k, b * bodies + k);
            linear.push((positions[b] - positions[a]) * rate);
            angular.push(to_rotation_vector(rotations[b] * rotations[a].inverse()) * rate);
        }
    }
    let vectors = |of: &[DVec3]| of.iter().flat_map(|v| v.to_array()).collect::<Vec<f64>>();
    let quats: Vec<f64> = rotations.iter().flat_map(|q| [q.w, q.x, q.y, q.z]).collect();
    let angles: Vec<f64> = frames.iter().flat_map(|p| p[7..].iter().copied()).collect();
    let mut archive = Archive::default();
    archive.floats("fps", &[1], &[clip.rate_hz]);
    archive.floats("joint_pos", &[n, hinges], &angles);
    archive.floats("joint_vel", &[n, hinges], &joint_velocities);
    archive.floats("body_pos_w", &[n, bodies, 3], &vectors(&positions));
    archive.floats("body_quat_w", &[n, bodies, 4], &quats);
    archive.floats("body_lin_vel_w", &[n, bodies, 3], &vectors(&linear));
    archive.floats("body_ang_vel_w", &[n, bodies, 3], &vectors(&angular));
    archive.names("joint_names", &model.hinges.iter().map(|h| h.name.as_str()).collect::<Vec<_>>());
    archive.names("body_names", &model.bodies.iter().map(|b| b.name.as_str()).collect::<Vec<_>>());
    let bytes = clip.poses.iter().flat_map(|v| v.to_le_bytes()).collect();
    archive.array("qpos", "<f8", &[n, width], bytes);
    archive.finish()
}

/// A ZIP archive while it is written.
#[derive(Default)]
struct Archive {
    bytes: Vec<u8>,
    /// Entries of the central directory, and their number.
    directory: Vec<u8>,
    files: u16,
}

impl Archive {
    fn floats(&mut self, name: &str, shape: &[usize], values: &[f64]) {
        self.array(name, "<f4", shape, values.iter().flat_map(|v| (*v as f32).to_le_bytes()).collect());
    }

    /// Adds an array of names: UTF-32, each as long as the longest.
    fn names(&mut self, name: &str, names: &[&str]) {
        let longest = names.iter().map(|n| n.chars().count()).max().unwrap_or(0).max(1);
        let padded = |n: &&str| n.chars().chain(std::iter::repeat('\0')).take(longest).collect::<Vec<char>>();
        let bytes = names.iter().flat_map(padded).flat_map(|c| u32::from(c).to_le_bytes()).collect();
        self.array(name, &format!("<U{longest}"), &[names.len()], bytes);
    }

    /// Adds an array as an `.npy` file of version 1.0.
    fn array(&mut self, name: &str, kind: &str, shape: &[usize], data: Vec<u8>) {
        const MAGIC: &[u8] = b"\x93NUMPY\x01\x00";
        const ALIGNMENT: usize = 64;
        let shape: String = shape.iter().map(|n| format!("{n}, ")).collect();
        let mut header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}");
        let unpadded = MAGIC.len() + 2 + header.len() + 1;
        header.push_str(&" ".repeat(unpadded.next_multiple_of(ALIGNMENT) - unpadded));
        header.push('\n');
        let mut file = MAGIC.to_vec();
        file.extend((header.len() as u16).to_le_bytes());
        file.extend(header.as_bytes());
        file.extend(data);
        self.file(&format!("{name}.npy"), &file);
    }

    /// Adds a file, stored as it is. Times are those of the first day of the format.
    fn file(&mut self, name: &str, content: &[u8]) {
        const VERSION: u16 = 20;
        const FIRST_DAY: u16 = 0x21;
        let offset = self.bytes.len() as u32;
        let size = (content.len() as u32).to_le_bytes();
        let mut shared = Vec::new();
        shared.extend([VERSION, 0, 0, 0, FIRST_DAY].iter().flat_map(|v| v.to_le_bytes()));
        shared.extend(crc32fast::hash(content).to_le_bytes());
        shared.extend([size, size].concat());
        shared.extend((name.len() as u16).to_le_bytes());
        shared.extend(0_u16.to_le_bytes());
        self.bytes.extend(b"PK\x03\x04");
        self.bytes.extend(&shared);
        self.bytes.extend(name.as_bytes());
        self.bytes.extend(content);
        self.directory.extend(b"PK\x01\x02");
        self.directory.extend(VERSION.to_le_bytes());
        self.directory.extend(shared);
        self.directory.extend([0_u8; 10]);
        self.directory.extend(offset.to_le_bytes());
        self.directory.extend(name.as_bytes());
        self.files += 1;
    }

    fn finish(mut self) -> Vec<u8> {
        let offset = self.bytes.len() as u32;
        self.bytes.extend(&self.directory);
        self.bytes.extend(b"PK\x05\x06\0\0\0\0");
        self.bytes.extend([self.files, self.files].iter().flat_map(|v| v.to_le_bytes()));
        self.bytes.extend((self.directory.len() as u32).to_le_bytes());
        self.bytes.extend(offset.to_le_bytes());
        self.bytes.extend(0_u16.to_le_bytes());
        self.bytes
    }
}
