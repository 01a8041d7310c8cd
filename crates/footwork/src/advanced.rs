//! Items for tools. **It may change in any release**, without a note in the changelog.
//!
//! Games and servers need nothing of it. Its modules have the names of those from which their content comes.

/// Two-bone inverse kinematics: bends a leg or an arm so that its end reaches a point.
pub mod adjust {
    pub use crate::adjust::two_bone_ik::{BentLeg, Reach};
}

/// What the builder measures and reports, and its single steps.
#[cfg(feature = "build")]
pub mod build {
    pub use crate::build::blend_space::BlendReport;
    pub use crate::build::clip_report::{ClipReport, ColumnReport, Skipped};
    pub use crate::build::config::matches_pattern;
    pub use crate::build::glitches::{Glitch, mend_glitches};
    pub use crate::build::loops::{Gap, Loop, LoopReport, Round};
    pub use crate::build::multiply::{Dropped, Made};
    pub use crate::build::normalize::NormalizeError;
    pub use crate::build::prune::{Pruned, find as find_repeats};
    pub use crate::build::report::RoleSource;
    pub use crate::build::root_motion::{RootError, find_sides};
}

/// Sets of tags and costs by tag, as searches read them.
pub mod database {
    pub use crate::database::tag_costs::TagCosts;
    pub use crate::database::tag_sets::{AcceptedTags, SetAside};
}

/// Text of error messages.
pub mod error {
    pub use crate::error::*;
}

/// Reading and writing of files.
pub mod files {
    pub use crate::container::read_safetensors;
    pub use crate::files::*;
}

/// How far a frame of a clip keeps up with a command.
pub mod foresight {
    pub use crate::foresight::*;
}

/// Inputs that own what they hold, and calls of montages as an input carries them.
pub mod input {
    pub use crate::input::montages::{MontageAction, MontageCall};
    pub use crate::input::owned::{OwnedGoal, OwnedInput};
}

/// Networks, their files and what they are trained on.
pub mod learned {
    pub use crate::learned::body::{BodyLayout, ROTATION_WIDTH, Sampler};
    pub use crate::learned::chooser::choice_weights;
    pub use crate::learned::layer::{Layer, Precision, Weights};
    pub use crate::learned::network::{Network, NetworkError, NetworkScratch};
    pub use crate::learned::networks::{Calibration, Decompression, NetworkParts, STEP_S};
}

/// Views of a running state machine, and its blend spaces.
pub mod machine {
    pub use crate::machine::blend_space::mesh::Weights;
    pub use crate::machine::blend_space::moment::{BlendMoment, BlendScratch};
    pub use crate::machine::blend_space::space::BlendSpace;
    pub use crate::machine::blend_space::state::{BlendState, LeaderSpan};
    pub use crate::machine::blend_space::sync::{SampleSync, Synced};
    pub use crate::machine::exits::ExitTerm;
    pub use crate::machine::view::{LayerView, MachineView};
}

/// What a character keeps of its last search, the head of its state, and a step of one character.
pub mod matcher {
    pub use crate::matcher::scratch::LastSearch;
    pub use crate::matcher::state::StateHeader;
    pub use crate::matcher::step::One;
}

/// Functions with the same bits on every machine.
pub mod math {
    pub use crate::math::functions::*;
    pub use crate::math::random::Random;
    /// Smoothing by the filter of Savitzky and Golay.
    pub mod savgol {
        pub use crate::math::savgol::*;
    }
    pub use crate::math::spring::{to_goal, to_velocity};
    pub use crate::math::yaw::wrap_angle;
}

/// The motion of a database: poses, mirroring, speeds.
pub mod motion {
    pub use crate::motion::codec::EncodedPoses;
    pub use crate::motion::mirror::{MirrorError, MirrorTable, is_left, other_side};
    pub use crate::motion::poses::{ClipView, PosePool};
    pub use crate::motion::stick::{PaceSpeeds, StickSpeeds};
}

/// Traces that grow, and what a replay shows of them.
pub mod recorder {
    pub use crate::recorder::data_id::DataId;
    pub use crate::recorder::piece::{Cursor, Piece};
    pub use crate::recorder::replay::NamedGround;
    pub use crate::recorder::trace::Decision;
}

/// The legs of a body.
pub mod rig {
    pub use crate::rig::leg::Leg;
}

/// Sources of features, and their drawing.
pub mod schema {
    pub use crate::schema::buffers::SourceBuffers;
    pub use crate::schema::channel::ChannelKind;
    pub use crate::schema::source::{DebugShape, FeatureSource, MirrorColumn, TrajectorySample};
}

/// Searches by themselves, and why they find what they find.
pub mod search {
    pub use crate::search::*;
}

/// Descriptions of all settings.
pub mod settings {
    pub use crate::settings::*;
}

/// The desired motion of a character, its prediction, and the motions that a set of clips lacks.
pub mod trajectory {
    pub use crate::trajectory::control::{PathProgress, Steering};
    pub use crate::trajectory::dance_card::{
        DIRECTIONS, DanceCardCell, SPEEDS_MPS, TURNS_DEG_S, TravelSeconds, dance_card, travel_seconds,
    };
    pub use crate::trajectory::predict::Prediction;
    pub use crate::trajectory::simulation::{Desired, Simulation};
}
