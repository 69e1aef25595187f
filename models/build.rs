//! Lists the weights in this folder for `lib.rs`, whichever are there: a clone without them builds,
//! and reads without networks.

use std::{fmt::Write, path::PathBuf};

fn main() {
    let folder = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap());
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ext| ext == "onnx" || ext == "json"))
        .collect();
    files.sort();
    let mut code = String::from("&[\n");
    for file in files {
        println!("cargo::rerun-if-changed={}", file.display());
        let name = file.file_name().unwrap().to_str().expect("a name in UTF-8");
        writeln!(code, "    ({name:?}, include_bytes!({:?})),", file.display().to_string())
            .unwrap();
    }
    code += "]\n";
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap()).join("shipped_models.rs");
    std::fs::write(out, code).expect("cargo's own folder can be written");
}
