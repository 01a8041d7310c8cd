//! `--set`, `--fire` and `--at`: their order on the command line counts.

use clap::error::ErrorKind;
use clap::{ArgMatches, Args, Command, Error, FromArgMatches};
use footwork_metrics::courses::Cue;

/// Cues for a state machine, in the order in which they are given.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CueFlags {
    pub cues: Vec<Cue>,
}

/// The flags as clap reads them.
#[derive(Debug, Args)]
struct Flags {
    /// Variable of the state machine, and its value. Applies from the --at before it; without one, from the start
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Trigger of the state machine to fire. Applies as --set does
    #[arg(long, value_name = "NAME")]
    fire: Vec<String>,
    /// Time of the --set and --fire that follow, in seconds
    #[arg(long, value_name = "S")]
    at: Vec<f32>,
}

impl Args for CueFlags {
    fn augment_args(command: Command) -> Command {
        Flags::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Flags::augment_args_for_update(command)
    }
}

impl FromArgMatches for CueFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let Flags { set, fire, at } = Flags::from_arg_matches(matches)?;
        let places = |id: &str| matches.indices_of(id).into_iter().flatten();
        let times: Vec<(usize, f32)> = places("at").zip(at).collect();
        if let Some((_, time_s)) = times.iter().find(|(_, s)| !(0.0..=86_400.0).contains(s)) {
            return Err(fault(format!("--at {time_s}: expected 0 to 86400 seconds")));
        }
        let at_s = |place: usize| times.iter().rev().find(|(at, _)| *at < place).map_or(0.0, |(_, time_s)| *time_s);
        let mut cues: Vec<(usize, Cue)> = Vec::new();
        for (place, text) in places("set").zip(set) {
            let value = text.split_once('=').and_then(|(name, value)| Some((name, value.trim().parse::<f32>().ok()?)));
            let Some((name, value)) = value.filter(|(name, value)| !name.is_empty() && value.is_finite()) else {
                return Err(fault(format!("--set {text}: expected NAME=VALUE with a number, such as speed=2.5")));
            };
            let name = name.trim().to_owned();
            cues.push((place, Cue { at_s: at_s(place), name, value: Some(value) }));
        }
        cues.extend(
            places("fire").zip(fire).map(|(place, name)| (place, Cue { at_s: at_s(place), name, value: None })),
        );
        cues.sort_by_key(|(place, _)| *place);
        Ok(Self { cues: cues.into_iter().map(|(_, cue)| cue).collect() })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn fault(what: String) -> Error {
    Error::raw(ErrorKind::ValueValidation, format!("{what}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Result<Vec<Cue>, String> {
        let command = CueFlags::augment_args(Command::new("simulate").no_binary_name(true));
        let matches = command.try_get_matches_from(words).map_err(|e| e.to_string())?;
        CueFlags::from_arg_matches(&matches).map(|flags| flags.cues).map_err(|e| e.to_string())
    }

    #[test]
    fn each_cue_has_the_time_before_it() {
        let cue = |at_s: f32, name: &str, value: Option<f32>| Cue { at_s, name: name.into(), value };
        let words = [
            "--set",
            "speed=2.5",
            "--at",
            "3",
            "--fire",
            "reload",
            "--set",
            "speed=-1",
            "--at",
            "4.5",
            "--fire",
            "reload",
        ];
        let expected = [
            cue(0.0, "speed", Some(2.5)),
            cue(3.0, "reload", None),
            cue(3.0, "speed", Some(-1.0)),
            cue(4.5, "reload", None),
        ];
        assert_eq!(read(&words).unwrap(), expected);
    }

    #[test]
    fn what_is_no_cue_is_refused() {
        for (words, told) in [
            (["--set", "speed"], "NAME=VALUE"),
            (["--set", "=2"], "NAME=VALUE"),
            (["--set", "speed=fast"], "NAME=VALUE"),
            (["--at", "-1"], "-1"),
            (["--at", "NaN"], "0 to 86400"),
        ] {
            assert!(read(&words).unwrap_err().contains(told), "{words:?}");
        }
    }
}
