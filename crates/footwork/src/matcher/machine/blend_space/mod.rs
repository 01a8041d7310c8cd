//! Blend spaces at run time: clips at places of a line or a plane, and what lies between them.
//!
//! ```text
//!  BlendSpaceSpec --BlendSpace::new--> Mesh: parameters -> weights of up to 3 samples
//!      + Database                      Timeline of each sample: phase <-> time of the clip
//!
//!  BlendState --at(elapsed)--> BlendMoment: pose, velocity, way of the root, trajectory, contacts, curves
//!      ^ tick(dt, target)
//! ```
//!
//! **Synchronisation.** A phase counts strides. The left foot touches down at 0, 1, 2..., the right foot at the halves, in every
//! sample. Where samples also lift their feet in one order, the lifts have common phases, too: then feet that are planted in all
//! samples are planted together. Between two such markers the time of each clip is linear in the phase.
//!
//! **Time.** With weights `w`, a phase `p` is reached at the time `T(p) = sum of w[k] t[k](p)`, where `t[k]` is the time of clip
//! `k`. `T` is piecewise linear and rises, so it can be inverted exactly: the blend is a clip with a time of its own. Poses and root
//! motion are blended with the same weights at the same phase, and each toe is put at the mean of its places: so a foot that all
//! samples plant stays where it is, up to differences of turning times differences of place.
//!
//! **Ticks.** [`BlendState`] is as of a control tick. Everything between two ticks is computed from it and the time since, and
//! leaves no trace, so the frame rate does not matter. Phase and root go on with the weights of the tick; the weights of the pose
//! follow the parameters' spring at every moment, so that the pose has no steps at ticks.

mod clock;
mod entry;
mod feet;
mod markers;
mod mesh;
mod moment;
mod resolve;
mod space;
mod spec;
mod state;
mod sync;
mod timeline;

pub(super) use markers::feet;
pub use mesh::Weights;
pub use moment::{BlendMoment, BlendRoom};
pub use space::BlendSpace;
pub use spec::{BlendSample, BlendSpaceSpec, FromClips, Measure, Sync};
pub use state::{BlendState, LeaderSpan};
pub use sync::{SampleSync, Synced};
