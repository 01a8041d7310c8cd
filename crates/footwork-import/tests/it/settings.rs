//! Tests that every setting in the descriptors is read, checked against its range, and rejected by its full name.

use footwork::advanced::settings::{Field, Kind, Settings};
use footwork_import::CharacterConfig;
use std::path::Path;
use toml::{Table, Value};

/// A leaf of the configuration, with a function that builds a file with a value of it.
struct Leaf<'a> {
    /// Key as in an error: `build.clips[0].name`.
    key: String,
    field: &'static Field,
    kind: &'static Kind,
    document: Box<dyn Fn(Value) -> Table + 'a>,
}

/// Returns a valid value.
fn sample(field: &Field, kind: &Kind) -> Value {
    let (low, high) = field.range.unwrap_or((0.0, 1.0));
    match kind {
        Kind::Switch => Value::Boolean(true),
        Kind::Number => Value::Float(1f64.clamp(low, high)),
        Kind::Count => Value::Integer(1.clamp(low as i64, high as i64)),
        Kind::Text if field.key == "units" => Value::String("cm".into()),
        Kind::Text => Value::String("x".into()),
        Kind::Choice(choices) => Value::String(choices[0].name.into()),
        Kind::Optional(kind) => sample(field, kind),
        Kind::List(kind, count) => Value::Array(vec![sample(field, kind); count.unwrap_or(1)]),
        Kind::Table(fields) => Value::Table(required(fields)),
        Kind::Map(kind) => Value::Table([("some label".to_owned(), sample(field, kind))].into_iter().collect()),
    }
}

/// Returns the required keys with a value each.
fn required(fields: &[Field]) -> Table {
    fields.iter().filter(|f| f.required).map(|f| (f.key.to_owned(), sample(f, &f.kind))).collect()
}

/// Calls `visit` for every leaf of a table; `around` wraps the table into a file.
fn leaves(fields: &'static [Field], path: &str, around: &dyn Fn(Table) -> Table, visit: &mut dyn FnMut(&Leaf)) {
    for field in fields {
        let key = if path.is_empty() { field.key.to_owned() } else { format!("{path}.{}", field.key) };
        let with = |value: Value| {
            let mut table = required(fields);
            table.insert(field.key.to_owned(), value);
            around(table)
        };
        leaf(field, &field.kind, key, &with, visit);
    }
}

fn leaf(
    field: &'static Field,
    kind: &'static Kind,
    key: String,
    with: &dyn Fn(Value) -> Table,
    visit: &mut dyn FnMut(&Leaf),
) {
    match kind {
        Kind::Table(fields) => leaves(fields, &key, &|table| with(Value::Table(table)), visit),
        Kind::List(kind, count) => {
            let rest = count.map_or(0, |c| c - 1);
            let list = |value: Value| {
                let others = std::iter::repeat_n(sample(field, kind), rest);
                with(Value::Array(std::iter::once(value).chain(others).collect()))
            };
            leaf(field, kind, format!("{key}[0]"), &list, visit);
        }
        Kind::Map(kind) => {
            let map = |value| with(Value::Table([("some label".to_owned(), value)].into_iter().collect()));
            leaf(field, kind, format!("{key}.\"some label\""), &map, visit);
        }
        Kind::Optional(kind) => leaf(field, kind, key, with, visit),
        kind => visit(&Leaf { key, field, kind, document: Box::new(with) }),
    }
}

fn each(visit: &mut dyn FnMut(&Leaf)) {
    leaves(CharacterConfig::FIELDS, "", &|table| table, visit);
}

fn parse(document: &Table) -> Result<CharacterConfig, String> {
    let text = toml::to_string(document).unwrap();
    CharacterConfig::parse(&text, Path::new("hero.toml")).map_err(|e| e.to_string())
}

/// Returns the value of a configuration at the path where the document has `<here>`; the path has single keys and first
/// entries.
fn found(config: &CharacterConfig, document: &Table) -> Option<Value> {
    fn follow(all: &Value, mask: &Value, wanted: &mut Option<Value>) {
        match (all, mask) {
            (Value::Table(all), Value::Table(mask)) => {
                mask.iter().for_each(|(k, m)| all.get(k).into_iter().for_each(|a| follow(a, m, wanted)));
            }
            (Value::Array(all), Value::Array(mask)) => follow(&all[0], &mask[0], wanted),
            (all, Value::String(mark)) if mark == "<here>" => *wanted = Some(all.clone()),
            _ => {}
        }
    }
    let mut wanted = None;
    follow(&Value::try_from(config).unwrap(), &Value::Table(document.clone()), &mut wanted);
    wanted
}

fn accepted(leaf: &Leaf, value: Value) {
    let config = parse(&(leaf.document)(value.clone())).unwrap_or_else(|e| panic!("{} = {value}: {e}", leaf.key));
    let read = found(&config, &(leaf.document)(Value::String("<here>".into())));
    // A setting with its default may be missing from the written configuration.
    let Some(read) = read else {
        return assert!(leaf.field.key == "width" || leaf.field.key == "dimensions", "{}", leaf.key);
    };
    let same = match (&read, &value) {
        (Value::Float(a), Value::Float(b)) => *a as f32 == *b as f32,
        (a, b) => a == b,
    };
    assert!(same, "{}: {value} was set, {read} was read", leaf.key);
}

fn refused(leaf: &Leaf, value: Value) {
    let document = (leaf.document)(value.clone());
    let message = parse(&document).err().unwrap_or_else(|| panic!("{} = {value} was accepted", leaf.key));
    assert!(message.contains(&format!("`{}`", leaf.key)), "{} = {value}: {message}", leaf.key);
    assert!(message.starts_with("hero.toml: ") && message.contains("line "), "{message}");
    let Some((low, high)) = leaf.field.range else { return };
    if value.is_float() || value.is_integer() {
        assert!(message.contains(&format!("expected {low} to {high}")), "{message}");
    }
}

#[test]
fn every_setting_is_read_at_its_bounds_and_refused_beyond_them() {
    let (mut count, mut ranges) = (0, 0);
    each(&mut |leaf| {
        count += 1;
        ranges += usize::from(leaf.field.range.is_some());
        let text = |t: &str| Value::String(t.to_owned());
        match (leaf.kind, leaf.field.range) {
            (Kind::Number, Some((low, high))) => {
                let (low, high) = (low as f32, high as f32);
                for value in [low, high, 0.5 * (low + high)] {
                    accepted(leaf, Value::Float(value.into()));
                }
                for value in [low.next_down(), high.next_up(), f32::NAN, f32::INFINITY] {
                    refused(leaf, Value::Float(value.into()));
                }
                refused(leaf, text("1"));
            }
            (Kind::Number, None) => {
                accepted(leaf, Value::Float(0.25));
                for value in [f64::NAN, f64::INFINITY, -1e300] {
                    refused(leaf, Value::Float(value));
                }
                refused(leaf, text("1"));
            }
            (Kind::Count, Some((low, high))) => {
                accepted(leaf, Value::Integer(low as i64));
                accepted(leaf, Value::Integer(high as i64));
                refused(leaf, Value::Integer(high as i64 + 1));
                refused(leaf, Value::Integer(low as i64 - 1));
            }
            (Kind::Switch, _) => {
                accepted(leaf, Value::Boolean(true));
                accepted(leaf, Value::Boolean(false));
                refused(leaf, text("yes"));
            }
            (Kind::Text, _) => {
                accepted(leaf, text(if leaf.field.key == "units" { "in" } else { "walk" }));
                refused(leaf, Value::Boolean(true));
            }
            (Kind::Choice(choices), _) => {
                choices.iter().for_each(|c| accepted(leaf, text(c.name)));
                refused(leaf, text("nonsense"));
                refused(leaf, Value::Boolean(false));
            }
            (kind, range) => panic!("{}: no test for {kind:?} in {range:?}", leaf.key),
        }
    });
    assert!(count >= 150 && ranges >= 90, "{count} settings, {ranges} ranges");
}
