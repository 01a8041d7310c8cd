//! Logs of a state machine and of requests for actions, as text.

use crate::run::StayTold;
use footwork_metrics::action_log::ActionLog;
use footwork_metrics::machine_log::MachineLog;

/// Maximum number of listed transitions, montages or requests.
pub const LISTED: usize = 30;

/// Prints the log of a state machine; nothing without one.
pub fn print_machine(log: &MachineLog) {
    let states = log.by_state();
    if states.is_empty() {
        return;
    }
    out!("\nstates:");
    for s in states {
        out!("  {:<32} {:>8.2} s, entered {} times", s.state, s.seconds, s.stays);
    }
    out!("transitions: {}", log.transitions.len());
    for taken in log.transitions.iter().take(LISTED) {
        let when = taken.when.as_ref().map_or_else(|| "at once".to_owned(), |when| format!("since `{when}`"));
        out!("  {:>8.2} s  {} -> {}, {when}", taken.time_s, taken.from, taken.to);
    }
    print_rest(log.transitions.len());
    if !log.montages.is_empty() {
        out!("montages: {}", log.montages.len());
    }
    for played in log.montages.iter().take(LISTED) {
        let broken = if played.broken_off { ", broken off" } else { "" };
        out!("  {:>8.2} s  {} on {} until {:.2} s{broken}", played.from_s, played.montage, played.layer, played.to_s);
    }
    print_rest(log.montages.len());
}

/// Prints what became of requests for actions; nothing without requests.
pub fn print_requests(log: &ActionLog) {
    if log.requests.is_empty() {
        return;
    }
    out!("\nrequests for actions: {}", log.requests.len());
    for request in log.requests.iter().take(LISTED) {
        out!("  {request}");
    }
    print_rest(log.requests.len());
}

/// Prints how many of a list of `all` are not listed.
fn print_rest(all: usize) {
    if all > LISTED {
        out!("  {} more; --json has all", all - LISTED);
    }
}

/// Prints the state of a state machine at a time, and the conditions that would leave it.
pub fn print_stay(stay: &StayTold) {
    out!(
        "\nstate `{}` at {:.2} s, for {:.2} s; ways out, in the order in which they are tried:",
        stay.state,
        stay.time_s,
        stay.state_s
    );
    for exit in &stay.exits {
        let holds = if exit.holds { "holds" } else { "does not hold" };
        out!("  -> {:<28} {}: {holds}", exit.to, exit.when.as_deref().unwrap_or("at once"));
        for term in &exit.terms {
            let mark = if term.holds { "yes" } else { "no" };
            out!("       {:<32} is {:.3}: {mark}", term.term, term.value);
        }
    }
}
