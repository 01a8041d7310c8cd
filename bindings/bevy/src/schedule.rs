//! Order of all systems.
//!
//! ```text
//!  PostUpdate:  Bevy's animation -> Predict -> Match -> Pose -> Adjust -> WriteBack -> propagation of transforms
//! ```
//!
//! | set | steps |
//! |---|---|
//! | `Predict` | load characters, fit models, probe for actions, read inputs and obstacles, plan searches |
//! | `Match` | update every character: prediction, search, playback, blending, foot locks; on all threads |
//! | `Pose` | convert poses to the game's models, send events |
//! | `Adjust` | empty: systems of the game may change [`MotionModel::pose`](crate::MotionModel) |
//! | `WriteBack` | write the `Transform`s of the character and its joints |
//!
//! With fixed steps ([`crate::FootworkPlugin::in_fixed_steps`]), all of it runs in `FixedPostUpdate`, except that `PostUpdate`
//! interpolates the character and its joints between the last two steps, and writes them.

use crate::assets::{MotionConfig, MotionDatabase, MotionLoader, MotionMachine, MotionNetworks};
use crate::probe::MotionWorld;
use crate::{
    FootworkPlugin, action_probe, actions, character, choose, components, events, input, kinds, learn, matching, model,
    obstacles, pose, root, variables,
};
use bevy_app::AnimationSystems;
use bevy_app::prelude::*;
use bevy_asset::AssetApp;
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::{InternedScheduleLabel, ScheduleLabel};
use bevy_ecs::system::SystemParamItem;
use bevy_transform::TransformSystems;

pub use crate::sets::MotionSystems;

impl<W: MotionWorld> Plugin for FootworkPlugin<W>
where
    for<'w, 's> SystemParamItem<'w, 's, W::Param>: Sync,
{
    fn build(&self, app: &mut App) {
        app.init_asset::<MotionDatabase>()
            .init_asset::<MotionConfig>()
            .init_asset::<MotionNetworks>()
            .init_asset::<MotionMachine>()
            .init_asset_loader::<MotionLoader<MotionDatabase>>()
            .init_asset_loader::<MotionLoader<MotionConfig>>()
            .init_asset_loader::<MotionLoader<MotionNetworks>>()
            .init_asset_loader::<MotionLoader<MotionMachine>>()
            .init_resource::<actions::LastRequest>()
            .init_resource::<kinds::Kinds>()
            .init_resource::<matching::Crowds>()
            .init_resource::<matching::MotionBudget>()
            .insert_resource(pose::Overstep(1.0))
            .register_type::<components::MotionCharacter>()
            .register_type::<components::MotionPaused>()
            .register_type::<actions::MotionAction>()
            .register_type::<obstacles::MotionObstacle>()
            .register_type::<choose::MotionChooser>()
            .register_type::<input::MotionInput>()
            .register_type::<variables::MotionVariables>()
            .register_type::<input::LookAt>()
            .register_type::<input::HandTargets>()
            .register_type::<input::MotionBody>()
            .register_type::<matching::MotionBudget>()
            .register_type::<matching::MotionViewer>()
            .register_type::<model::MotionRoles>()
            .register_type::<pose::MotionMask>()
            .register_type::<components::RootMotion>()
            .add_observer(pose::mark_entering);
        #[cfg(feature = "animation")]
        crate::animation::add(app);
        #[cfg(feature = "camera")]
        crate::camera::add(app);
        let post_update: InternedScheduleLabel = PostUpdate.intern();
        add_steps::<W>(app, self.schedule);
        add_write_back(app);
        if self.schedule == post_update {
            app.configure_sets(PostUpdate, MotionSystems::Predict.after(AnimationSystems));
        } else if self.schedule == FixedPostUpdate.intern() {
            app.add_systems(PostUpdate, pose::read_overstep.before(MotionSystems::WriteBack));
        }
    }
}

/// Adds the systems that update characters.
fn add_steps<W: MotionWorld>(app: &mut App, schedule: InternedScheduleLabel)
where
    for<'w, 's> SystemParamItem<'w, 's, W::Param>: Sync,
{
    use MotionSystems::{Adjust, Match, Pose, Predict, WriteBack};
    app.configure_sets(schedule, (Predict, Match, Pose, Adjust, WriteBack).chain());
    let models = (model::fit_models, learn::learn_bodies);
    let arrive =
        (choose::choose_characters, kinds::make_kinds, character::adopt_kinds, models.chain(), pose::apply_masks);
    let inputs = (action_probe::probe_ahead::<W>, matching::prepare_inputs, obstacles::see_obstacles);
    let prepare = (pose::watch_paused, pose::enter_shown, inputs.chain(), matching::plan_searches);
    app.add_systems(schedule, (arrive.chain(), prepare.chain()).chain().in_set(Predict));
    app.add_systems(schedule, (matching::match_motion::<W>, matching::record_searches).chain().in_set(Match));
    app.add_systems(schedule, (pose::pose_models, root::track_roots, events::report_events).in_set(Pose));
    app.add_systems(schedule, root::write_roots.in_set(WriteBack));
}

/// Adds the systems that write joints.
fn add_write_back(app: &mut App) {
    let write_back = (root::interpolate_roots, pose::write_joints).chain().in_set(MotionSystems::WriteBack);
    app.add_systems(PostUpdate, write_back.after(root::write_roots));
    let shown = MotionSystems::WriteBack.after(AnimationSystems).before(TransformSystems::Propagate);
    app.configure_sets(PostUpdate, shown);
}
