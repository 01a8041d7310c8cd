//! List of clips that queries exclude unless they request them: a crouch, and gestures of a standing body.

use crate::gestures::Gesture;
use crate::path::Leg;
use crate::recipe::{Recipe, Standing};
use crate::repertoire::{DEG, RUN, WALK, cm, gait, pair, stick};
use footwork::database::Database;

/// Speeds of a crouched body under a full stick, in m/s: (forward, side, back).
const CROUCHED: [f32; 3] = [1.25, 1.0, 0.9];

/// Returns the recipes of the crouch: still, walking in all directions, turning, and down and up from each of these.
pub(crate) fn crouch() -> Vec<Recipe> {
    let mut out = Vec::new();
    low(&mut out);
    low_turns(&mut out);
    changes(&mut out);
    for recipe in &mut out {
        recipe.tags.push(Database::NO_LOCOMOTION);
    }
    out
}

/// Returns a leg of standing.
fn stand(seconds: f32) -> Leg {
    Leg::steady(seconds, 0.0, 0.0, 0.0)
}

fn low(out: &mut Vec<Recipe>) {
    let idle = Recipe::new("crouch_idle", &["idle"], vec![stand(10.0).crouched()]);
    pair(out, Recipe { looping: true, ..idle });
    for v in [0.5, 0.75, 1.0, 1.25, 1.5] {
        let legs = vec![Leg::steady(4.0, v, 0.0, 0.0).crouched()];
        let walk = Recipe::new(format!("crouch_walk_{}_loop", cm(v)), &["walk"], legs);
        out.push(Recipe { looping: true, ..walk });
    }
    for angle in [0, 45, 90, 135, 180] {
        let (v, travel) = stick(CROUCHED, angle as f32 * DEG);
        // Forward and sideways facing the direction of travel; back, and sideways again, with the facing unchanged.
        if angle < 180 {
            let turn = angle as f32 * DEG;
            let legs = vec![stand(0.4).crouched(), Leg::goal(1.6, CROUCHED[0], turn, turn).crouched()];
            pair(out, Recipe::new(format!("crouch_start_{angle}"), &["start", "walk"], legs));
        }
        if angle > 0 {
            let tag = if angle == 180 { "backward" } else { "strafe" };
            let legs = vec![
                stand(0.4).crouched(),
                Leg::goal(1.8, v, travel, 0.0).crouched(),
                Leg::goal(1.4, 0.0, travel, 0.0).crouched(),
            ];
            pair(out, Recipe::new(format!("crouch_{tag}_{angle}_and_stop"), &[tag, "walk"], legs));
        }
    }
    let cross = |out: &mut Vec<Recipe>, from: i32, to: i32| {
        let leg = |seconds: f32, angle: i32| {
            let (v, travel) = stick(CROUCHED, angle as f32 * DEG);
            Leg::goal(seconds, v, travel, 0.0).crouched()
        };
        let legs = vec![Leg { exact: true, ..leg(0.6, from) }, leg(1.5, to)];
        pair(out, Recipe::new(format!("crouch_strafe_{from}_to_{to}"), &["strafe", "walk"], legs));
    };
    for (from, to) in [(0, 90), (90, 0), (90, 180), (90, -90), (0, 180)] {
        cross(out, from, to);
    }
    for v in [0.75, 1.25] {
        for half_steps in 0..2 {
            let seconds = 0.6 + half_steps as f32 / crate::laws::cadence_hz(v);
            let legs = vec![Leg::steady(seconds, v, 0.0, 0.0).crouched(), Leg::goal(1.6, 0.0, 0.0, 0.0).crouched()];
            let late = if half_steps == 0 { "" } else { "_late" };
            pair(out, Recipe::new(format!("crouch_stop_{}{late}", cm(v)), &["stop", "walk"], legs));
        }
    }
}

fn low_turns(out: &mut Vec<Recipe>) {
    for (v, radius) in [(0.75, 0.7), (1.25, 1.0), (1.25, 2.0)] {
        let rate = v / radius;
        let leg = Leg { travel_rate: rate, facing_rate: rate, ..Leg::steady(2.6, v, 0.0, 0.0) }.crouched();
        let name = format!("crouch_curve_{}_radius_{}", cm(v), cm(radius));
        pair(out, Recipe::new(name, &["curve", "walk"], vec![leg]));
    }
    for angle in [45, 90, 135, 180] {
        let a = angle as f32 * DEG;
        let legs = vec![stand(0.3).crouched(), Leg::goal(1.8, 0.0, 0.0, a).crouched()];
        pair(out, Recipe::new(format!("crouch_turn_{angle}"), &["turn"], legs));
    }
    for angle in [90, 180] {
        let (v, a) = (CROUCHED[0], angle as f32 * DEG);
        let legs = vec![Leg::steady(0.6, v, 0.0, 0.0).crouched(), Leg::goal(1.6, v, a, a).crouched()];
        pair(out, Recipe::new(format!("crouch_plant_{angle}"), &["turn", "walk"], legs));
    }
}

/// Adds motions down and up, standing and in every gait, from either foot.
fn changes(out: &mut Vec<Recipe>) {
    /// Seconds before the change. A stick's last second would be known, but more time has no benefit.
    const BEFORE_S: f32 = 0.4;
    let (down, up) = ("crouch_down", "crouch_up");
    pair(out, Recipe::new(format!("{down}_idle"), &[], vec![stand(0.2), stand(1.6).crouched()]));
    pair(out, Recipe::new(format!("{up}_idle"), &[], vec![stand(0.2).crouched(), stand(1.6)]));
    // Both speeds, the direction, and the tag of the gait.
    let mut both = |name: &str, tags: &[&'static str], upright: Leg, low: Leg, half_steps: u32| {
        let before = |leg: Leg| {
            let seconds = BEFORE_S + half_steps as f32 / crate::laws::cadence_hz(leg.speed);
            Leg { seconds, exact: true, ..leg }
        };
        let late = if half_steps == 0 { "" } else { "_late" };
        let low = low.crouched();
        let legs = [(down, vec![before(upright), low]), (up, vec![before(low), upright])];
        for (way, legs) in legs {
            pair(out, Recipe::new(format!("{way}_{name}{late}"), tags, legs));
        }
    };
    let go = |v: f32| Leg::goal(1.4, v, 0.0, 0.0);
    for (v, low) in [(0.8, 0.75), (1.25, 1.0), (WALK[0], CROUCHED[0]), (2.5, 1.5), (RUN[0], 1.5)] {
        both(&format!("{}_{}", gait(v), cm(v)), &[gait(v)], go(v), go(low), 0);
    }
    let aside = |speeds: [f32; 3], angle: i32| {
        let (v, travel) = stick(speeds, angle as f32 * DEG);
        Leg::goal(1.4, v, travel, 0.0)
    };
    both("strafe_90", &["strafe", "walk"], aside(WALK, 90), aside(CROUCHED, 90), 0);
    both("backward", &["backward", "walk"], aside(WALK, 180), aside(CROUCHED, 180), 0);
}

/// Returns the recipes of the gestures.
pub(crate) fn gestures() -> Vec<Recipe> {
    let take = |name: &str, gesture: Gesture| {
        let recipe = Recipe::new(name, &["upper_body", gesture.tag()], vec![stand(gesture.seconds())]);
        let mut recipe = Recipe { gesture: Some(gesture), ..recipe };
        recipe.tags.push(Database::NO_LOCOMOTION);
        recipe
    };
    let mut out = Vec::new();
    for (pitch, name) in [(-40, "up_40"), (0, "level"), (40, "down_40")] {
        for yaw in [0, 35, 70] {
            let aim = Gesture::Aim { yaw: yaw as f32 * DEG, pitch: pitch as f32 * DEG };
            let pose = take(&format!("aim_{name}_yaw_{yaw}"), aim);
            let pose = Recipe { looping: true, standing: Standing::Still, ..pose };
            if yaw == 0 { out.push(pose) } else { pair(&mut out, pose) }
        }
    }
    pair(&mut out, take("wave", Gesture::Wave));
    out.push(take("reload", Gesture::Reload));
    out.push(take("look_around", Gesture::LookAround));
    out
}
