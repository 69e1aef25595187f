//! What pages of figures share; each is one file, to be opened without a network.

use super::common::{Outcome, put, unwritten};
use maud::{Markup, PreEscaped, html};
use setsight_eval::html as eval_html;
use setsight_eval::plots::{self, Chart, PlotError};
use setsight_files::say;
use std::path::{Path, PathBuf};

/// Where a page of figures goes, the same in every command that makes one.
#[derive(clap::Args)]
pub struct ReportArgs {
    /// Folder for a page of the results with plots (index.html)
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
    /// Open the page in the system's browser
    #[arg(long, requires = "report")]
    open: bool,
}

impl ReportArgs {
    /// Writes the page, if it is asked for, and shows it.
    pub fn write(
        &self,
        page: impl FnOnce() -> Result<String, PlotError>,
    ) -> anyhow::Result<Outcome> {
        let Some(folder) = &self.report else { return Ok(Outcome::Done) };
        let file = folder.join("index.html");
        let page = page()?;
        std::fs::create_dir_all(folder)
            .map_err(|error| unwritten(format!("{} cannot be made", folder.display()), error))?;
        put::<&Path>(&file, eval_html::head().as_bytes(), &[], page.as_bytes())?;
        Ok(if self.open && !show(&file) { Outcome::SomeFailed } else { Outcome::Done })
    }
}

const STYLE: &str = ":root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:62em;\
padding:0 1em;background:#fafafa;color:#16181c}figure{margin:1em 0;background:#fff;\
border:1px solid #ddd;overflow-x:auto}figure svg{width:100%;min-width:36em;height:auto;display:block}\
@media(max-width:40em){h1{font-size:1.5em}h2{font-size:1.2em}body{margin:1em auto}ul{padding-left:1.2em}}\
div{overflow-x:auto}table{border-collapse:collapse;background:#fff;margin:.6em 0}\
td,th{border:1px solid #ddd;padding:.25em .6em;text-align:right;white-space:nowrap}\
@media(prefers-color-scheme:dark){body{background:#16181c;color:#eee}table{background:#222}\
td,th{border-color:#444}}";

/// The whole page.
pub fn document(title: &str, body: &Markup) -> String {
    eval_html::page(title, STYLE, body).into_string()
}

/// A plot inside the page.
pub fn plot(chart: &impl Chart) -> Result<Markup, PlotError> {
    let (width, height) = plots::SIZE_PX;
    let svg = plots::svg(chart, plots::SIZE_PX)?;
    // The size in pixels would keep it from fitting the page.
    let size = format!("width=\"{width}\" height=\"{height}\" viewBox");
    Ok(html! { figure { (PreEscaped(svg.replacen(&size, "viewBox", 1))) } "\n" })
}

/// A table.
pub fn table(head: &[String], rows: &[Vec<String>]) -> Markup {
    html! {
        div {
            table {
                tr { @for cell in head { th { (cell) } } }
                @for row in rows { "\n" tr { @for cell in row { td { (cell) } } } }
            }
        }
        "\n"
    }
}

/// Shows a page with the program that the system opens pages with; says it where there is none.
pub fn show(page: &Path) -> bool {
    let shown = open::that_detached(page).is_ok();
    if !shown {
        // What the error says are calls of several programs, none of which the user has.
        say!("{}: no browser was found; open it yourself", page.display());
    }
    shown
}
