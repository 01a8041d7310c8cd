//! What can be filmed: motion files, databases, recorded runs. All of them become one [`Reel`].

use super::reel::{Data, Reel, Take};
use crate::args::Common;
use crate::clips;
use crate::database::{build_clips, built_in};
use crate::draw::motion::Rig;
use crate::trace::Trace;
use anyhow::{Context, Result, bail};
use footwork::build::config::matches_pattern;
use footwork::build::{JointRoles, prepare};
use footwork::database::Database;
use footwork::skeleton::Skeleton;
use footwork_import::format::{Format, known};
use footwork_import::{CharacterConfig, SourceConfig};
use std::path::{Path, PathBuf};

impl Reel {
    /// The motion that a word of the command line means: a motion file, folder or pattern, a database (or `built-in`),
    /// a trace; `#clip` after it chooses one of its clips.
    pub fn open(word: &Path, clip: Option<&str>, common: &Common) -> Result<Self> {
        let text = word.to_string_lossy();
        let (name, chosen) = match text.rsplit_once('#') {
            Some((name, chosen)) if !word.exists() => (PathBuf::from(name), Some(chosen)),
            _ => (word.to_owned(), clip),
        };
        let extension = name.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
        let mut reel = match extension.as_str() {
            _ if name == Path::new("built-in") => Self::built_in(common)?,
            "fwdb" => Self::database(Database::load(&name)?, name.display().to_string(), &common.character()?)?,
            "fwtrace" => Self::trace(&name)?,
            _ if Format::of(&name).is_some() || name.is_dir() || text.contains('*') => {
                Self::files(&name, &name.display().to_string(), common)?
            }
            _ => bail!(
                "{}: cannot be filmed: expected a motion file ({}), a folder of them, a database (.fwdb), a trace \
                 (.fwtrace), or `built-in`; `#clip` behind it chooses a clip",
                name.display(),
                known()
            ),
        };
        if let Some(chosen) = chosen {
            reel.choose(chosen)?;
        }
        Ok(reel)
    }

    /// The data that comes with footwork, or the database of `--db`.
    pub fn built_in(common: &Common) -> Result<Self> {
        let config = common.character()?;
        let (db, _) = build_clips(&built_in(), &config, common.json)?;
        Self::database(db, "built-in data".to_owned(), &config)
    }

    pub fn database(db: Database, source: String, config: &CharacterConfig) -> Result<Self> {
        let roles = roles(&db.skeleton, config);
        let takes = db.clips.iter().enumerate().map(|(index, c)| Take {
            name: c.name.clone(),
            frames: c.frames as usize,
            looping: c.looping(),
            mirrored: c.mirrored,
            index,
        });
        Ok(Self {
            source,
            rig: Rig { skeleton: db.skeleton.clone(), roles, contact_joints: db.contact_joints.clone() },
            rate_hz: db.pose_rate_hz,
            takes: takes.collect(),
            data: Data::Database(Box::new(db)),
        })
    }

    /// Motion files, taken in as a build takes them in.
    pub fn files(input: &Path, source: &str, common: &Common) -> Result<Self> {
        let config = &common.character()?;
        // Files are shown whole: ranges are of those clips that a build reads.
        let whole = SourceConfig { ranges: Vec::new(), ..config.source.clone() };
        let raw = clips::read(&[input.to_owned()], Path::new(""), &whole, common.json)?;
        let mut build = config.build.clone();
        // Rules for clips that are not looked at now are no mistake.
        build.clips.retain(|rule| raw.iter().any(|c| matches_pattern(&rule.name, &c.name)));
        let clips = prepare(&raw, &build).with_context(|| format!("{source}: cannot be filmed"))?;
        let first = clips.first().with_context(|| format!("{source}: all of it is discarded: nothing to film"))?;
        let skeleton = first.skeleton.clone();
        let contacts = &first.annotations.contacts;
        let contact_joints = contacts.iter().filter_map(|c| skeleton.find(&c.joint)).collect();
        let takes = clips.iter().enumerate().map(|(index, c)| Take {
            name: c.name.clone(),
            frames: c.frames(),
            looping: false,
            mirrored: false,
            index,
        });
        Ok(Self {
            source: source.to_owned(),
            rate_hz: first.rate_hz,
            rig: Rig { roles: roles(&skeleton, config), skeleton, contact_joints },
            takes: takes.collect(),
            data: Data::Clips(clips),
        })
    }

    pub fn trace(path: &Path) -> Result<Self> {
        let trace = Trace::load(path)?;
        Ok(Self::recorded(trace, path.display().to_string()))
    }

    pub fn recorded(trace: Trace, source: String) -> Self {
        let take = Take {
            name: format!("course {}", trace.course),
            frames: trace.frames(),
            looping: false,
            mirrored: false,
            index: 0,
        };
        Self {
            source,
            rig: Rig {
                skeleton: trace.skeleton.clone(),
                roles: roles(&trace.skeleton, &CharacterConfig::default()),
                contact_joints: trace.contact_joints.clone(),
            },
            rate_hz: trace.rate_hz,
            takes: vec![take],
            data: Data::Trace(Box::new(trace)),
        }
    }
}

/// Roles by the names of the joints, by the configuration where it fits the skeleton.
fn roles(skeleton: &Skeleton, config: &CharacterConfig) -> JointRoles {
    let given = JointRoles::resolve(skeleton, &config.build.roles);
    given.or_else(|_| JointRoles::resolve(skeleton, &Default::default())).unwrap_or_default()
}
