//! `footwork corpus`: the phases of a build that several processes or machines share.

use crate::args::{Common, CorpusArgs, CorpusCommand, CorpusMergeArgs, CorpusPartArgs, CorpusSurveyArgs};
use crate::build::{finish, sources_of};
use crate::progress;
use anyhow::{Context, Result};
use footwork::database::Database;
use footwork_import::{Corpus, Shards};
use serde_json::json;
use std::time::Instant;
use xxhash_rust::xxh3::xxh3_128;

/// Runs the command.
pub fn corpus(args: &CorpusArgs, common: &Common) -> Result<()> {
    match &args.phase {
        CorpusCommand::Survey(args) => survey(args, common),
        CorpusCommand::Extract(args) => {
            let (shard, shards) = args.shard;
            let read = Corpus::open(&args.folder, &program()?)?.extract(shard as usize - 1, shards as usize);
            if common.json {
                out!("{}", json!({ "shard": shard, "shards": shards, "files": read }));
            } else {
                out!("shard {shard} of {shards}: {read} files read");
            }
            Ok(())
        }
        CorpusCommand::Merge(args) => merge(args, common),
        CorpusCommand::Part(args) => part(args, common),
    }
}

fn survey(args: &CorpusSurveyArgs, common: &Common) -> Result<()> {
    let config = common.character()?;
    let (inputs, base) = sources_of(&args.clips, common, &config)
        .context("no clips: expected motion files, folders or patterns, or `source.clips` in the configuration")?;
    let settings = (&config, common.config.as_deref());
    let corpus = Corpus::survey(&args.output, (&inputs, base), settings, &program()?)?;
    let (files, bytes) = (corpus.files().len(), corpus.files().iter().map(|f| f.1).sum::<u64>());
    if common.json {
        out!("{}", json!({ "files": files, "bytes": bytes, "folder": args.output }));
    } else {
        let folder = args.output.display();
        out!("{files} files, {:.1} MB; next: footwork corpus extract {folder} --shard 1/1", bytes as f64 / 1e6);
    }
    Ok(())
}

fn merge(args: &CorpusMergeArgs, common: &Common) -> Result<()> {
    let start = Instant::now();
    let corpus = Corpus::open(&args.folder, &program()?)?;
    let (config, file) = corpus.config();
    let common = Common { config: file.map(Into::into), ..common.clone() };
    let bar = progress::bar("reading", corpus.files().len() as u64, common.json);
    let tell = |done: usize, _: usize| bar.set_position(done as u64);
    let imported = corpus.import(&config.source, Some(&tell));
    bar.finish_and_clear();
    let (imported, cached) = imported.context("the clips could not be read")?;
    finish((imported, cached), config, &args.output, &common, start)
}

fn part(args: &CorpusPartArgs, common: &Common) -> Result<()> {
    let shards = Shards::write(&Database::load(&args.database)?, args.shards, &args.output)?;
    if common.json {
        out!("{}", json!({ "manifest": shards.path(), "shards": shards.list() }));
    } else {
        let (clips, rows) = shards.size();
        out!("{clips} clips, {rows} rows in {} shards: {}", shards.list().len(), shards.path().display());
    }
    Ok(())
}

/// Identifies this program by its content: copies of it on several machines share their files.
fn program() -> Result<String> {
    let path = std::env::current_exe().context("this program cannot be found")?;
    let bytes = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(format!("footwork {} {:032x}", env!("CARGO_PKG_VERSION"), xxh3_128(&bytes)))
}
