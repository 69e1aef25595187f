//! `setsight --version --verbose`: what runs the networks, and which there are.

use setsight_nets::Kind;
use setsight_nets::engine::{self, Engine, FUSION, Models, file_of, sha256};
use std::fmt::Write;

/// The lines below the version, each with its end.
pub fn verbose() -> String {
    let mut text = String::new();
    // Writing into a string does not fail.
    let mut line = |what: &str, said: &str| writeln!(text, "{what}: {said}").unwrap_or_default();
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
    for kind in Kind::ALL {
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
