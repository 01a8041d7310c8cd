//! Blend spaces at run time: clips at positions on a line or in a plane, and their blends.
//!
//! ```text
//!  BlendSpaceSpec --BlendSpace::new--> Mesh: parameters -> weights of up to 3 samples
//!      + Database                      Timeline of each sample: phase <-> time of the clip
//!
//!  BlendState --at(elapsed)--> BlendMoment: pose, velocity, root displacement, trajectory, contacts, curves
//!      ^ tick(dt, target)
//! ```
//!
//! **Synchronisation.** The phase counts strides. In every sample, the left foot touches down at 0, 1, 2..., the right foot at
//! the halves. If all samples lift their feet in the same order, the lifts have common phases, too: feet that are planted in all
//! samples are then planted together. Between two such markers, the time of each clip is linear in the phase.
//!
//! **Time.** With weights `w`, a phase `p` is reached at the time `T(p) = sum of w[k] t[k](p)`, where `t[k]` is the time of clip
//! `k`. `T` is piecewise linear and increasing, so it can be inverted exactly: the blend behaves like a clip with its own time.
//! Poses and root motion are blended with the same weights at the same phase, and each toe is placed at the mean of its sample
//! positions. A foot that all samples plant therefore stays in place, up to products of rotation differences and position
//! differences.
//!
//! **Ticks.** [`BlendState`] is the state at a control tick. Everything between two ticks is computed from it and the elapsed
//! time and changes nothing, so the frame rate does not matter. Phase and root advance with the weights of the tick. The weights
//! of the pose follow the spring of the parameters continuously, so the pose has no discontinuity at ticks.

mod clock;
mod entry;
mod feet;
mod markers;
pub(crate) mod mesh;
pub(crate) mod moment;
mod resolve;
pub(crate) mod space;
mod spec;
pub(crate) mod state;
pub(crate) mod sync;
mod timeline;

pub(super) use markers::feet;
pub(crate) use moment::{BlendMoment, BlendScratch};
pub(crate) use space::BlendSpace;
pub use spec::{BlendSample, BlendSpaceSpec, FromClips, Measure, Sync};
pub(crate) use state::BlendState;
