//! Sources of `film`: motion files, databases, recorded runs. Each is converted to a [`Reel`].

use super::reel::{Data, Reel, Run, Take};
use crate::args::Common;
use crate::cast::Cast;
use crate::course;
use crate::database::{in_source, sources};
use crate::replay::in_trace;
use crate::run::{Driven, Rerun};
use crate::{clips, kept, networks};
use anyhow::{Context, Result, bail};
use footwork::advanced::build::matches_pattern;
use footwork::build::JointRoles;
use footwork::clip::RawClip;
use footwork::database::Database;
use footwork::frames::JointIndex;
use footwork::recorder::Trace;
use footwork::rig::Rig;
use footwork_import::format::{Format, known};
use footwork_import::{CharacterConfig, SourceConfig, check_rules};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Length of a run that is simulated for a film, in seconds.
const DRIVEN_S: f32 = 40.0;

impl Reel {
    /// Opens a source named on the command line: a motion file, folder or pattern, a database (or `built-in`), or
    /// a trace; `#clip` after it selects one of its clips.
    pub fn open(word: &Path, clip: Option<&str>, common: &Common) -> Result<Self> {
        let text = word.to_string_lossy();
        let (name, chosen) = match text.rsplit_once('#') {
            Some((name, chosen)) if !word.exists() => (PathBuf::from(name), Some(chosen)),
            _ => (word.to_owned(), clip),
        };
        let extension = name.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
        let mut reel = match extension.as_str() {
            _ if name == Path::new("built-in") => Self::built_in(common)?,
            "fwnet" => Self::driven(Some(&name), common)?,
            _ if name == Path::new("learned") => Self::driven(Some(Path::new(networks::BUILT_IN)), common)?,
            _ if name == Path::new("exact") => Self::driven(None, common)?,
            "fwdb" => Self::database(Database::load(&name)?, name.display().to_string()),
            "fwtrace" => Self::trace(&name, common)?,
            _ if Format::of(&name).is_some() || name.is_dir() || text.contains('*') => {
                Self::files(&name, &name.display().to_string(), common)?
            }
            _ => bail!(
                "{}: unknown source: expected a motion file ({}), a folder with such files, a database (.fwdb), a trace \
                 (.fwtrace), networks (.fwnet), or `built-in`, `exact`, `learned`; `#clip` after it selects a clip",
                name.display(),
                known()
            ),
        };
        if let Some(chosen) = chosen {
            reel.choose(chosen)?;
        }
        Ok(reel)
    }

    /// Opens the built-in data.
    pub fn built_in(common: &Common) -> Result<Self> {
        let config = common.character()?;
        Ok(Self::database(kept::database(&config, common)?, "built-in data".to_owned()))
    }

    /// Drives a character over the standard course: networks, or a database (the built-in data) by exact search.
    fn driven(networks: Option<&Path>, common: &Common) -> Result<Self> {
        let drive = course::standard(DRIVEN_S, common)?;
        // Networks are used alone, even if a database is given.
        let db = if networks.is_some() { None } else { common.db.clone() };
        let cast = Cast::open(&Common { db, ..common.clone() }.learned(networks.map(Path::to_owned).as_ref()))?;
        let name = if networks.is_some() { "learned" } else { "exact" };
        Ok(Self::run(Arc::new(drive.run(&cast)?), &cast.db, name.to_owned(), "standard"))
    }

    pub fn database(db: Database, source: String) -> Self {
        let clips = db.clips.iter().enumerate();
        let takes: Vec<Take> = clips
            .map(|(index, c)| Take {
                name: c.name.clone(),
                first: 0,
                frames: c.frames as usize,
                looping: c.looping(),
                mirrored: c.mirrored,
                index,
            })
            .collect();
        Self {
            source,
            skeleton: db.skeleton.clone(),
            rig: db.rig.clone(),
            rate_hz: db.pose_rate_hz,
            takes,
            data: Data::Database(Box::new(db)),
        }
    }

    /// Opens motion files, prepared as by a build.
    pub fn files(input: &Path, source: &str, common: &Common) -> Result<Self> {
        let config = &common.character()?;
        // Files are shown whole: ranges apply to builds only.
        let whole = SourceConfig { ranges: Vec::new(), ..config.source.clone() };
        let raw = clips::read(&[input.to_owned()], Path::new(""), &whole, common)?;
        let mut build = config.build.clone();
        // Rules for other clips are not an error here.
        build.clips.retain(|rule| raw.iter().any(|c| matches_pattern(&rule.name, &c.name)));
        if let Some(file) = &common.config {
            check_rules(&build.clips, &raw, file)?;
        }
        // Pictures show glitches, too.
        build.glitches.enabled = false;
        let clips = build.prepare(&raw).map_err(|error| in_source(&sources(&raw), common, error));
        let clips = clips.with_context(|| format!("{source}: the clips could not be prepared"))?;
        let first = clips
            .first()
            .with_context(|| format!("{source}: expected at least one frame, found only excluded ones"))?;
        let skeleton = first.skeleton.clone();
        let contacts = &first.annotations.contacts;
        let contact_joints: Vec<JointIndex> = contacts.iter().filter_map(|c| skeleton.find(&c.joint)).collect();
        let takes: Vec<Take> = clips
            .iter()
            .enumerate()
            .map(|(index, c)| Take {
                name: c.name.clone(),
                first: 0,
                frames: c.frames(),
                looping: false,
                mirrored: false,
                index,
            })
            .collect();
        Ok(Self {
            source: source.to_owned(),
            rate_hz: first.rate_hz,
            rig: Rig::find(&skeleton, roles_of(&clips, config), &contact_joints),
            skeleton,
            takes,
            data: Data::Clips(clips),
        })
    }

    /// Replays a recorded run with the data of the command.
    pub fn trace(path: &Path, common: &Common) -> Result<Self> {
        let trace = Arc::new(Trace::load(path)?);
        let cast = Cast::open(common)?;
        let rerun = Rerun { trace: Arc::clone(&trace), fork: None, json: common.json };
        let driven = rerun.run(&cast).map_err(|error| in_trace(path, error))?;
        Ok(Self::run(Arc::new(driven), &cast.db, path.display().to_string(), trace.title()))
    }

    /// Returns a run with a database, or with networks that have its skeleton.
    pub fn run(driven: Arc<Driven>, db: &Database, source: String, course: &str) -> Self {
        let take = Take {
            first: 0,
            name: format!("course {course}"),
            frames: driven.playing.len(),
            looping: false,
            mirrored: false,
            index: 0,
        };
        let clips = db.clips.iter().map(|c| c.name.clone()).collect();
        Self {
            source,
            skeleton: db.skeleton.clone(),
            rig: db.rig.clone(),
            rate_hz: 1.0 / driven.summary.dt_s,
            takes: vec![take],
            data: Data::Run(Box::new(Run { driven, clips })),
        }
    }
}

/// Returns the roles of the configuration if they fit the skeleton, else those detected from names and poses.
fn roles_of(clips: &[RawClip], config: &CharacterConfig) -> JointRoles {
    let clips: Vec<&RawClip> = clips.iter().collect();
    let given = JointRoles::of_clips(&clips, &config.build.roles);
    given.or_else(|_| JointRoles::of_clips(&clips, &Default::default())).unwrap_or_default()
}
