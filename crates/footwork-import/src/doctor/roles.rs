//! Finds skeletons whose joints are not recognised.

use super::check::Check;
use super::examination::Examination;
use super::finding::{Finding, Severity};

/// Reports missing roles. Without sides the facing is unknown and a build fails; without feet there are no contacts.
pub fn check(examination: &mut Examination, out: &mut Vec<Finding>) {
    for (kind, body) in examination.bodies.iter().enumerate() {
        let clips = examination.kind_of.iter().filter(|k| **k == kind).count();
        let Some(first) = examination.kind_of.iter().position(|k| *k == kind) else { continue };
        let name = &examination.clips[first].clip.name;
        let others = if clips > 1 { format!(" (and {} more of its skeleton)", clips - 1) } else { String::new() };
        let mut say = |severity, what: String, mend: &str| {
            out.push(Finding::new(Check::Roles, severity, name, format!("{what}{others}"), mend));
        };
        if body.sides.is_none() {
            let what = "no joint pair names its sides: nobody can tell where the body faces".to_owned();
            say(Severity::Error, what, "name `left_up_leg` and `right_up_leg` in [build.roles]");
        }
        if body.feet.is_empty() {
            let what = "no feet or toes are recognised: contacts, ground and steps are not examined".to_owned();
            say(Severity::Warning, what, "name `left_foot`, `right_foot` (or the four paws) in [build.roles]");
        } else if body.feet.len() == 2 {
            let wanted = ["hips", "left_up_leg", "right_up_leg", "left_foot", "right_foot"];
            let missing: Vec<&str> = wanted.into_iter().filter(|r| body.rig.roles.get(r).is_none()).collect();
            if !missing.is_empty() {
                let what = format!("no joint is recognised as {}", missing.join(", "));
                say(Severity::Warning, what, "name them in [build.roles]");
            }
        }
    }
}
