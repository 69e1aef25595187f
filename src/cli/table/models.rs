//! `setsight models`: which weights this user reads with; and for `setsight --version --verbose` what runs the
//! networks, and which there are.

use crate::cli::common::{BadCall, Outcome};
use anyhow::Context;
use setsight_eval::gain::{self, Verdict};
use setsight_files::{print_result, say};
use setsight_nets::Kind;
use setsight_nets::engine::{self, Engine, FUSION, Models, file_of, sha256, used};
use setsight_vision::ReadingPlan;
use std::{fmt::Write, path::PathBuf};

/// Arguments of `models`.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  setsight models use my-models\n  setsight models show\n  setsight models reset"
)]
pub struct Args {
    #[command(subcommand)]
    subcommand: Subcommand,
}

#[derive(clap::Subcommand)]
enum Subcommand {
    /// Use the models in a folder from now on, in every command and in the window
    Use(UseArgs),
    /// Go back to the models inside the program
    Reset,
    /// Show which models are in use
    Show,
}

#[derive(clap::Args)]
struct UseArgs {
    /// A folder that `setsight train --add` wrote
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Even if they were measured to be worse than the ones before
    #[arg(long)]
    though_worse: bool,
}

/// Chooses models, or prints which are chosen.
pub fn run(args: Args) -> anyhow::Result<Outcome> {
    match args.subcommand {
        Subcommand::Use(args) => {
            ReadingPlan::with_models(Models::Folder(args.folder.clone())).build()?;
            if !args.though_worse
                && let Some(worth) = gain::of_folder(&args.folder)
                && worth.verdict == Verdict::Worse
            {
                worth.to_string().lines().for_each(|line| say!("{line}"));
                return Err(BadCall(format!(
                    "{}: measured to be worse than those they continue; use them anyway with \
                     --though-worse",
                    args.folder.display()
                ))
                .into());
            }
            let chosen = used::choose(&args.folder)
                .with_context(|| format!("{} cannot be chosen", args.folder.display()))?;
            let chosen = chosen.display();
            print_result!("{chosen} is now in use")?;
        }
        Subcommand::Reset => {
            used::reset().context("the choice cannot be forgotten")?;
            print_result!("the models inside the program are now in use")?;
        }
        Subcommand::Show => match used::chosen() {
            Some(folder) => print_result!("{}", folder.display())?,
            None => print_result!("those inside the program")?,
        },
    }
    Ok(Outcome::Done)
}

/// The lines below the version, each with its end.
pub fn verbose() -> String {
    let mut text = String::new();
    // Writing into a string does not fail.
    let mut line = |what: &str, value: &str| writeln!(text, "{what}: {value}").unwrap_or_default();
    match engine::chosen() {
        Ok(chosen) => {
            match &chosen.engine {
                Engine::OnnxRuntime { library, build } => {
                    line("engine", &format!("onnxruntime, {}", library.display()));
                    line("engine's build", build);
                }
                Engine::Embedded => {
                    line("engine", "embedded");
                    line("about twice as fast", &format!("ONNX Runtime, by {}", fetching()));
                }
            }
            for warning in &chosen.warnings {
                line("passed over", warning);
            }
        }
        Err(error) => line("engine", &format!("none: {error}")),
    }
    for kind in Kind::ALL.into_iter().filter(|kind| Models::Shipped.has(file_of(*kind))) {
        line(kind.name(), &network(kind));
    }
    line(
        "fusion",
        &match Models::Shipped.read(FUSION) {
            Ok(bytes) => format!("sha256 {}", sha256(&bytes)),
            Err(error) => error.to_string(),
        },
    );
    text
}

/// The script that fetches ONNX Runtime: a package has it beside the program.
fn fetching() -> String {
    let program = std::env::current_exe().ok();
    let prefix = program.as_deref().and_then(|program| program.parent()?.parent());
    let packaged = prefix.map(|prefix| prefix.join("libexec/setsight/fetch-onnxruntime"));
    match packaged.filter(|script| script.is_file()) {
        Some(script) => script.display().to_string(),
        None => "tools/fetch-onnxruntime".to_owned(),
    }
}

fn network(kind: Kind) -> String {
    let models = Models::Shipped;
    let loaded = models.read(file_of(kind)).and_then(|bytes| Ok((models.network(kind)?, bytes)));
    match loaded {
        Ok((network, bytes)) => {
            let metadata = network.metadata();
            format!(
                "version {}, sha256 {}, trained on {} by `{}`, seed {}",
                metadata.version,
                sha256(&bytes),
                metadata.training_set,
                metadata.command,
                metadata.seed
            )
        }
        Err(error) => error.to_string(),
    }
}
