//! Hiding the seam of a transition.

pub mod inertialize;
