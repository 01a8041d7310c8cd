//! Changes to JSON after which it is still JSON.

use footwork::advanced::math::Random;
use serde_json::{Value, json};

/// Changes one value.
pub fn mutate(root: &mut Value, random: &mut Random) {
    let words = strings(root);
    let mut at = root;
    // Descends into children, and may stop at any level.
    loop {
        let children = match at {
            Value::Array(a) => a.len(),
            Value::Object(o) => o.len(),
            _ => 0,
        };
        if children == 0 || random.below(8) == 0 {
            return change(at, &words, random);
        }
        let pick = random.below(children);
        at = match at {
            Value::Array(a) => &mut a[pick],
            Value::Object(o) => o.values_mut().nth(pick).unwrap(),
            _ => return,
        };
    }
}

fn change(value: &mut Value, words: &[String], random: &mut Random) {
    *value = match value {
        Value::Number(n) => number(n.as_f64().unwrap_or(0.0), random),
        Value::String(_) => json!(words[random.below(words.len())]),
        Value::Bool(b) => json!(!*b),
        Value::Array(a) if !a.is_empty() => {
            let (i, j) = (random.below(a.len()), random.below(a.len()));
            match random.below(4) {
                0 => drop(a.remove(i)),
                1 => a.swap(i, j),
                _ => a.insert(j, a[i].clone()),
            }
            return;
        }
        Value::Object(o) if !o.is_empty() => {
            let keys: Vec<String> = o.keys().cloned().collect();
            let (a, b) = (&keys[random.below(keys.len())], &keys[random.below(keys.len())]);
            match random.below(3) {
                0 => drop(o.remove(a)),
                _ => drop(o.insert(a.clone(), o[b].clone())),
            }
            return;
        }
        _ => [json!(0), json!(1.5), json!([]), json!({}), json!(""), json!(null)][random.below(6)].clone(),
    }
}

fn number(n: f64, random: &mut Random) -> Value {
    let whole = n as i64;
    match random.below(16) {
        0 => json!(whole.wrapping_sub(1)),
        1 => json!(whole.wrapping_add(1)),
        2 => json!(whole.wrapping_mul(2)),
        3 => json!(n * 0.5),
        4 => json!(-n),
        5 => json!(0),
        6 => json!(1),
        7 => json!(random.below(8)),
        8 => json!([5120, 5121, 5122, 5123, 5125, 5126][random.below(6)]),
        9 => json!(u32::MAX),
        10 => json!(u64::MAX),
        11 => json!(1e9),
        12 => json!(1e30),
        13 => json!(-1e38),
        14 => json!(1e-30),
        _ => json!(random.below(1 << 16) as f64 / 256.0),
    }
}

/// Returns all strings and keys.
fn strings(value: &Value) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::String(s) => found.push(s.clone()),
            Value::Array(a) => open.extend(a),
            Value::Object(o) => {
                found.extend(o.keys().cloned());
                open.extend(o.values());
            }
            _ => {}
        }
    }
    found
}

/// Writes new bytes, cut to the maximum size, over the old ones, and returns their number, as `fuzz_mutator!` requires.
pub fn give_back(new: &[u8], data: &mut [u8], max_size: usize) -> usize {
    let n = new.len().min(max_size).min(data.len());
    data[..n].copy_from_slice(&new[..n]);
    n
}
