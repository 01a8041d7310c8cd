//! Why a request is refused, and what the nearest candidate misses.

use crate::input::ActionKind;

/// A request was refused; the state is as it was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Refusal {
    /// What was asked for.
    pub kind: ActionKind,
    /// Why.
    pub reason: RefusalReason,
    /// The candidate that misses least, by its place in [`super::Actions::all`].
    pub nearest: Option<usize>,
    /// How many clips of the kind there are.
    pub candidates: usize,
}

/// Why.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum RefusalReason {
    /// No clip of the database has the tag.
    Unknown,
    /// A number of the request is not finite, or a facing has no length.
    NotUsable {
        /// The first such number.
        value: f32,
    },
    /// The first contact, or a landing that no clip has.
    Contacts {
        /// How many contacts the clips of the kind let a request place.
        most: usize,
    },
    /// The window is over.
    Past {
        /// By how many seconds.
        late_s: f32,
    },
    /// The window ends before the first contact can be reached.
    TooSoon {
        /// Least seconds from now to the first contact.
        needs_s: f32,
        /// Seconds from now to the end of the window.
        given_s: f32,
    },
    /// No entry row has its contact in the window at a play rate within limits.
    Rate {
        /// The play rate that is nearest to the limits.
        rate: f32,
        /// The limit.
        limit: f32,
    },
    /// A contact is too high or too low.
    Height {
        /// Which: 0 the first.
        contact: usize,
        /// Metres by which it is higher than in the clip; negative: lower.
        off_m: f32,
        /// Metres allowed.
        limit_m: f32,
    },
    /// The way between the contacts is too long or too short.
    Stretch {
        /// Metres by which the landing is away from where the clip has it.
        off_m: f32,
        /// Metres allowed.
        limit_m: f32,
    },
    /// The root would have to slide too fast.
    Slide {
        /// Mean speed, m/s.
        mps: f32,
        /// Allowed, m/s.
        limit_mps: f32,
    },
    /// The body would have to turn too far or too fast.
    Turn {
        /// Degrees.
        deg: f32,
        /// Allowed in the time that there is, degrees.
        limit_deg: f32,
    },
    /// It is too far away to go there.
    Far {
        /// Metres.
        m: f32,
        /// Allowed, metres.
        limit_m: f32,
    },
    /// Another action plays.
    Busy,
    /// The game moves the body ([`crate::adjust::root::RootMode::External`]), or the state of the state machine plays no motion
    /// matching.
    NotFree,
    /// It was approached in vain until patience or window were over.
    GivenUp {
        /// Seconds for which it was approached.
        after_s: f32,
    },
}

impl Refusal {
    /// The reason in words, such as `contact 1 is 0.34 m too high for the best of 3 clips`; `kind` is the name of the kind.
    pub fn text(&self, kind: &str) -> String {
        let of = match self.candidates {
            1 => format!("the only `{kind}`"),
            n => format!("the best of {n} `{kind}`"),
        };
        let over = |value: f32, limit: f32| value.abs() - limit;
        match self.reason {
            RefusalReason::Unknown => format!("no clip has the tag `{kind}`"),
            RefusalReason::NotUsable { value } => format!("the request holds {value}: expected finite numbers"),
            RefusalReason::Contacts { most } => format!("expected 1 to {most} contacts, the first always"),
            RefusalReason::Past { late_s } => format!("the time of the contact was {late_s:.2} s ago"),
            RefusalReason::TooSoon { needs_s, given_s } => {
                format!("the contact is to be in {given_s:.2} s, {of} needs {needs_s:.2} s")
            }
            RefusalReason::Rate { rate, limit } => format!("{of} would have to play at {rate:.2} (limit {limit:.2})"),
            RefusalReason::Height { contact, off_m, limit_m } => {
                let way = if off_m > 0.0 { "high" } else { "low" };
                format!("contact {} is {:.2} m too {way} for {of}", contact + 1, over(off_m, limit_m))
            }
            RefusalReason::Stretch { off_m, limit_m } => {
                format!("the landing is {:.2} m out of reach for {of}", over(off_m, limit_m))
            }
            RefusalReason::Slide { mps, limit_mps } => {
                format!("{of} would have to slide at {mps:.2} m/s (limit {limit_mps:.2})")
            }
            RefusalReason::Turn { deg, limit_deg } => {
                format!("{of} would have to turn by {deg:.0} degrees (limit {limit_deg:.0})")
            }
            RefusalReason::Far { m, limit_m } => format!("{m:.1} m away (limit {limit_m:.1})"),
            RefusalReason::Busy => "another action plays".to_owned(),
            RefusalReason::NotFree => "the character is not led by motion matching".to_owned(),
            RefusalReason::GivenUp { after_s } => format!("not reached within {after_s:.1} s"),
        }
    }
}
