//! `footwork search`: runs one query and explains the result.

use crate::args::{Common, GaitKind, SearchArgs};
use crate::simulate::{print_candidates, tag_query};
use anyhow::{Context, Result, anyhow, bail};
use footwork::advanced::search::explain::Outcome;
use footwork::advanced::search::{Explanation, SearchIndex};
use footwork::database::{Clip, Database};
use footwork::frames::RowIndex;
use footwork::input::{Gait, Goal, MotionInput, Stick};
use footwork::matcher::Character;
use footwork::math::Facing;
use glam::Vec2;
use serde_json::json;
use std::sync::Arc;

/// Runs the command.
pub fn search(args: &SearchArgs, common: &Common) -> Result<()> {
    let (db, config) = common.open()?;
    let db = Arc::new(db);
    let row = row_at(&db, &args.clip, args.at)?;
    let goal = goal(args)?;
    let tags = tag_query(&db, args.tags.as_deref())?;
    let input = MotionInput { goal: goal.unwrap_or_default(), tags, ..MotionInput::default() };
    let character = Character::new(Arc::clone(&db), config.clone())?;
    let recorded = character.query_at_row(&input, row).context("the character has no database")?;
    let query = recorded.ask();
    query.validate(&db)?;
    let winner = SearchIndex::build(&db, config.search.backend).search(&db, &query);
    let stays = recorded.continuing.map_or(f32::INFINITY, |c| c.cost);
    let improves = |cost: f32| cost < stays * (1.0 - config.search.minimum_improvement);
    let jumped = winner.is_some_and(|w| !w.continuing && improves(w.cost));
    let all = 2 * db.rows();
    let mut told = Explanation::of(&db, &query, db.features.row(row), Outcome { winner, jumped }, all);
    told.keep_best(args.k, args.explain);
    let clip = &db.clips[db.row_clips[row.at()].at()];
    if common.json {
        let mut object = serde_json::to_value(&told)?;
        object["clip"] = json!(clip.name);
        object["at_s"] = json!(db.row_time_s(row));
        object["row"] = json!(row);
        object["search"] = json!(config.search.backend.name());
        object["jumps"] = json!(jumped);
        out!("{object}");
    } else {
        let what = if goal.is_some() { "another goal" } else { "its own future" };
        out!("{} at {:.2} s (row {}), with {what}", clip.name, db.row_time_s(row), row.0);
        let left_out: Vec<String> = told.excluded.iter().map(|(why, rows)| format!("{rows} ({why})")).collect();
        out!("{} rows; excluded: {}", told.rows, left_out.join(", "));
        print_candidates(&told, args.explain);
    }
    Ok(())
}

/// Returns the row nearest to a time of a clip.
fn row_at(db: &Database, name: &str, at_s: f64) -> Result<RowIndex> {
    let index = db.clip_named(name).map_err(|error| {
        let hint = error.nearest.map(|n| format!("; the nearest is `{n}`")).unwrap_or_default();
        anyhow!("--clip {name}: unknown clip{hint}; `footwork inspect --clips 1000` lists the clips")
    })?;
    let clip: &Clip = &db.clips[index.at()];
    let seconds = db.view(index, false).seconds();
    if !(0.0..=seconds).contains(&at_s) {
        bail!("--at {at_s}: expected 0 to {seconds:.2} seconds in clip `{}`", clip.name);
    }
    let row = db.row_at(index, at_s);
    row.with_context(|| format!("clip `{}`: expected at least one row; the clip is too short", clip.name))
}

/// Returns the requested goal; `None` for the clip's own future.
fn goal(args: &SearchArgs) -> Result<Option<Goal<'static>>> {
    if let Some(speed) = args.goal_speed {
        if !(0.0..=100.0).contains(&speed) || !args.goal_direction.is_finite() {
            bail!("--goal-speed {speed}: expected 0 to 100 m/s, and a direction in degrees");
        }
        let towards = Facing::from_yaw(args.goal_direction.to_radians());
        let facing = Some(towards).filter(|_| speed > 0.0);
        return Ok(Some(Goal::Velocity { velocity: towards.direction() * speed, facing }));
    }
    match args.stick.as_slice() {
        [] => Ok(None),
        [x, z] if x.abs() <= 1.0 && z.abs() <= 1.0 => {
            let gait = match args.gait {
                GaitKind::Walk => Gait::Walk,
                GaitKind::Run => Gait::Run,
            };
            Ok(Some(Goal::Stick(Stick { movement: Vec2::new(*x, *z), gait, ..Stick::default() })))
        }
        other => bail!("--stick {other:?}: expected X,Z, each from -1 to 1"),
    }
}
