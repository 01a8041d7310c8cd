//! Mirror image of a clip, exact to the bit.

use crate::action_truth::{ActionContact, ActionObstacle, ActionTruth};
use crate::body::{Side, joint};
use crate::truth::{Footstep, GaitClip, GaitTruth};
use footwork::math::{Facing, Quat, Transform};
use glam::Vec3;

/// Returns the clip mirrored at the plane of symmetry of its first frame (x = 0), under another name.
pub(crate) fn mirrored(source: &GaitClip, name: &str) -> GaitClip {
    let mut clip = source.clip.clone();
    name.clone_into(&mut clip.name);
    for f in 0..clip.frames() {
        for j in 0..joint::COUNT {
            let (from, to) = (f * joint::COUNT + j, f * joint::COUNT + twin(j));
            clip.translations[to] = flip(source.clip.translations[from]);
            clip.rotations[to] = turn(source.clip.rotations[from]);
        }
    }
    let names = |name: &str| match name.split_once("left") {
        Some((a, b)) => format!("{a}right{b}"),
        None => name.replacen("right", "left", 1),
    };
    let annotations = &mut clip.annotations;
    if let [left, right] = annotations.contacts.as_mut_slice() {
        std::mem::swap(&mut left.on, &mut right.on);
    }
    annotations.events.iter_mut().for_each(|e| e.name = names(&e.name));
    let t = &source.truth;
    let mut footsteps: Vec<Footstep> = t
        .footsteps
        .iter()
        .map(|s| Footstep { side: s.side.other(), position: flip(s.position), yaw: -s.yaw, ..*s })
        .collect();
    // The left foot's come first.
    footsteps.sort_by_key(|s| s.side == Side::Right);
    let truth = GaitTruth {
        root: t.root.iter().map(|r| Transform::new(flip(r.translation), turn(r.rotation))).collect(),
        speed_mps: t.speed_mps.clone(),
        heading: t.heading.iter().map(|h| Facing::from_direction(flip(h.direction())).unwrap_or(*h)).collect(),
        contacts: t.contacts.iter().map(|[l, r]| [*r, *l]).collect(),
        touching: t.touching.iter().map(|[l, r]| [*r, *l]).collect(),
        footsteps,
        crouch: t.crouch.clone(),
        action: t.action.as_ref().map(action),
    };
    GaitClip { clip, truth }
}

/// Returns the mirrored action.
fn action(a: &ActionTruth) -> ActionTruth {
    let contact = |c: &ActionContact| ActionContact {
        joint: twin(c.joint),
        position: flip(c.position),
        facing_yaw: -c.facing_yaw,
        ..*c
    };
    ActionTruth {
        contacts: a.contacts.iter().map(contact).collect(),
        obstacle: a.obstacle.map(|o| ActionObstacle { front: flip(o.front), yaw: -o.yaw, ..o }),
        object: a.object.iter().map(|o| Transform::new(flip(o.translation), turn(o.rotation))).collect(),
        ..a.clone()
    }
}

fn flip(v: Vec3) -> Vec3 {
    Vec3::new(-v.x, v.y, v.z)
}

fn turn(q: Quat) -> Quat {
    Quat::from_xyzw(q.x, -q.y, -q.z, q.w)
}

/// Returns the joint on the other side.
fn twin(j: usize) -> usize {
    use joint::*;
    match j {
        LEFT_UP_LEG..=LEFT_TOE => j + RIGHT_UP_LEG - LEFT_UP_LEG,
        RIGHT_UP_LEG..=RIGHT_TOE => j - (RIGHT_UP_LEG - LEFT_UP_LEG),
        LEFT_SHOULDER..=LEFT_HAND => j + RIGHT_SHOULDER - LEFT_SHOULDER,
        RIGHT_SHOULDER..=RIGHT_HAND => j - (RIGHT_SHOULDER - LEFT_SHOULDER),
        _ => j,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::skeleton;

    #[test]
    fn twins_are_named_so() {
        let names = skeleton().names().to_vec();
        for (j, name) in names.iter().enumerate() {
            assert_eq!(twin(twin(j)), j);
            let expected = match name.strip_prefix("Left") {
                Some(rest) => format!("Right{rest}"),
                None => name.strip_prefix("Right").map_or_else(|| name.clone(), |rest| format!("Left{rest}")),
            };
            assert_eq!(names[twin(j)], expected);
        }
    }
}
