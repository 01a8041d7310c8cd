//! Courses from tables of comma-separated values.

use super::cues::Column;
use super::stick::gait;
use footwork::input::Stick;
use glam::{Vec2, Vec3};

/// An invalid line in a table of a course.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct CourseError {
    /// Line, from 1.
    pub line: usize,
    /// Expected and found content.
    pub what: String,
}

/// A course read from a table.
#[derive(Clone, Debug, PartialEq)]
pub struct CourseTable {
    /// `[rows]` one per 1/60 s.
    pub sticks: Vec<Stick>,
    /// Variables and triggers of a state machine.
    pub columns: Vec<Column>,
}

/// Parses rows `lx,lz,rx,rz,strafe,walk` under a header of these names: sticks as world directions. Further columns are variables
/// and triggers of a state machine, named by the header.
///
/// # Errors
/// Returns [`CourseError`] for the first invalid line.
pub fn parse_csv(text: &str) -> Result<CourseTable, CourseError> {
    const STICK: [&str; 6] = ["lx", "lz", "rx", "rz", "strafe", "walk"];
    let mut lines = text.lines().enumerate();
    let header = lines.next().map_or("", |(_, l)| l.trim());
    let names: Vec<&str> = header.split(',').map(str::trim).collect();
    let Some(own) = names.strip_prefix(&STICK) else {
        let what = format!("expected a header that begins with `{}`, found `{header}`", STICK.join(","));
        return Err(CourseError { line: 1, what });
    };
    for (i, name) in own.iter().enumerate() {
        if name.is_empty() || own[..i].contains(name) {
            return Err(CourseError { line: 1, what: format!("the column `{name}` is there twice, or has no name") });
        }
    }
    let mut columns: Vec<Column> =
        own.iter().map(|name| Column { name: (*name).to_owned(), values: Vec::new() }).collect();
    let mut sticks = Vec::new();
    for (i, line) in lines.filter(|(_, l)| !l.trim().is_empty()) {
        let values: Result<Vec<f32>, _> = line.split(',').map(|v| v.trim().parse::<f32>()).collect();
        let values = values.ok().filter(|v| v.len() == names.len() && v.iter().all(|x| x.is_finite()));
        let Some(v) = values else {
            return Err(CourseError { line: i + 1, what: format!("expected {} numbers, found `{line}`", names.len()) });
        };
        sticks.push(Stick {
            look: Vec2::new(-v[2], v[3]),
            strafe: v[4] > 0.5,
            ..Stick::towards(Vec3::new(v[0], 0.0, v[1]), gait(v[5] > 0.5))
        });
        columns.iter_mut().zip(&v[STICK.len()..]).for_each(|(column, value)| column.values.push(*value));
    }
    if sticks.is_empty() {
        return Err(CourseError { line: 2, what: "no rows under the header".into() });
    }
    Ok(CourseTable { sticks, columns })
}

#[cfg(test)]
mod tests {
    use super::*;
    use footwork::input::Gait;

    #[test]
    fn csv_courses_say_where_they_are_wrong() {
        let ok = parse_csv("lx,lz,rx,rz,strafe,walk,armed\n0,1,0,0,0,1,0\n1,0,0,1,1,0,1\n").unwrap();
        assert_eq!(ok.sticks[0], Stick::towards(Vec3::Z, Gait::Walk));
        assert!(ok.sticks[1].strafe && ok.sticks[1].gait == Gait::Run && ok.sticks[1].look == Vec2::Y);
        assert_eq!(ok.columns, [Column { name: "armed".into(), values: vec![0.0, 1.0] }]);
        for (text, what) in [
            ("", "header"),
            ("lx,lz\n0,1", "header"),
            ("lx,lz,rx,rz,strafe,walk\n", "no rows"),
            ("lx,lz,rx,rz,strafe,walk,a,a\n0,1,0,0,0,1,0,0\n", "`a` is there twice"),
            ("lx,lz,rx,rz,strafe,walk\n0,1,0,0,0\n", "line 2"),
            ("lx,lz,rx,rz,strafe,walk\n0,1,0,0,0,1\n0,NaN,0,0,0,1\n", "line 3"),
        ] {
            assert!(parse_csv(text).unwrap_err().to_string().contains(what), "{text}");
        }
    }
}
