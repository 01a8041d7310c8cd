//! The arrays that show characters: one block, with a row for each.

use crate::arrays::{Layout, Region, Regions};
use footwork::matcher::{Character, MatcherState, Output};
use footwork::math::Transform;

/// Arrays of `n` characters; the first axis is the character.
pub struct Bodies {
    pub local_positions: Region<f32>,
    pub local_rotations: Region<f32>,
    pub world_positions: Region<f32>,
    pub world_rotations: Region<f32>,
    pub root_velocities: Region<f32>,
    pub root_yaw_rates: Region<f32>,
    pub contacts: Region<bool>,
    pub clips: Region<i32>,
    pub clip_times: Region<f64>,
    pub mirrored: Region<bool>,
    pub times: Region<f64>,
    pub searches: Region<u32>,
    pub transitions: Region<u32>,
    pub stranded: Region<bool>,
}

/// Room for the world transforms of one character, for one thread.
#[derive(Default)]
pub struct Room {
    world: Vec<Transform>,
    positions: Vec<f32>,
    rotations: Vec<f32>,
    contacts: Vec<bool>,
}

impl Bodies {
    pub fn new(character: &Character, n: usize) -> Self {
        let (joints, contacts) = (character.skeleton().len(), character.rig().contact_joints.len());
        let mut layout = Layout::default();
        let (local_positions, local_rotations) = (layout.add(&[n, joints, 3]), layout.add(&[n, joints, 4]));
        let (world_positions, world_rotations) = (layout.add(&[n, joints, 3]), layout.add(&[n, joints, 4]));
        let (velocities, yaw_rates) = (layout.add(&[n, 3]), layout.add(&[n]));
        let (contacts, clips, clip_times) = (layout.add(&[n, contacts]), layout.add(&[n]), layout.add(&[n]));
        let (mirrored, times, searches) = (layout.add(&[n]), layout.add(&[n]), layout.add(&[n]));
        let (transitions, stranded) = (layout.add(&[n]), layout.add(&[n]));
        let block = Regions::new(&layout);
        Self {
            local_positions: block.region(local_positions),
            local_rotations: block.region(local_rotations),
            world_positions: block.region(world_positions),
            world_rotations: block.region(world_rotations),
            root_velocities: block.region(velocities),
            root_yaw_rates: block.region(yaw_rates),
            contacts: block.region(contacts),
            clips: block.region(clips),
            clip_times: block.region(clip_times),
            mirrored: block.region(mirrored),
            times: block.region(times),
            searches: block.region(searches),
            transitions: block.region(transitions),
            stranded: block.region(stranded),
        }
    }

    /// Writes a character.
    pub fn show(&self, i: usize, character: &Character, state: &MatcherState, output: &Output, room: &mut Room) {
        let pose = &output.pose;
        self.local_positions.write(i, bytemuck::cast_slice(&pose.translations));
        self.local_rotations.write(i, bytemuck::cast_slice(&pose.rotations));
        pose.world(character.skeleton(), &mut room.world);
        room.positions.clear();
        room.rotations.clear();
        room.contacts.clear();
        for joint in &room.world {
            room.positions.extend(joint.translation.to_array());
            room.rotations.extend(joint.rotation.to_array());
        }
        room.contacts.extend(output.contacts.iter().map(|foot| foot.touching));
        self.world_positions.write(i, &room.positions);
        self.world_rotations.write(i, &room.rotations);
        let (velocity, turn) = (output.velocity.linear[0], output.velocity.angular[0]);
        self.root_velocities.write(i, &(pose.rotations[0] * velocity).to_array());
        self.root_yaw_rates.write(i, &[turn.y]);
        self.contacts.write(i, &room.contacts);
        self.clips.write(i, &[output.playing.clip.0.cast_signed()]);
        self.clip_times.write(i, &[output.playing.time_s]);
        self.mirrored.write(i, &[output.playing.mirrored]);
        self.times.write(i, &[state.header.clock.time_s]);
        self.searches.write(i, &[output.searches]);
        self.transitions.write(i, &[output.transitions]);
        self.stranded.write(i, &[output.stranded]);
    }
}
