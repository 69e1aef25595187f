//! What a package has beside the program.

use setsight_testkit::child::Start;
use std::process::Command;

/// A manual page for each command that `--help` names, and none for the one that writes them.
#[test]
fn manual_pages_and_completions_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_setsight")).args(args).ended();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    run(&["pages", folder.path().to_str().unwrap()]);
    let help = run(&["--help"]);
    let listed = help.split_once("Commands:\n").unwrap().1.split_once("\n\n").unwrap().0;
    let commands = listed.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let commands: Vec<&str> = commands.filter(|name| !["", "help"].contains(name)).collect();
    assert!(commands.contains(&"scan") && !commands.contains(&"pages"), "{commands:?}");
    let bash = std::fs::read_to_string(folder.path().join("bash/setsight.bash")).unwrap();
    for command in commands {
        let page = folder.path().join(format!("man1/setsight-{command}.1"));
        let page = std::fs::read_to_string(&page).unwrap_or_else(|e| panic!("{command}: {e}"));
        assert!(page.contains(".SH SYNOPSIS"), "{page}");
        assert!(bash.contains(&format!("setsight,{command})")), "{command}");
    }
    assert!(folder.path().join("zsh/_setsight").is_file());
    assert!(folder.path().join("fish/setsight.fish").is_file());
    assert!(!folder.path().join("man1/setsight-pages.1").exists());
}
