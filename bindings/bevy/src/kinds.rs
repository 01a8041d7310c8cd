//! One [`Character`] for each combination of database, settings, networks and state machine. It is shared by all entities that
//! use it, created on other threads, and created again when a file changes.

use crate::assets::{MotionConfig, MotionDatabase, MotionMachine, MotionNetworks};
use crate::components::{MotionCharacter, RootDriver};
use bevy_asset::{Asset, AssetEvent, AssetId, Assets};
use bevy_ecs::prelude::*;
use bevy_tasks::{AsyncComputeTaskPool, Task, block_on, poll_once};
use footwork::adjust::root::RootMode;
use footwork::database::Database;
use footwork::learned::Networks;
use footwork::machine::{Machine, MachineSpec};
use footwork::matcher::{Character, MatcherConfig};
use std::sync::Arc;
use tracing::error;

/// Assets of a kind of character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KindKey {
    database: Option<AssetId<MotionDatabase>>,
    config: Option<AssetId<MotionConfig>>,
    networks: Option<AssetId<MotionNetworks>>,
    machine: Option<AssetId<MotionMachine>>,
    body: bool,
}

impl KindKey {
    pub fn of(character: &MotionCharacter) -> Self {
        Self {
            database: character.database.as_ref().map(Into::into),
            config: character.config.as_ref().map(Into::into),
            networks: character.networks.as_ref().map(Into::into),
            machine: character.machine.as_ref().map(Into::into),
            body: character.root == RootDriver::Body,
        }
    }
}

struct Kind {
    key: KindKey,
    /// True if a file has changed since the character was created, or no character was created yet.
    stale: bool,
    making: Option<Task<Result<Character, String>>>,
    made: Option<Arc<Character>>,
}

/// All requested kinds.
#[derive(Resource, Default)]
pub(crate) struct Kinds(Vec<Kind>);

impl Kinds {
    /// Returns the character of a kind, or `None` until its files are loaded.
    pub fn get(&mut self, key: KindKey) -> Option<&Arc<Character>> {
        let at = self.0.iter().position(|k| k.key == key).unwrap_or_else(|| {
            self.0.push(Kind { key, stale: true, making: None, made: None });
            self.0.len() - 1
        });
        self.0[at].made.as_ref()
    }

    fn changed(&mut self, is: impl Fn(&KindKey) -> bool) {
        self.0.iter_mut().filter(|k| is(&k.key)).for_each(|k| k.stale = true);
    }
}

/// Assets of all kinds.
type Files<'w> = (
    Res<'w, Assets<MotionDatabase>>,
    Res<'w, Assets<MotionConfig>>,
    Res<'w, Assets<MotionNetworks>>,
    Res<'w, Assets<MotionMachine>>,
);

/// Starts creating kinds whose files are loaded, and takes finished ones.
pub(crate) fn make_kinds(
    mut kinds: ResMut<Kinds>,
    (databases, configs, networks, machines): Files,
    mut of_databases: MessageReader<AssetEvent<MotionDatabase>>,
    mut of_configs: MessageReader<AssetEvent<MotionConfig>>,
    mut of_networks: MessageReader<AssetEvent<MotionNetworks>>,
    mut of_machines: MessageReader<AssetEvent<MotionMachine>>,
) {
    fn changed<A: Asset>(events: &mut MessageReader<AssetEvent<A>>) -> Vec<AssetId<A>> {
        let modified = |e: &AssetEvent<A>| match e {
            AssetEvent::Modified { id } => Some(*id),
            _ => None,
        };
        events.read().filter_map(modified).collect()
    }
    for id in changed(&mut of_databases) {
        kinds.changed(|k| k.database == Some(id));
    }
    for id in changed(&mut of_configs) {
        kinds.changed(|k| k.config == Some(id));
    }
    for id in changed(&mut of_networks) {
        kinds.changed(|k| k.networks == Some(id));
    }
    for id in changed(&mut of_machines) {
        kinds.changed(|k| k.machine == Some(id));
    }
    for kind in &mut kinds.0 {
        if kind.stale && kind.making.is_none() {
            let key = kind.key;
            let database = key.database.map(|id| databases.get(id));
            let config = key.config.map(|id| configs.get(id));
            let networks = key.networks.map(|id| networks.get(id));
            let machine = key.machine.map(|id| machines.get(id));
            // A file is not loaded yet, or failed to load; Bevy's log contains the reason.
            let waits = matches!(database, Some(None)) || matches!(config, Some(None));
            if waits || matches!(networks, Some(None)) || matches!(machine, Some(None)) {
                continue;
            }
            let database = database.flatten().map(|d| d.0.clone());
            let networks = networks.flatten().map(|n| n.0.clone());
            let machine = machine.flatten().map(|m| m.0.clone());
            let mut config = config.flatten().map(|c| c.0.clone()).unwrap_or_default();
            if key.body {
                config.root.mode = RootMode::External;
            }
            kind.stale = false;
            let parts = Parts { database, networks, machine, config };
            kind.making = Some(AsyncComputeTaskPool::get().spawn(async move { parts.make() }));
        }
        let Some(task) = &mut kind.making else { continue };
        match block_on(poll_once(task)) {
            Some(Ok(character)) => kind.made = Some(Arc::new(character)),
            Some(Err(message)) => error!("a motion matched character cannot be made: {message}"),
            None => continue,
        }
        kind.making = None;
    }
}

/// Contents of a kind's files.
struct Parts {
    database: Option<Arc<Database>>,
    networks: Option<Arc<Networks>>,
    machine: Option<MachineSpec>,
    config: MatcherConfig,
}

impl Parts {
    fn make(self) -> Result<Character, String> {
        let Self { database, networks, machine, config } = self;
        let character = match (networks, database.clone()) {
            (Some(networks), database) => Character::learned(networks, database, config).map_err(|e| e.to_string())?,
            (None, Some(database)) => Character::new(database, config).map_err(|e| e.to_string())?,
            (None, None) => return Err("neither a database nor networks".to_owned()),
        };
        let Some(spec) = machine else { return Ok(character) };
        let in_machine = |what: &dyn std::fmt::Display| format!("state machine: {what}");
        let database = database.ok_or_else(|| in_machine(&"it needs a database beside it"))?;
        let machine = Machine::new(database, spec).map_err(|e| in_machine(&e))?;
        character.with_machine(Some(Arc::new(machine))).map_err(|e| in_machine(&e))
    }
}
