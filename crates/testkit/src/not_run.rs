//! What a test says that cannot run here, so that it does not pass in silence.

/// Says why the test that calls this did not run, or not all of it. `tools/test.sh` names a file in
/// SETSIGHT_NOT_RUN, shows what was written to it as its last words, and counts it.
pub fn not_run(why: &str) {
    use std::io::Write;
    eprintln!("NOT RUN: {why}");
    let Some(path) = std::env::var_os("SETSIGHT_NOT_RUN") else { return };
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
    // One write: tests run side by side.
    let written = file.and_then(|mut file| file.write_all(format!("{test}: {why}\n").as_bytes()));
    written.expect("the file that SETSIGHT_NOT_RUN names can be written");
}
