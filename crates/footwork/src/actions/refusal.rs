//! Reasons why a request is rejected, and the distance of the nearest candidate.

/// Answer to a request that no action meets. The state is unchanged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Refusal {
    /// Reason, for the candidate that misses least.
    pub reason: RefusalReason,
    /// Index of that candidate in [`super::Actions::all`]; `None` if there is none.
    pub nearest: Option<usize>,
    /// Number of actions of the requested kinds.
    pub candidates: usize,
    /// What it missed at the end, for a request that was given up.
    pub missed: Option<RefusalReason>,
    /// True if the same request may be met from another position or at another time of the character.
    pub may_change: bool,
}

/// A reason with the factor by which its limit is exceeded.
pub(super) type Miss = (f32, RefusalReason);

/// Reason of a refusal.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum RefusalReason {
    /// No action has one of the kinds.
    Unknown,
    /// The first contact is missing, or there is a contact that no action of the kinds has.
    Contacts {
        /// Maximum number of contacts that the actions of the kinds let a request place.
        most: usize,
    },
    /// The window is over.
    Past {
        /// Time since its end, in seconds.
        late_s: f32,
    },
    /// The window ends before the first contact can be reached.
    TooSoon {
        /// Least time from now to the first contact, in seconds.
        needs_s: f32,
        /// Time from now to the end of the window, in seconds.
        given_s: f32,
    },
    /// No entry has its contact in the window at a play rate within the limits.
    Rate {
        /// Play rate that is nearest to the limits.
        rate: f32,
        /// The limit.
        limit: f32,
    },
    /// A contact is too high or too low.
    Height {
        /// Index of the contact; 0 is the first.
        contact: usize,
        /// Height over that of the clip, in metres; negative if lower.
        off_m: f32,
        /// Limit, in metres.
        limit_m: f32,
    },
    /// The distance between the contacts is too long or too short.
    Stretch {
        /// Distance of the landing from that of the clip, in metres.
        off_m: f32,
        /// Limit, in metres.
        limit_m: f32,
    },
    /// The first contact would have to be shifted too far.
    Slide {
        /// Shift, in metres.
        off_m: f32,
        /// Limit, in metres.
        limit_m: f32,
    },
    /// The body would have to turn too far or too fast.
    Turn {
        /// Angle, in degrees.
        deg: f32,
        /// Limit in the time that there is, in degrees.
        limit_deg: f32,
    },
    /// A foot that stands at the entry, or lands soon after it, would have to be moved too far.
    Foot {
        /// Distance, in metres.
        off_m: f32,
        /// Limit, in metres.
        limit_m: f32,
    },
    /// The first contact is too far away.
    Far {
        /// Distance, in metres.
        m: f32,
        /// Limit, in metres.
        limit_m: f32,
    },
    /// Hips, a knee or a foot would go through the block of the request.
    Blocked {
        /// Depth, in metres.
        depth_m: f32,
        /// Limit, in metres.
        limit_m: f32,
    },
    /// Another action plays.
    Busy,
    /// The request could not be entered until its window or the patience was over.
    GivenUp {
        /// Time since the request, in seconds.
        after_s: f32,
    },
}

impl Refusal {
    /// Returns the reason in words, such as `contact 1 is 0.34 m too high for the best of 3 climb`. `kind` names the kind.
    /// Allocates.
    pub fn text(&self, kind: &str) -> String {
        let reason = self.text_of(self.reason, kind);
        match self.missed {
            Some(missed) => format!("{reason}: {}", self.text_of(missed, kind)),
            None => reason,
        }
    }

    fn text_of(&self, reason: RefusalReason, kind: &str) -> String {
        let of = match self.candidates {
            1 => format!("the only `{kind}`"),
            n => format!("the best of {n} `{kind}`"),
        };
        match reason {
            RefusalReason::Unknown => {
                format!("no clip has the tag `{kind}`; tag clips with it and with `no_locomotion`")
            }
            RefusalReason::Contacts { most } => format!("expected 1 to {most} contacts, the first always"),
            RefusalReason::Past { late_s } => format!("the window ended {late_s:.2} s ago"),
            RefusalReason::TooSoon { needs_s, given_s } => {
                format!("the window ends in {given_s:.2} s, {of} needs {needs_s:.2} s")
            }
            RefusalReason::Rate { rate, limit } => format!("{of} would have to play at {rate:.2} (limit {limit:.2})"),
            RefusalReason::Height { contact, off_m, limit_m } => {
                let way = if off_m > 0.0 { "high" } else { "low" };
                format!("contact {} is {:.2} m too {way} for {of}", contact + 1, off_m.abs() - limit_m)
            }
            RefusalReason::Stretch { off_m, limit_m } => {
                format!("the landing is {:.2} m out of reach for {of}", off_m - limit_m)
            }
            RefusalReason::Slide { off_m, limit_m } => {
                format!("{of} would have to be shifted by {off_m:.2} m (limit {limit_m:.2} m)")
            }
            RefusalReason::Turn { deg, limit_deg } => {
                format!("{of} would have to turn by {deg:.0} degrees (limit {limit_deg:.0})")
            }
            RefusalReason::Foot { off_m, limit_m } => {
                format!("a foot would have to be moved by {off_m:.2} m for {of} (limit {limit_m:.2} m)")
            }
            RefusalReason::Far { m, limit_m } => format!("{m:.1} m away (limit {limit_m:.1} m)"),
            RefusalReason::Blocked { depth_m, limit_m } => {
                format!("{of} would go {depth_m:.2} m into the block (limit {limit_m:.2} m)")
            }
            RefusalReason::Busy => "another action plays".to_owned(),
            RefusalReason::GivenUp { after_s } => format!("not entered within {after_s:.1} s"),
        }
    }
}
