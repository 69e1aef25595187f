//! The comparison as a page: plots, tables, and a sentence for each row.

use super::experiment::Limits;
use super::report::{Row, Table, introduction, plots, sentences, tables};
use crate::cli::page;
use maud::{Markup, html};
use setsight_eval::plots::PlotError;
use setsight_generalized::Kind;

/// The page in HTML; it refers to no other file.
pub fn page(results: &[Row], solvers: &[Kind], limits: &Limits) -> Result<String, PlotError> {
    let plots_of = |row| -> Result<Vec<Markup>, PlotError> {
        plots(row, solvers).iter().map(page::plot).collect()
    };
    let plots = results.iter().map(plots_of).collect::<Result<Vec<_>, _>>()?;
    let body = html! {
        h1 { "The solvers compared" }
        p { (introduction(limits)) }
        p { "Long dashes and hollow dots are the paper's own figures (Python, on its machine)." }
        "\n"
        @for (row, plots) in results.iter().zip(plots) {
            h2 { (row.0.varied) " varies, " (row.0.fixed()) }
            @for plot in plots { (plot) }
            "\n"
            ul { @for sentence in sentences(row, solvers) { li { (sentence) } "\n" } }
            @for Table { above, head, rows } in tables(row, solvers) {
                @if !above.is_empty() { p { (above) } }
                (page::table(&head, &rows))
            }
        }
    };
    Ok(page::whole("setsight: the solvers compared", &body))
}
