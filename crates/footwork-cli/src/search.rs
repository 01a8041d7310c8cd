//! `footwork search`: runs one query and explains the result.

use crate::args::{Common, GaitKind, SearchArgs};
use crate::simulate::{print_candidates, tag_query};
use anyhow::{Context, Result, bail};
use footwork::advanced::search::explain::Outcome;
use footwork::advanced::search::{Explanation, SearchIndex, Verdict};
use footwork::database::{Clip, Database};
use footwork::frames::{ClipIndex, RowIndex};
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
    keep_best(&mut told, args.k, args.explain);
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

/// Keeps the `k` best candidates and the playing row; with `left_out` also as many excluded rows of similar
/// cost.
fn keep_best(told: &mut Explanation, k: usize, left_out: bool) {
    let (mut open, mut closed) = (0, 0);
    told.candidates.retain(|c| match c.verdict {
        Verdict::Excluded(_) => {
            closed += 1;
            left_out && open < k && closed <= k
        }
        Verdict::Continued => true,
        _ => {
            open += 1;
            open <= k
        }
    });
}

/// Returns the row nearest to a time of a clip.
fn row_at(db: &Database, name: &str, at_s: f64) -> Result<RowIndex> {
    let named = db.clips.iter().position(|c| c.name == name);
    let numbered = || name.parse().ok().filter(|i| *i < db.clips.len());
    let Some(index) = named.or_else(numbered) else {
        let hint = footwork::advanced::error::nearest(name, db.clips.iter().map(|c| c.name.as_str()));
        let hint = hint.map(|n| format!("; the nearest is `{n}`")).unwrap_or_default();
        bail!("--clip {name}: unknown clip{hint}; `footwork inspect --clips 1000` lists the clips");
    };
    let clip: &Clip = &db.clips[index];
    let seconds = db.view(ClipIndex::new(index), false).seconds();
    if !(0.0..=seconds).contains(&at_s) {
        bail!("--at {at_s}: expected 0 to {seconds:.2} seconds in clip `{}`", clip.name);
    }
    let rows = clip.row_range();
    if rows.is_empty() {
        bail!("clip `{}`: expected at least one row; the clip is too short", clip.name);
    }
    let place = (at_s * f64::from(db.search_rate_hz)).round() as usize;
    Ok(RowIndex::new(rows.start + place.min(rows.len() - 1)))
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
