//! Finds implausible motion that a build would bridge or leave out. Spikes and flips that can be fixed joint by joint are fixed
//! before.

use super::check::Check;
use super::examination::Examination;
use super::finding::{Finding, Severity};
use footwork::advanced::build::{Glitch, mend_glitches};
use footwork::build::GlitchMend;

/// Finds glitches as a build does; bridges them, or cuts them out of copies (`discard`).
pub fn check(examination: &mut Examination, out: &mut Vec<Finding>) {
    let build = examination.build.clone();
    let found = examination.each_mut(|p, _| {
        let glitches = mend_glitches(p.edit(), &build);
        let told = |g: Glitch| {
            let mend = match g.done {
                GlitchMend::Bridged => "curve through its neighbours",
                GlitchMend::LeftOut | GlitchMend::Kept => "cut it out (`discard` in its sidecar), as a build does",
            };
            let [first, end] = g.seconds.map(|s| (s * p.clip.rate_hz).round() as usize);
            let finding = Finding::new(Check::Glitch, Severity::Warning, &p.clip.name, g.what, mend);
            let finding = finding.mended().at_joint(&g.joint).over(p, first, end.max(first + 1) - 1);
            if g.done == GlitchMend::Bridged { finding } else { finding.mended_by_discard(p) }
        };
        glitches.into_iter().map(told).collect::<Vec<_>>()
    });
    out.extend(found.into_iter().flatten());
}
