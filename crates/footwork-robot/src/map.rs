//! The map from clips with one skeleton to a robot, and its options.

use crate::error::RobotError;
use crate::model::RobotModel;
use crate::parts::{Parts, SIDES};
use crate::sole::Sole;
use crate::stand_in::StandIn;
use footwork::retarget::{Reference, RetargetMap};
use std::collections::BTreeMap;

/// Default of [`RobotOptions::max_speed_rad_s`]: the slowest motors of the legs of a Unitree G1 turn at 20 rad/s at most.
pub const MAX_SPEED_RAD_S: f64 = 20.0;
/// Options of retargeting.
#[derive(Clone, Debug, PartialEq)]
pub struct RobotOptions {
    /// Maximum speed of every hinge, rad/s. MJCF has no speeds. Range: above 0. Default: 20.
    pub max_speed_rad_s: f64,
    /// Parts of the robot that are not found by names and shape: see [`Parts::find`].
    pub parts: BTreeMap<String, String>,
}

impl Default for RobotOptions {
    fn default() -> Self {
        Self { max_speed_rad_s: MAX_SPEED_RAD_S, parts: BTreeMap::new() }
    }
}

/// A map from clips with one skeleton to a robot.
#[derive(Clone, Debug)]
pub struct Retargeting {
    /// The robot.
    pub model: RobotModel,
    /// Its limbs.
    pub parts: Parts,
    pub(crate) stand_in: StandIn,
    pub(crate) map: RetargetMap,
    options: RobotOptions,
}

impl Retargeting {
    /// Creates a map from the body `source` (see [`Reference::of_clips`]) to a robot.
    ///
    /// # Errors
    /// Returns an error for invalid options, for a robot whose limbs cannot be found or that does not stand in the pose of its
    /// file, and for a source that does not walk on two legs.
    pub fn new(model: RobotModel, source: Reference, options: RobotOptions) -> Result<Self, RobotError> {
        let speed = options.max_speed_rad_s;
        if !(speed.is_finite() && speed > 0.0) {
            let what = format!("maximum speed: expected more than 0 rad/s, found {speed}; set a positive speed");
            return Err(RobotError::Options { what });
        }
        let parts = Parts::find(&model, &options.parts)?;
        let stand_in = StandIn::new(&model, &parts)?;
        let map = RetargetMap::new(source, stand_in.reference.clone())?;
        Ok(Self { model, parts, stand_in, map, options })
    }

    /// Returns the maximum speed of a hinge, rad/s.
    pub(crate) fn max_speed_rad_s(&self) -> f64 {
        self.options.max_speed_rad_s
    }

    /// Returns the length of the robot's legs relative to the source's: the scale of all positions.
    pub fn scale(&self) -> f32 {
        self.map.scale
    }

    /// Returns the names of the bodies and hinges of the parts, by part.
    pub fn part_names(&self) -> BTreeMap<String, String> {
        let body = |b: usize| self.model.bodies[b].name.clone();
        let hinge = |h: usize| self.model.hinges[h].name.clone();
        let mut names = BTreeMap::from([("torso".to_owned(), body(self.parts.torso))]);
        names.extend(self.parts.head.map(|head| ("head".to_owned(), body(head))));
        for (s, side) in SIDES.iter().enumerate() {
            let leg = &self.parts.legs[s];
            names.insert(format!("{side}_foot"), body(leg.bodies[2]));
            names.insert(format!("{side}_knee"), hinge(leg.middle));
            if let Some(arm) = &self.parts.arms[s] {
                names.insert(format!("{side}_hand"), body(arm.bodies[2]));
                names.insert(format!("{side}_elbow"), hinge(arm.middle));
            }
        }
        names
    }

    /// Returns limitations of the model.
    pub fn notes(&self) -> Vec<String> {
        let assumed = self.stand_in.soles.iter().filter(|s| !s.known);
        let note = |sole: &Sole| {
            format!(
                "body `{}` has no sphere, capsule, box, cylinder or ellipsoid: its sole is assumed from the length of the leg",
                self.model.bodies[sole.body].name
            )
        };
        assumed.map(note).collect()
    }
}
