//! `setsight export`: what was trained, for other programs and other machines.

mod h7;

use super::photos::ModelsArgs;
use crate::cli::common::{BadCall, Outcome, print_outcome, put};
use anyhow::Context;
use setsight_files::print_result;
use setsight_files::small_file::{MAX_WEIGHTS_BYTES, read_small};
use setsight_nets::engine::{
    FUSION, MANIFEST, Manifest, ManifestFile, Models, Network, SCREENS, WEIGHTS, file_of, sha256,
};
use setsight_nets::{Kind, onnx};
use setsight_train::CHECKPOINT;
use setsight_vision::{classify::fusion::Fusion, classify::screens::ScreenWeights};
use std::path::{Path, PathBuf};

/// Arguments of `export`.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    subcommand: Subcommand,
}

#[derive(clap::Subcommand)]
enum Subcommand {
    /// Write a network as ONNX, for any program that runs it
    Onnx(OnnxArgs),
    /// List the files of a folder of models, with their hashes, in its manifest.json
    Manifest(ManifestArgs),
    /// A folder for the OpenMV Cam H7: the card reader as 8-bit integers, its scripts, a self-test
    H7(h7::Args),
}

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    setsight export onnx --out reader.onnx\n  \
    setsight export onnx --models my-models --network finder --out finder.onnx")]
struct OnnxArgs {
    #[command(flatten)]
    models: ModelsArgs,
    /// Which network: reader, finder or refiner
    #[arg(long, value_name = "NAME", default_value = "reader", value_parser = kind)]
    network: Kind,
    /// The file to write
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
}

fn kind(name: &str) -> Result<Kind, String> {
    let found = Kind::ALL.into_iter().find(|kind| kind.name() == name);
    found.ok_or_else(|| "expected reader, finder or refiner".into())
}

#[derive(clap::Args)]
struct ManifestArgs {
    /// A folder with reader.onnx, finder.onnx, refiner.onnx, fusion.json or some of them
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Writes what was asked for.
pub fn run(args: Args) -> anyhow::Result<Outcome> {
    match args.subcommand {
        Subcommand::Onnx(args) => onnx(args),
        Subcommand::Manifest(args) => manifest(args),
        Subcommand::H7(args) => h7::run(args),
    }
}

/// Only a network that loads is handed on.
fn onnx(args: OnnxArgs) -> anyhow::Result<Outcome> {
    let kind = args.network;
    let models = args.models.named_or_used();
    let name = models.name_of(file_of(kind));
    if let Models::Folder(folder) = &models
        && !models.has(file_of(kind))
        && folder.join(CHECKPOINT).is_file()
    {
        return Err(BadCall(format!(
            "{name} is not there: the run in {0} has not ended, or trains another network; go on with it: \
             setsight train {1} --out {0} --resume",
            folder.display(),
            kind.name()
        ))
        .into());
    }
    let (graph, metadata) =
        onnx::decode(&models.read(file_of(kind))?).with_context(|| name.clone())?;
    let bytes = onnx::encode_floats(&graph, &metadata);
    Network::load(&bytes, &name, kind)?;
    // The version of the format, and who made it.
    put(&args.out, &bytes[..bytes.len().min(12)], &[&name], &bytes)?;
    let summary = format!(
        "{}: a {} of {} weights, {} bytes, sha256 {}\n\
         OpenVINO computes with 16 bits on some processors unless INFERENCE_PRECISION_HINT is f32",
        args.out.display(),
        kind.name(),
        graph.parameters(),
        bytes.len(),
        sha256(&bytes)
    );
    print_outcome(Some(&args.out), &summary).map(|()| Outcome::Done)
}

/// Loads a file of models; its kind, and the version of the program that wrote it.
fn loaded(name: &str, bytes: &[u8], file: &Path) -> anyhow::Result<(&'static str, String)> {
    let shown = file.display().to_string();
    let unexpected = || format!("{shown} is not as expected");
    Ok(match name {
        FUSION => {
            let fusion: Fusion = serde_json::from_slice(bytes).with_context(unexpected)?;
            ("fusion", fusion.version)
        }
        SCREENS => {
            let screens: ScreenWeights = serde_json::from_slice(bytes).with_context(unexpected)?;
            ("screens", screens.version)
        }
        _ => {
            let kind = Kind::ALL.into_iter().find(|kind| file_of(*kind) == name);
            let network = Network::load(bytes, &shown, kind.unwrap_or(Kind::Reader))?;
            (network.metadata().kind.name(), network.metadata().version.clone())
        }
    })
}

/// Every file is loaded first: a manifest names no file that does not work.
fn manifest(args: ManifestArgs) -> anyhow::Result<Outcome> {
    let path = args.folder.join(MANIFEST);
    let mut files = Vec::new();
    for name in WEIGHTS {
        let file = args.folder.join(name);
        let bytes = match read_small(&file, MAX_WEIGHTS_BYTES) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error).context(file.display().to_string()),
        };
        let (kind, version) = loaded(name, &bytes, &file)?;
        files.push(ManifestFile {
            file: name.to_owned(),
            kind: kind.to_owned(),
            version,
            bytes: bytes.len(),
            sha256: sha256(&bytes),
        });
    }
    if files.is_empty() {
        let folder = args.folder.display();
        return Err(BadCall(format!(
            "{folder} holds no models; expected reader.onnx, finder.onnx, refiner.onnx or fusion.json"
        ))
        .into());
    }
    let mut text = serde_json::to_string_pretty(&Manifest { files })?;
    text.push('\n');
    put::<&Path>(&path, b"{\n  \"files\":", &[], text.as_bytes())?;
    let _ = print_result!("{}", path.display());
    Ok(Outcome::Done)
}
