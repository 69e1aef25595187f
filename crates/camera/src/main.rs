//! The program `setsight-camera`: see README.md.

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match done(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("[error] {reason}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(windows)]
fn done(arguments: &[&str]) -> Result<(), String> {
    match arguments {
        ["list"] => setsight_camera::list(),
        ["read", number] => match number.parse() {
            Ok(number) => setsight_camera::read(number),
            Err(_) => Err(format!("{number}: expected the number of a camera, such as 0")),
        },
        _ => Err("expected list, or read and the number of a camera".to_owned()),
    }
}

#[cfg(not(windows))]
fn done(_: &[&str]) -> Result<(), String> {
    Err("this program is for Windows; elsewhere setsight reads cameras itself".to_owned())
}
