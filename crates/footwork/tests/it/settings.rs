//! Every setting of the matcher has an effect: another value gives other motion.

use crate::common;

use footwork::advanced::settings::{Field, Kind, Settings};
use footwork::build::{BuildConfig, ClipRule, TagSpec};
use footwork::database::Database;
use footwork::matcher::{MatcherConfig, MotionMatcher};
use serde_json::{Value, json};
use std::sync::Arc;
use xxhash_rust::xxh3::Xxh3;

/// Returns configurations, each with a feature enabled that the others leave out.
fn contexts() -> Vec<Value> {
    let changes = [
        json!({}),
        json!({ "prediction": { "model": "bend" } }),
        json!({ "root": { "mode": "mixed", "clamp_m": 0.02, "clamp_deg": 2.0, "adjust": false } }),
        json!({ "transition": { "seam": "quintic", "upper_seam": "dead_blend" } }),
        json!({ "feet": { "lock": "reference" } }),
        json!({ "search": { "candidates": 1, "interval_s": 1.0 }, "root": { "adjust": false, "clamp": false } }),
    ];
    let base = json!({ "orientation_warp": {}, "stride_warp": {} });
    changes.into_iter().map(|change| merged(&base, &change)).collect()
}

fn merged(a: &Value, b: &Value) -> Value {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            let mut all = a.clone();
            for (k, v) in b {
                let value = all.get(k).map_or_else(|| v.clone(), |old| merged(old, v));
                all.insert(k.clone(), value);
            }
            Value::Object(all)
        }
        (_, b) => b.clone(),
    }
}

/// Returns values other than `now`.
fn others(field: &Field, kind: &Kind, now: &Value) -> Vec<Value> {
    let (low, high) = field.range.unwrap_or((0.0, 1.0));
    let mut all = match kind {
        Kind::Switch => vec![json!(now != &json!(true))],
        Kind::Number => {
            let v = now.as_f64().unwrap();
            let near = [v * 1.5 + 0.05, v * 0.5, v - 0.05, v * 4.0, v * 0.1, 0.5 * (low + high), low];
            near.iter().map(|v| json!(v.clamp(low, high))).collect()
        }
        Kind::Count => vec![json!(low as u64), json!(high as u64)],
        Kind::Choice(choices) => choices.iter().map(|c| json!(c.name)).collect(),
        Kind::List(_, None) => vec![json!([])],
        Kind::List(_, Some(2)) => vec![json!(["right_hand", "left_hand"])],
        Kind::Optional(kind) => others(field, kind, &json!(1.0)),
        Kind::Map(_) => vec![json!({ "LeftFoot position": 9.0 })],
        other => panic!("{}: no test for {other:?}", field.key),
    };
    all.retain(|v| v != now);
    all
}

/// Returns a hash of the motion of a character: steered and unsteered, over hills, with look-at and hand targets.
fn motion(db: &Arc<Database>, config: &MatcherConfig) -> u64 {
    let ground = |at: glam::Vec3| common::stages::hill(at);
    let mut m = MotionMatcher::new(db.clone(), config.clone()).unwrap();
    let mut hash = Xxh3::new();
    for k in 0..300 {
        let time_s = f64::from(k) / 30.0;
        let input = if k < 240 { common::stages::everything(time_s, &ground) } else { common::unsteered() };
        common::hash_pose(&mut hash, m.update(&input, 1.0 / 30.0).unwrap());
    }
    hash.digest()
}

struct Check {
    /// Each context, its database, and its motion.
    contexts: Vec<(Value, Arc<Database>, u64)>,
    tried: usize,
    dead: Vec<String>,
}

impl Check {
    fn table(&mut self, fields: &'static [Field], path: &[&'static str]) {
        for field in fields {
            let path = [path, &[field.key]].concat();
            match &field.kind {
                // The tests of actions have those of a table of its own: no action is requested here.
                Kind::Table(_) if field.key == "actions" => {}
                Kind::Table(fields) => self.table(fields, &path),
                kind => {
                    self.tried += 1;
                    if !self.acts(field, kind, &path) {
                        self.dead.push(path.join("."));
                    }
                }
            }
        }
    }

    fn acts(&self, field: &Field, kind: &Kind, path: &[&'static str]) -> bool {
        self.contexts.iter().any(|(context, db, before)| {
            let config: MatcherConfig = serde_json::from_value(context.clone()).unwrap();
            let all: Value = serde_json::from_str(&serde_json::to_string(&config).unwrap()).unwrap();
            let now = path.iter().fold(&all, |v, key| &v[key]);
            others(field, kind, now).into_iter().any(|other| {
                let change = path.iter().rev().fold(other, |v, key| json!({ *key: v }));
                let config: MatcherConfig = serde_json::from_value(merged(&all, &change)).unwrap();
                motion(db, &config) != *before
            })
        })
    }
}

#[test]
fn every_setting_of_the_matcher_changes_the_motion() {
    let tags = vec![TagSpec { name: "slope".into(), start_s: None, end_s: None }];
    let rule = ClipRule { name: "walk*".into(), tags, ..ClipRule::default() };
    let config = BuildConfig { clips: vec![rule], ..BuildConfig::default() };
    let db = Arc::new(common::built(common::clips(), &config).0);
    let straight = [common::clip("idle"), common::clip("walk_175_loop")];
    let straight = Arc::new(common::built(&straight, &BuildConfig::default()).0);
    let of = |(context, db): (Value, &Arc<Database>)| {
        let before = motion(db, &serde_json::from_value(context.clone()).unwrap());
        (context, Arc::clone(db), before)
    };
    let all = contexts().into_iter().map(|c| (c, &db)).chain([(json!({}), &straight)]);
    let mut check = Check { contexts: all.map(of).collect(), tried: 0, dead: Vec::new() };
    check.table(MatcherConfig::FIELDS, &[]);
    assert!(check.tried > 90, "{}", check.tried);
    assert!(check.dead.is_empty(), "settings without effect: {:?}", check.dead);
}
