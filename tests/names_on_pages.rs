//! Modules, items and files that pages name in backticks exist. Logs of experiments name those of their date.

use setsight_testkit::{files_in, in_repository, text_of};

/// The files with this ending below some folders, and their texts.
fn texts(folders: [&str; 3], ending: &str) -> Vec<(String, String)> {
    let files = folders.into_iter().flat_map(|folder| files_in(folder, ending));
    files.map(|file| (file.clone(), text_of(&file))).collect()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
}

/// Whether each name of a path is that of a module or a type, or occurs in what was named before it.
fn is_item(path: &str, sources: &[(String, String)]) -> bool {
    let mut files: Vec<_> = sources.iter().collect();
    for (i, name) in words(path).filter(|name| !name.is_empty()).enumerate() {
        let types = ["struct", "enum", "trait", "type"].map(|kind| format!("{kind} {name}"));
        let within: Vec<_> = files
            .iter()
            .copied()
            .filter(|(file, text)| {
                file.trim_end_matches(".rs").split('/').any(|part| part == name)
                    || types.iter().any(|start| text.contains(start))
            })
            .collect();
        if !within.is_empty() {
            files = within;
        } else if i == 0 || !files.iter().any(|(_, text)| words(text).any(|word| word == name)) {
            return false;
        }
    }
    true
}

#[test]
fn pages_name_what_exists() {
    let root = in_repository("");
    let sources = texts(["src", "crates", "tests"], ".rs");
    let mut pages = texts(["docs", "crates", "models"], ".md");
    let more_pages = ["README.md", "CONTRIBUTING.md", "datasets/README.md"];
    pages.extend(more_pages.map(|page| (page.to_owned(), text_of(page))));
    let lock = text_of("Cargo.lock").replace('-', "_");
    let (mut gone, mut checked) = (Vec::new(), 0);
    for (page, text) in pages.iter().filter(|(page, _)| !page.contains("/experiments/")) {
        // What is fenced is code, which other tests run.
        let prose = text.split("```").step_by(2);
        for span in prose.flat_map(|part| part.split('`').skip(1).step_by(2)) {
            let only = |more| span.chars().all(|c| c.is_alphanumeric() || str::contains(more, c));
            let (top, _) = span.split_once('/').unwrap_or_default();
            let is_found = if span.contains("::") && only("_:()") {
                let path = span.trim_start_matches("setsight_").trim_start_matches("setsight::");
                let (package, _) = span.split_once("::").unwrap();
                let is_foreign = package == "std" || lock.contains(&format!("\"{package}\""));
                (path == span && is_foreign) || is_item(path, &sources)
            } else if only("_-./") && span.ends_with(".rs") {
                let end = format!("/{span}");
                root.join(span).exists() || sources.iter().any(|(f, _)| f.ends_with(&end))
            } else if only("_-./") && top.len() > 2 && root.join(top).is_dir() {
                let sibling = root.join(page).with_file_name(span);
                top == "target" || sibling.exists() || root.join(span).exists()
            } else {
                continue;
            };
            checked += 1;
            gone.extend((!is_found).then(|| format!("{page}: {span}")));
        }
    }
    assert!(checked > 100 && gone.is_empty(), "{checked} checked; gone:\n{}", gone.join("\n"));
}
