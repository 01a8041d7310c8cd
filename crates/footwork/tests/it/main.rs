//! Tests of the library, in one program: test data are built once, and it is linked once.

mod blend_space;
mod build_journey;
mod build_rules;
mod clip_folders;
#[path = "../common/mod.rs"]
mod common;
mod corrupted_states;
mod events;
mod examples;
mod foresight;
mod gaze_and_hands;
mod ground;
mod growing_trace;
mod hosts;
mod invariant_1_exact;
mod invariant_1_exact_tree;
mod invariant_2_deterministic;
mod invariant_4_frame_rate;
mod invariant_5_all_or_nothing;
mod invariant_6_finite;
mod invariant_7_one_state;
mod learned;
mod loops;
mod machine;
mod odd_folders;
mod query;
mod recorder;
mod retarget;
mod scheduler;
mod search_classics;
mod settings;
mod stages;
mod tags;
mod terrain;
mod walls;
mod warping;
