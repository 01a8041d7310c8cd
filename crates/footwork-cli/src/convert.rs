//! `footwork convert`: converts motion files to BVH or glTF.

use crate::args::{Common, ConvertArgs, OutputFormat};
use crate::database::name_fits;
use crate::kind::check_new;
use crate::{clips, output};
use anyhow::{Context, Result, bail};
use footwork::clip::RawClip;
use footwork_import::glb::{self, GlbClip, GlbOptions};
use footwork_import::{Imported, resample};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Runs the command.
pub fn convert(args: &ConvertArgs, common: &Common) -> Result<()> {
    let target = Target::of(args)?;
    let mesh = args.mesh.as_ref().map(|path| Mesh::read(path)).transpose()?;
    let Imported { clips, notes, fixes, .. } = read(args, common)?;
    let notes: Vec<String> = notes.iter().map(ToString::to_string).chain(crate::clips::fix_lines(&fixes)).collect();
    if let Target::Bvh(path) | Target::Glb(path) = &target {
        check_new("--output", &clips::sidecars(path, &clips), args.force)?;
    }
    let files = target.write(&clips, mesh.as_ref(), common.json)?;
    if common.json {
        out!(
            "{}",
            json!({
                "output": args.output,
                "files": files,
                "clip_list": clips.iter().map(clip_json).collect::<Vec<_>>(),
                "notes": notes,
            })
        );
        return Ok(());
    }
    for note in &notes {
        out!("note: {note}");
    }
    for c in &clips {
        let (name, frames, joints) = (&c.name, c.frames(), c.skeleton.len());
        out!("  {name:<40} {:>7.2} s  {frames} frames at {} Hz, {joints} joints", c.seconds(), c.rate_hz);
    }
    out!("{}: {} clips in {} files", args.output.display(), clips.len(), files.len());
    Ok(())
}

fn clip_json(c: &RawClip) -> Value {
    json!({
        "name": c.name,
        "source": c.source,
        "seconds": c.seconds(),
        "frames": c.frames(),
        "rate_hz": c.rate_hz,
        "joints": c.skeleton.len(),
    })
}

/// Reads the requested clips at the requested rate.
fn read(args: &ConvertArgs, common: &Common) -> Result<Imported> {
    let mut source = common.character()?.source;
    if let Some(units) = &args.units {
        source.units = units.clone();
    }
    let mut imported = clips::import(&args.clips, Path::new(""), &source, common)?;
    if let Some(wanted) = &args.clip {
        imported.clips.retain(|c| name_fits(wanted, &c.name));
        if imported.clips.is_empty() {
            bail!("--clip {wanted}: no clip name contains this");
        }
    }
    if let Some(rate_hz) = common.rate {
        let clips: Result<Vec<_>, _> = imported.clips.iter().map(|c| resample(c, rate_hz)).collect();
        imported.clips = clips.with_context(|| format!("--rate {rate_hz}"))?;
    }
    Ok(imported)
}

/// A character to animate.
struct Mesh {
    name: String,
    bytes: Vec<u8>,
}

impl Mesh {
    fn read(path: &Path) -> Result<Self> {
        Ok(Self { name: path.display().to_string(), bytes: clips::read_model(path)? })
    }
}

/// File or folder to write.
enum Target<'a> {
    Bvh(&'a Path),
    Glb(&'a Path),
    Folder(clips::Folder<'a>),
}

impl<'a> Target<'a> {
    fn of(args: &'a ConvertArgs) -> Result<Self> {
        let path = args.output.as_path();
        let folder = || Self::Folder(clips::Folder { flag: "--output", path, format: args.format, force: args.force });
        let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
        let target = match extension.as_str() {
            _ if path.is_dir() => folder(),
            "bvh" => Self::Bvh(path),
            "glb" => Self::Glb(path),
            "" => folder(),
            "fbx" | "gltf" => bail!("--output {}: .{extension} files cannot be written: expected .glb", path.display()),
            _ => bail!("--output {}: expected a name that ends in .bvh or .glb, or a folder", path.display()),
        };
        let takes_mesh = matches!(target, Self::Glb(_) | Self::Folder(clips::Folder { format: OutputFormat::Glb, .. }));
        if args.mesh.is_some() && !takes_mesh {
            bail!("--mesh: BVH files have no mesh: expected --output FILE.glb, or a folder and --format glb");
        }
        Ok(target)
    }

    /// Writes the files and returns their paths.
    fn write(&self, clips: &[RawClip], mesh: Option<&Mesh>, json: bool) -> Result<Vec<PathBuf>> {
        match self {
            Self::Bvh(path) => {
                let [clip] = clips else {
                    bail!(
                        "--output {}: expected one clip for a BVH file, found {}; select one with --clip, or write to a folder",
                        path.display(),
                        clips.len()
                    );
                };
                clips::bvh(path, clip)?;
                clips::write_sidecars(path, clips)?;
                Ok(vec![path.to_path_buf()])
            }
            Self::Glb(path) => {
                glb(path, clips, mesh)?;
                clips::write_sidecars(path, clips)?;
                Ok(vec![path.to_path_buf()])
            }
            Self::Folder(folder) => folder.write(clips, json, |path, clip| match folder.format {
                OutputFormat::Bvh => clips::bvh(path, clip),
                OutputFormat::Glb => glb(path, std::slice::from_ref(clip), mesh),
            }),
        }
    }
}

fn glb(path: &Path, clips: &[RawClip], mesh: Option<&Mesh>) -> Result<()> {
    let mut bytes = Vec::new();
    if let Some(mesh) = mesh {
        let written = glb::write_onto(&mesh.bytes, &mesh.name, clips, &mut bytes);
        written.with_context(|| format!("cannot write {}", path.display()))?;
        return output::bytes(path, &bytes);
    }
    let skeleton = &clips[0].skeleton;
    let differs = |c: &&RawClip| c.skeleton.names() != skeleton.names() || c.skeleton.parents() != skeleton.parents();
    if let Some(other) = clips.iter().find(differs) {
        bail!(
            "clips `{}` ({}) and `{}` ({}): expected one skeleton in a .glb file, found two; write to a folder",
            clips[0].name,
            clips[0].source,
            other.name,
            other.source
        );
    }
    let animations: Vec<GlbClip<'_>> = clips.iter().map(GlbClip::from).collect();
    let written = glb::write(skeleton, &animations, &GlbOptions::default(), &mut bytes);
    written.with_context(|| format!("cannot write {}", path.display()))?;
    output::bytes(path, &bytes)
}
