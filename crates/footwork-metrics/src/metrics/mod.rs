//! One function per metric. Speeds are backward differences at 60 Hz; "horizontal" is x and z.

pub mod feet;
pub mod jerk;
pub mod posture;
pub mod response;
pub mod root;
pub mod seam;
pub mod skate;
pub mod uneven;
