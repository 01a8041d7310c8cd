//! Encoding of the input of an update in groups. Only groups that changed since the previous update are recorded.

use super::bytes::{Coded, Damage, Reader, Writer, fields};
use crate::database::{TagCost, TagQuery};
use crate::input::{
    ActionContact, ActionKind, ActionRequest, ExternalBody, Gait, Goal, HandTarget, Later, MontageAction, MontageCall,
    MontageHandle, MotionInput, Obstacle, OwnedGoal, OwnedInput, Path, Stick, TrajectoryPoint,
};
use glam::{Vec2, Vec3};
use std::ops::Range;
use std::sync::Arc;

/// Number of groups: goal; tags, their costs and the requested action; user values, variables and montage calls; body; look-at target;
/// hands; hooks, obstacles and the block of the action.
pub const GROUPS: usize = 7;
/// One bit for each group.
pub const ALL_GROUPS: u8 = (1 << GROUPS) - 1;
const GOAL: usize = 0;

const NONE: u8 = 0;
const STICK: u8 = 1;
const VELOCITY: u8 = 2;
const PATH: u8 = 3;
const TRAJECTORY: u8 = 4;

fields! {
    ExternalBody { position, velocity, facing, yaw_rate_radps }
    HandTarget { position, rotation }
    TrajectoryPoint { time_s, position, facing }
    Obstacle { position, velocity, facing, half_m, radius_m, height_m }
    Later { tags, at_s }
    MontageCall { number, handle, action }
    ActionContact { position, facing }
}

/// Without its block, which is in the group of the surroundings.
impl Coded for ActionRequest {
    fn put(&self, to: &mut Writer) {
        let Self { id, kinds, contacts, landing_m, window_s, go, block: _ } = self;
        id.put(to);
        kinds.put(to);
        contacts.put(to);
        landing_m.put(to);
        window_s.put(to);
        go.put(to);
    }
    fn take(from: &mut Reader) -> Result<Self, Damage> {
        Ok(Self {
            id: Coded::take(from)?,
            kinds: Coded::take(from)?,
            contacts: Coded::take(from)?,
            landing_m: Coded::take(from)?,
            window_s: Coded::take(from)?,
            go: Coded::take(from)?,
            block: None,
        })
    }
}

impl Coded for ActionKind {
    fn put(&self, to: &mut Writer) {
        self.0.put(to);
    }
    fn take(from: &mut Reader) -> Result<Self, Damage> {
        u16::take(from).map(Self)
    }
}

impl Coded for MontageHandle {
    fn put(&self, to: &mut Writer) {
        self.0.put(to);
    }
    fn take(from: &mut Reader) -> Result<Self, Damage> {
        u16::take(from).map(Self)
    }
}

const PLAY: u8 = 0;
const JUMP: u8 = 1;
const STOP: u8 = 2;

impl Coded for MontageAction {
    fn put(&self, to: &mut Writer) {
        match *self {
            Self::Play { montage, section, start_s, rate, blend_in_s } => {
                PLAY.put(to);
                [montage, section].put(to);
                [start_s, rate, blend_in_s].put(to);
            }
            Self::Jump { section } => {
                JUMP.put(to);
                section.put(to);
            }
            Self::Stop { blend_out_s } => {
                STOP.put(to);
                blend_out_s.put(to);
            }
        }
    }
    fn take(from: &mut Reader) -> Result<Self, Damage> {
        match u8::take(from)? {
            PLAY => {
                let [montage, section] = Coded::take(from)?;
                let [start_s, rate, blend_in_s] = Coded::take(from)?;
                Ok(Self::Play { montage, section, start_s, rate, blend_in_s })
            }
            JUMP => Ok(Self::Jump { section: Coded::take(from)? }),
            STOP => Ok(Self::Stop { blend_out_s: Coded::take(from)? }),
            _ => Err(Damage("a call of a montage")),
        }
    }
}

/// The hooks that an input has.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Hooks {
    pub ground: bool,
    pub walls: bool,
}

impl Coded for Vec2 {
    fn put(&self, to: &mut Writer) {
        to.put_bytes(bytemuck::bytes_of(self));
    }
    fn take(from: &mut Reader) -> Result<Self, Damage> {
        <[f32; 2]>::take(from).map(Self::from_array)
    }
}

impl Coded for Stick {
    fn put(&self, to: &mut Writer) {
        let Self { movement, look, camera_yaw_rad, camera_yaw_rate_radps, strafe, gait } = self;
        movement.put(to);
        look.put(to);
        camera_yaw_rad.put(to);
        camera_yaw_rate_radps.put(to);
        strafe.put(to);
        (*gait == Gait::Run).put(to);
    }
    fn take(from: &mut Reader) -> Result<Self, Damage> {
        Ok(Self {
            movement: Coded::take(from)?,
            look: Coded::take(from)?,
            camera_yaw_rad: Coded::take(from)?,
            camera_yaw_rate_radps: Coded::take(from)?,
            strafe: Coded::take(from)?,
            gait: if bool::take(from)? { Gait::Run } else { Gait::Walk },
        })
    }
}

/// Encoded as its codes.
impl Coded for TagQuery {
    fn put(&self, to: &mut Writer) {
        to.put_count(self.codes().len());
        to.put_bytes(bytemuck::cast_slice(self.codes()));
    }
    fn take(from: &mut Reader) -> Result<Self, Damage> {
        let count = from.take_count(size_of::<u16>())?;
        let mut codes = [0u16; Self::MOST_PARTS];
        for code in codes.get_mut(..count).ok_or(Damage("a query of tags"))? {
            *code = Coded::take(from)?;
        }
        Self::of_codes(codes[..count].iter().copied()).ok_or(Damage("a query of tags"))
    }
}

fields! { TagCost { tags, cost } }

/// An encoded input, group by group, in a buffer of fixed capacity. A path is represented only by its identifier.
#[derive(Debug)]
pub struct Groups {
    bytes: Writer,
    ends: [usize; GROUPS],
}

impl Groups {
    pub fn new(room: usize) -> Self {
        Self { bytes: Writer::new(room), ends: [0; GROUPS] }
    }

    /// Encodes an input. Returns false if it exceeds the capacity.
    pub fn set(&mut self, input: &MotionInput) -> bool {
        let MotionInput {
            goal,
            tags,
            later,
            tag_costs,
            user,
            variables,
            montages,
            collide,
            ground,
            obstacles,
            body,
            look_at,
            hands,
            action,
        } = input;
        let to = &mut self.bytes;
        to.clear();
        let mut ends = [0; GROUPS];
        put_goal(goal, to);
        ends[GOAL] = to.bytes().len();
        tags.put(to);
        later.put(to);
        to.put_count(tag_costs.len());
        tag_costs.iter().for_each(|c| c.put(to));
        action.put(to);
        ends[1] = to.bytes().len();
        for values in [user, variables] {
            to.put_count(values.len());
            to.put_bytes(bytemuck::cast_slice(values));
        }
        to.put_count(montages.len());
        montages.iter().for_each(|call| call.put(to));
        ends[2] = to.bytes().len();
        body.put(to);
        ends[3] = to.bytes().len();
        look_at.put(to);
        ends[4] = to.bytes().len();
        hands.put(to);
        ends[5] = to.bytes().len();
        put_surroundings(
            Hooks { ground: ground.is_some(), walls: collide.is_some() },
            obstacles.all(),
            action.and_then(|a| a.block),
            to,
        );
        ends[6] = to.bytes().len();
        self.ends = ends;
        !to.is_full()
    }

    fn group(&self, k: usize) -> &[u8] {
        let range: Range<usize> = if k == 0 { 0..self.ends[0] } else { self.ends[k - 1]..self.ends[k] };
        &self.bytes.bytes()[range]
    }

    /// Returns one bit for each group that differs from that of another input.
    pub fn changed(&self, before: &Self) -> u8 {
        (0..GROUPS).fold(0, |all, k| all | u8::from(self.group(k) != before.group(k)) << k)
    }

    /// Writes these groups. A path that was not written since the last key frame is written with its points.
    pub fn put(&self, changed: u8, goal: &Goal, path_written: &mut Option<u64>, to: &mut Writer) {
        changed.put(to);
        for k in (0..GROUPS).filter(|k| changed >> k & 1 == 1) {
            to.put_bytes(self.group(k));
            if let (GOAL, Goal::Path { path, .. }) = (k, goal) {
                let known = *path_written == Some(path.id());
                known.put(to);
                if !known {
                    path.closed().put(to);
                    to.put_count(path.points().len());
                    to.put_bytes(bytemuck::cast_slice(path.points()));
                    *path_written = Some(path.id());
                }
            }
        }
    }
}

/// Bits of the byte after that of the ground.
const WALLS: u8 = 1;
const OBSTACLES: u8 = 2;
const BLOCK: u8 = 4;

fn put_surroundings(hooks: Hooks, obstacles: &[Obstacle], block: Option<Obstacle>, to: &mut Writer) {
    hooks.ground.put(to);
    let bit = |has: bool, bit: u8| if has { bit } else { 0 };
    let of_obstacles = bit(!obstacles.is_empty(), OBSTACLES);
    (bit(hooks.walls, WALLS) | of_obstacles | bit(block.is_some(), BLOCK)).put(to);
    if !obstacles.is_empty() {
        to.put_count(obstacles.len());
        obstacles.iter().for_each(|o| o.put(to));
    }
    if let Some(block) = block {
        block.put(to);
    }
}

fn take_surroundings(
    obstacles: &mut Vec<Obstacle>,
    block: &mut Option<Obstacle>,
    from: &mut Reader,
) -> Result<Hooks, Damage> {
    let (ground, bits) = (bool::take(from)?, u8::take(from)?);
    if bits > WALLS | OBSTACLES | BLOCK {
        return Err(Damage("the surroundings of an input"));
    }
    obstacles.clear();
    let count = if bits & OBSTACLES == 0 { 0 } else { from.take_count(size_of::<Obstacle>())? };
    for _ in 0..count {
        obstacles.push(Coded::take(from)?);
    }
    *block = if bits & BLOCK == 0 { None } else { Some(Coded::take(from)?) };
    Ok(Hooks { ground, walls: bits & WALLS != 0 })
}

fn put_goal(goal: &Goal, to: &mut Writer) {
    match goal {
        Goal::None => NONE.put(to),
        Goal::Stick(stick) => {
            STICK.put(to);
            stick.put(to);
        }
        Goal::Velocity { velocity, facing } => {
            VELOCITY.put(to);
            velocity.put(to);
            facing.put(to);
        }
        Goal::Path { path, speed_mps } => {
            PATH.put(to);
            path.id().put(to);
            speed_mps.put(to);
        }
        Goal::Trajectory(points) => {
            TRAJECTORY.put(to);
            to.put_count(points.len());
            points.iter().for_each(|p| p.put(to));
        }
    }
}

/// A decoder of inputs, change by change.
#[derive(Debug, Default)]
pub struct InputReader {
    pub input: OwnedInput,
    pub hooks: Hooks,
    /// Block of the requested action.
    block: Option<Obstacle>,
    /// The last path since the last key frame.
    path: Option<Arc<Path>>,
}

impl InputReader {
    /// Prepares for a key frame, at which all groups and the path are written again.
    pub fn begin(&mut self) {
        self.path = None;
    }

    /// Reads the groups that have changed. A `first` update must have all groups.
    pub fn read(&mut self, from: &mut Reader, first: bool) -> Result<(), Damage> {
        let changed = u8::take(from)?;
        if changed > ALL_GROUPS || (first && changed != ALL_GROUPS) {
            return Err(Damage("an input"));
        }
        let is = |k: usize| changed >> k & 1 == 1;
        if is(GOAL) {
            self.input.goal = self.take_goal(from)?;
        }
        if is(1) {
            self.input.tags = Coded::take(from)?;
            self.input.later = Coded::take(from)?;
            let count = from.take_count(size_of::<f32>())?;
            self.input.tag_costs.clear();
            for _ in 0..count {
                self.input.tag_costs.push(Coded::take(from)?);
            }
            self.input.action = Coded::take(from)?;
        }
        if is(2) {
            for values in [&mut self.input.user, &mut self.input.variables] {
                let count = from.take_count(size_of::<f32>())?;
                values.clear();
                for _ in 0..count {
                    values.push(Coded::take(from)?);
                }
            }
            let count = from.take_count(size_of::<u16>())?;
            self.input.montages.clear();
            for _ in 0..count {
                self.input.montages.push(Coded::take(from)?);
            }
        }
        if is(3) {
            self.input.body = Coded::take(from)?;
        }
        if is(4) {
            self.input.look_at = Coded::take(from)?;
        }
        if is(5) {
            self.input.hands = Coded::take(from)?;
        }
        if is(6) {
            self.hooks = take_surroundings(&mut self.input.obstacles, &mut self.block, from)?;
        }
        if let Some(action) = &mut self.input.action {
            action.block = self.block;
        }
        let input = self.input.borrow();
        input.validate(input.user.len()).map_err(|_| Damage("an input with impossible values"))
    }

    fn take_goal(&mut self, from: &mut Reader) -> Result<OwnedGoal, Damage> {
        Ok(match u8::take(from)? {
            NONE => OwnedGoal::None,
            STICK => OwnedGoal::Stick(Coded::take(from)?),
            VELOCITY => OwnedGoal::Velocity { velocity: Coded::take(from)?, facing: Coded::take(from)? },
            PATH => {
                let (id, speed_mps) = (u64::take(from)?, Coded::take(from)?);
                OwnedGoal::Path { path: self.take_path(id, from)?, speed_mps }
            }
            TRAJECTORY => {
                let count = from.take_count(size_of::<TrajectoryPoint>())?;
                let mut points = Vec::with_capacity(count);
                for _ in 0..count {
                    points.push(Coded::take(from)?);
                }
                OwnedGoal::Trajectory(points)
            }
            _ => return Err(Damage("a kind of goal")),
        })
    }

    fn take_path(&mut self, id: u64, from: &mut Reader) -> Result<Arc<Path>, Damage> {
        if !bool::take(from)? {
            let closed = bool::take(from)?;
            let count = from.take_count(size_of::<Vec3>())?;
            let mut points: Vec<Vec3> = Vec::with_capacity(count);
            for _ in 0..count {
                points.push(Coded::take(from)?);
            }
            self.path = Some(Arc::new(Path::stored(points, closed).map_err(|_| Damage("a path"))?));
        }
        self.path.clone().filter(|path| path.id() == id).ok_or(Damage("a path"))
    }
}
