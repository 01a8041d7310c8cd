//! Networks that replace the motion of a database.

use super::body::{BodyLayout, Sampler};
use super::layer::Precision;
use super::network::{Network, NetworkError, NetworkScratch};
use crate::database::{Clip, Database, DatabaseContent, Features, MirrorMode, RowFlags};
use crate::error::cut_quotes;
use crate::frames::{ClipIndex, FrameIndex, JointIndex};
use crate::motion::PosePool;
use xxhash_rust::xxh3::Xxh3;

/// Seconds between the frames of the networks, and length of one step of the stepper.
pub const STEP_S: f64 = 1.0 / 30.0;

/// Measurements of networks after training, used to choose transitions. Distances are between normalised features.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// Minimum distance from the playing code at which a result of the projector is a transition.
    pub transition_distance: f32,
    /// Time in seconds since the last transition after which the next transition always takes place: the stepper stays near
    /// the data for so long.
    pub longest_step_s: f32,
    /// Maximum distance between the query and the projector's result at which the result is trusted.
    pub trusted_distance: f32,
}

/// Parts of [`Networks`]; [`Networks::new`] checks them.
#[derive(Clone, Debug)]
pub struct NetworkParts {
    /// Network from features and latent variables to the body: `[columns + latents]` to `[outputs]`.
    pub decompressor: Network,
    /// `[outputs]` indices of the body's numbers that the decompressor computes, in rising order.
    pub outputs: Vec<u32>,
    /// `[body]` values of the constant numbers of the body.
    pub constants: Vec<f32>,
    /// Network from features and latent variables to their rates of change: `[columns + latents]` to the same, per second.
    pub stepper: Network,
    /// Network from a query to features and latent variables: `[columns]` to `[columns + latents]`.
    pub projector: Network,
    /// Network from features, body and its rate of change to the latent variables: `[columns + 2 x outputs]` to
    /// `[latents]`. Used by tools; characters do not need it.
    pub compressor: Option<Network>,
    /// `[columns + latents]` code of a character at rest.
    pub resting: Vec<f32>,
    /// Measurements after training.
    pub calibration: Calibration,
}

/// Decompressor, stepper and projector, and the body that they move. They replace the database of a character.
#[derive(Debug)]
pub struct Networks {
    parts: NetworkParts,
    /// Skeleton, rig, features, tags and speeds, with a single resting pose.
    character: Database,
    layout: BodyLayout,
    hash: u64,
}

impl std::ops::Deref for Networks {
    type Target = NetworkParts;
    fn deref(&self) -> &NetworkParts {
        &self.parts
    }
}

/// Reason why networks do not fit a character or each other.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NetworksError {
    /// A network is invalid.
    #[error("{network}: {error}")]
    Network {
        /// Name of the network.
        network: &'static str,
        /// Reason.
        error: NetworkError,
    },
    /// Sizes do not match.
    #[error("{what}: found {found}, expected {expected}")]
    Size {
        /// Part with the wrong size.
        what: &'static str,
        /// Expected size.
        expected: usize,
        /// Found size.
        found: usize,
    },
    /// A number is not usable.
    #[error("{what}: {value} is not usable")]
    Value {
        /// Location of the number.
        what: &'static str,
        /// The number.
        value: f32,
    },
    /// The body without its motion is not a valid database.
    #[error("the character: {0}")]
    Character(#[from] crate::database::DatabaseError),
    /// The networks were trained on other features than those of a database.
    #[error(
        "the networks were trained on schema {networks:016x}, the database has {database:016x}; they differ in {difference}: \
         train the networks again with this database",
        difference = cut_quotes(.difference)
    )]
    OtherSchema {
        /// Hash of the networks' schema.
        networks: u64,
        /// Hash of the database's schema.
        database: u64,
        /// First difference between the schemas.
        difference: String,
    },
}

impl Networks {
    /// Builds the networks for the character of a database, and checks the parts.
    ///
    /// # Errors
    /// Returns the first error that is found.
    pub fn new(db: &Database, parts: NetworkParts) -> Result<Self, NetworksError> {
        let character = Database::new(at_rest(db))?;
        let layout = BodyLayout::of(&character);
        let networks = Self { parts, character, layout, hash: 0 };
        networks.check()?;
        Ok(Self { hash: networks.hash_of_all(), ..networks })
    }

    /// Returns skeleton, rig, features, tags and speeds: a database with a single resting pose.
    pub fn character(&self) -> &Database {
        &self.character
    }

    /// Returns the layout of a body's numbers.
    pub fn layout(&self) -> &BodyLayout {
        &self.layout
    }

    /// Returns the number of features.
    pub fn columns(&self) -> usize {
        self.character.schema.columns
    }

    /// Returns the number of latent variables.
    pub fn latents(&self) -> usize {
        self.decompressor.inputs() - self.columns()
    }

    /// Returns the width of a code: features and latent variables together.
    pub fn code_width(&self) -> usize {
        self.decompressor.inputs()
    }

    /// Returns a hash that identifies these networks.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// Returns the memory that a character of these networks needs, in bytes, without the compressor.
    pub fn bytes(&self) -> usize {
        let numbers = self.constants.len() + self.outputs.len() + self.resting.len();
        self.decompressor.bytes() + self.stepper.bytes() + self.projector.bytes() + 4 * numbers
    }

    /// Returns the width of the widest layer.
    pub fn widest(&self) -> usize {
        let all = [Some(&self.decompressor), Some(&self.stepper), Some(&self.projector), self.compressor.as_ref()];
        all.into_iter().flatten().map(Network::widest).fold(0, usize::max)
    }

    /// Returns the same networks with another precision of the weights: decompressor, projector and compressor use
    /// `precision`, the stepper uses `stepper`.
    pub fn with_precision(&self, precision: Precision, stepper: Precision) -> Self {
        let parts = NetworkParts {
            decompressor: self.decompressor.with_precision(precision),
            stepper: self.stepper.with_precision(stepper),
            projector: self.projector.with_precision(precision),
            compressor: self.compressor.as_ref().map(|c| c.with_precision(precision)),
            ..self.parts.clone()
        };
        let networks =
            Self { parts, character: Database::clone_of(&self.character), layout: self.layout.clone(), hash: 0 };
        Self { hash: networks.hash_of_all(), ..networks }
    }

    /// Writes the numbers of the body of a code to `body`, `[body]`.
    pub fn decompress(&self, code: &[f32], body: &mut [f32], room: &mut Decompression) {
        let Decompression { varying, room } = room;
        varying.resize(self.outputs.len(), 0.0);
        self.decompressor.run(code, varying, room);
        body.copy_from_slice(&self.constants);
        for (at, value) in self.outputs.iter().zip(varying.iter()) {
            body[*at as usize] = *value;
        }
    }

    /// Advances a code by [`STEP_S`].
    pub fn advance(&self, code: &mut [f32], room: &mut Decompression) {
        let Decompression { varying, room } = room;
        varying.resize(code.len().max(self.outputs.len()), 0.0);
        let rates = &mut varying[..code.len()];
        self.stepper.run(code, rates, room);
        code.iter_mut().zip(rates).for_each(|(v, rate)| *v += *rate * STEP_S as f32);
        self.keep_near(code);
    }

    /// Writes the code that fits a query. A query far from the training data is first clamped to its range.
    pub fn project(&self, query: &[f32], code: &mut [f32], room: &mut Decompression) {
        let Decompression { varying, room } = room;
        varying.resize(self.outputs.len().max(query.len()), 0.0);
        let near = &mut varying[..query.len()];
        near.copy_from_slice(query);
        self.keep_near(near);
        self.projector.run(near, code, room);
        self.keep_near(code);
    }

    /// Clamps features and latent variables to the range of the clips: networks are not valid far outside it.
    fn keep_near(&self, code: &mut [f32]) {
        let (mean, spread) = (&self.projector.output_mean, &self.projector.output_std);
        for ((v, mean), spread) in code.iter_mut().zip(mean).zip(spread) {
            *v = v.clamp(mean - FARTHEST * spread, mean + FARTHEST * spread);
        }
    }

    /// Writes the code of a pose of a database at a time. Returns `None` without a compressor.
    pub fn compress(
        &self,
        sampler: &mut Sampler,
        (clip, mirrored, time_s): (ClipIndex, bool, f64),
        code: &mut [f32],
        room: &mut Decompression,
    ) -> Option<()> {
        let compressor = self.compressor.as_ref()?;
        let (columns, n, width) = (self.columns(), self.outputs.len(), self.layout.width());
        let mut body = vec![0.0; width];
        let mut input = vec![0.0; columns + 2 * n];
        let mut later = vec![0.0; columns];
        let picked = |body: &[f32], out: &mut [f32]| {
            out.iter_mut().zip(&self.outputs).for_each(|(o, at)| *o = body[*at as usize]);
        };
        sampler.sample(clip, mirrored, time_s + STEP_S, &mut later, &mut body);
        picked(&body, &mut input[columns + n..]);
        sampler.sample(clip, mirrored, time_s, &mut later, &mut body);
        input[..columns].copy_from_slice(&later);
        picked(&body, &mut input[columns..columns + n]);
        for i in columns..columns + n {
            input[i + n] = (input[i + n] - input[i]) / STEP_S as f32;
        }
        code[..columns].copy_from_slice(&later);
        compressor.run(&input, &mut code[columns..], &mut room.room);
        Some(())
    }

    /// Rejects networks that were trained on other features than a database has.
    ///
    /// # Errors
    /// Returns [`NetworksError::OtherSchema`] if schema, skeleton, curves, layout or normalisation differ.
    pub fn check_schema(&self, db: &Database) -> Result<(), NetworksError> {
        let ours = &self.character;
        let (networks, database) = (ours.schema.hash(), db.schema.hash());
        let other = |difference| Err(NetworksError::OtherSchema { networks, database, difference });
        if networks != database {
            let pairs = ours.schema.channels.iter().zip(&db.schema.channels).enumerate();
            let differing = pairs.into_iter().find(|(_, (a, b))| (&a.label, a.weight) != (&b.label, b.weight));
            return other(match differing {
                Some((i, (a, b))) if a.label == b.label => {
                    format!("channel {i} `{}`: weight {} and {}", a.label, a.weight, b.weight)
                }
                Some((i, (a, b))) => format!("channel {i}: `{}` and `{}`", a.label, b.label),
                None => {
                    format!("their number of channels: {} and {}", ours.schema.channels.len(), db.schema.channels.len())
                }
            });
        }
        if ours.skeleton.names() != db.skeleton.names() {
            return other("their skeletons".into());
        }
        if let Some(name) = ours.curve_names.iter().find(|name| !db.curve_names.contains(name)) {
            return other(format!("the curve `{name}`, which the database lacks"));
        }
        // The database may have more curves.
        if Sampler::for_character(db, ours).layout() != &self.layout {
            return other("the joints that move along, or touch the ground".into());
        }
        let (a, b) = (&ours.features, &db.features);
        let same = |column: &usize| {
            let scale = a.scale[*column];
            (a.offset[*column] - b.offset[*column]).abs() <= SAME * scale
                && (scale - b.scale[*column]).abs() <= SAME * scale
        };
        if let Some(column) = (0..a.columns).find(|column| !same(column)) {
            let label = ours.schema.column_label(column);
            return other(format!("the normalisation of `{label}`: the database was built from other clips"));
        }
        Ok(())
    }

    fn check(&self) -> Result<(), NetworksError> {
        let p = &self.parts;
        let named = [
            ("decompressor", Some(&p.decompressor)),
            ("stepper", Some(&p.stepper)),
            ("projector", Some(&p.projector)),
            ("compressor", p.compressor.as_ref()),
        ];
        for (network, n) in named {
            n.map_or(Ok(()), Network::check).map_err(|error| NetworksError::Network { network, error })?;
        }
        let (columns, code, width) = (self.columns(), p.decompressor.inputs(), self.layout.width());
        let compressor = p.compressor.as_ref();
        let sizes = [
            ("inputs of the decompressor", columns.max(code.min(columns + MOST_LATENTS)), code),
            ("outputs of the decompressor", p.outputs.len(), p.decompressor.outputs()),
            ("inputs of the stepper", code, p.stepper.inputs()),
            ("outputs of the stepper", code, p.stepper.outputs()),
            ("inputs of the projector", columns, p.projector.inputs()),
            ("outputs of the projector", code, p.projector.outputs()),
            (
                "inputs of the compressor",
                columns + 2 * p.outputs.len(),
                compressor.map_or(columns + 2 * p.outputs.len(), Network::inputs),
            ),
            (
                "outputs of the compressor",
                code - columns.min(code),
                compressor.map_or(code - columns.min(code), Network::outputs),
            ),
            ("the code of a character at rest", code, p.resting.len()),
            ("constants of the body", width, p.constants.len()),
        ];
        if let Some((what, expected, found)) = sizes.into_iter().find(|(_, expected, found)| expected != found) {
            return Err(NetworksError::Size { what, expected, found });
        }
        let rising = p.outputs.windows(2).all(|w| w[0] < w[1]);
        if let Some(last) = p.outputs.last().filter(|last| !rising || **last as usize >= width) {
            return Err(NetworksError::Value { what: "outputs of the decompressor", value: *last as f32 });
        }
        let c = &p.calibration;
        let numbers = [c.transition_distance, c.longest_step_s, c.trusted_distance];
        let all = p.constants.iter().chain(&p.resting).chain(&numbers);
        match all.copied().find(|v| v.is_nan() || v.abs() >= FAR) {
            Some(value) => Err(NetworksError::Value { what: "constants, resting code or calibration", value }),
            None => Ok(()),
        }
    }

    fn hash_of_all(&self) -> u64 {
        let mut hash = Xxh3::new();
        hash.update(&self.character.content_hash().to_le_bytes());
        let p = &self.parts;
        for network in
            [Some(&p.decompressor), Some(&p.stepper), Some(&p.projector), p.compressor.as_ref()].into_iter().flatten()
        {
            network.hash_into(&mut hash);
        }
        hash.update(bytemuck::cast_slice(&p.outputs));
        let c = &p.calibration;
        for numbers in [&p.constants[..], &p.resting, &[c.transition_distance, c.longest_step_s, c.trusted_distance]] {
            hash.update(bytemuck::cast_slice(numbers));
        }
        hash.digest()
    }
}

/// Maximum deviation of features and latent variables from their mean, in standard deviations.
const FARTHEST: f32 = 10.0;
/// Upper bound of constants.
const FAR: f32 = 1e4;
/// Maximum difference between offsets and scales of equal features, as a share of the scale.
const SAME: f32 = 0.02;
/// Maximum number of latent variables.
const MOST_LATENTS: usize = 1024;

/// Working memory of networks.
#[derive(Clone, Debug, Default)]
pub struct Decompression {
    varying: Vec<f32>,
    room: NetworkScratch,
}

impl Decompression {
    /// Allocates the working memory for these networks. Running them then does not allocate.
    pub fn new(networks: &Networks) -> Self {
        let widest = networks.widest();
        Self { varying: vec![0.0; widest.max(networks.layout.width())], room: NetworkScratch::new(widest) }
    }
}

/// Returns the database without its motion: one frame at rest, one row.
fn at_rest(db: &Database) -> DatabaseContent {
    let joints = db.skeleton.len();
    let translated: Vec<JointIndex> = db.poses.translated.clone();
    let rest = db.skeleton.rest();
    let poses = PosePool {
        joints,
        rotations: rest.iter().map(|t| t.rotation).collect(),
        translations: translated.iter().map(|j| rest[j.at()].translation).collect(),
        translated,
    };
    let clip = Clip {
        name: "learned".into(),
        first_frame: 0,
        frames: 1,
        first_row: 0,
        rows: 1,
        loop_delta: None,
        mirrored: false,
        source_start_s: 0.0,
    };
    let columns = db.features.columns;
    DatabaseContent {
        clips: vec![clip],
        poses,
        contacts: vec![1; db.rig.contact_joints.len()],
        curves: vec![0.0; db.curve_names.len()],
        features: Features { values: vec![0.0; columns], ..db.features.clone() },
        row_frames: vec![FrameIndex(0)],
        row_flags: vec![RowFlags::default()],
        row_costs: Vec::new(),
        tags: Vec::new(),
        tag_spans: Vec::new(),
        event_names: Vec::new(),
        events: Vec::new(),
        mirror: MirrorMode::Off,
        mirror_pairs: Vec::new(),
        ..DatabaseContent::clone(db)
    }
}
