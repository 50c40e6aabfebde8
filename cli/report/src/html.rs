//! The report: one self-contained page with inline styles and plots, and no script.
//!
//! Text enters through templates that escape it. The page refuses every request by its content
//! security policy, so it shows the same with and without a network.

mod figure;
mod page;
mod tables;

use maud::{DOCTYPE, Markup, PreEscaped, html as markup};

pub(crate) use figure::{figure, legend};
pub(crate) use page::page;
pub(crate) use tables::{
    blocks_table, builds_table, comparison_table, controllers_table, summary_table,
};

use crate::folder::Report;
use crate::format;
use crate::model::RunInfo;
use crate::table::Table;

/// The page of `report`, complete. It links to the files of the run folder by relative paths.
pub fn html(report: &Report) -> String {
    page(report, &[])
}

const STYLE: &str = include_str!("html/report.css");
/// Everything but inline styles is refused.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// A whole page.
pub(crate) fn document(title: &str, body: &Markup) -> String {
    let page = markup! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body { main { (body) } }
        }
    };
    page.into_string()
}

/// The head of a page: what ran, when and from which sources, and what else tells runs apart.
pub(crate) fn head(name: &str, title: &str, run: &RunInfo, facts: &Markup) -> Markup {
    let revision = run.git_revision.as_deref().unwrap_or("unversioned sources");
    markup! {
        header {
            p.eyebrow { "Floatgate · " (name) }
            h1 { (title) }
            p.meta {
                span { (run.started_utc) } span { (revision) } span { "seed " (run.seed) }
                (facts)
            }
        }
    }
}

/// Main figures with what they are; those without a value are left out.
pub(crate) fn tiles(tiles: impl IntoIterator<Item = (Option<String>, String)>) -> Markup {
    markup! {
        ul.tiles {
            @for (value, label) in tiles {
                @if let Some(value) = value {
                    li { span.value { (value) } span.label { (label) } }
                }
            }
        }
    }
}

/// The section on how a report was made: the command, a list of definitions, what the figures mean,
/// and the files of the folder.
pub(crate) fn method(
    run: &RunInfo,
    command: &str,
    waves: &[String],
    definitions: Markup,
    meaning: &str,
) -> Markup {
    markup! {
        section id="method" {
            h2 { "How this was measured" }
            p { "The whole report comes from one command:" }
            pre { code { (command) } }
            dl { (definitions) (run_rows(run)) }
            p { (meaning) }
            (files(waves))
        }
    }
}

/// How a run went, as rows of a list of definitions.
fn run_rows(run: &RunInfo) -> Markup {
    markup! {
        dt { "Run" }
        dd {
            (format::real(run.wall_time_s, 1)) " s on " (run.jobs) " threads, started "
            (run.started_utc)
        }
        @for tool in &run.tools {
            dt { (tool.name) }
            dd { (tool.version.as_deref().unwrap_or("not found or failed")) }
        }
    }
}

/// Links to the files of the folder.
fn files(waves: &[String]) -> Markup {
    markup! {
        p.links {
            "Files: "
            @for file in ["config.ron", "metrics.json", "run.json"] {
                a href=(file) { (file) } " "
            }
            @for wave in waves { a href={ "waves/" (wave) } { (wave) } " " }
        }
    }
}

/// `table` with the rows whose index `marked` chooses set off. A long table scrolls in its own box.
pub(crate) fn table_markup(table: &Table, marked: impl Fn(usize) -> bool) -> Markup {
    markup! {
        div.scroll role="region" aria-label="table" tabindex="0" {
            table {
                thead { tr {
                    @for column in &table.columns {
                        th scope="col" class=[is_text(table, &column.key).then_some("text")] {
                            (column.title)
                            @if !column.unit.is_empty() { span.unit { (column.unit) } }
                        }
                    }
                } }
                tbody {
                    @for (index, row) in table.rows.iter().enumerate() {
                        tr class=[marked(index).then_some("marked")] {
                            @for cell in row {
                                @let class = (!cell.is_number()).then_some("text");
                                td class=[class] { (cell.display()) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Marks no row.
pub(crate) fn unmarked(_row: usize) -> bool {
    false
}

/// Whether the column named `key` holds text, to align its heading with its cells.
fn is_text(table: &Table, key: &str) -> bool {
    let index = table.columns.iter().position(|column| column.key == key);
    index.is_some_and(|index| table.rows.iter().any(|row| !row[index].is_number()))
}

/// `arguments` as a line that a shell reads back.
pub(crate) fn shell_line(arguments: &[String]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    let quoted = |argument: &String| match !argument.is_empty() && argument.chars().all(plain) {
        true => argument.clone(),
        false => format!("'{}'", argument.replace('\'', r"'\''")),
    };
    arguments.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Cell, Column};

    #[test]
    fn text_is_escaped() {
        let mut table = Table::new(vec![Column::new("a", "<b>", "")]);
        table.push(vec![Cell::text("<script>alert(1)</script> & \"x\"")]);
        let text = table_markup(&table, unmarked).into_string();
        assert!(!text.contains("<script>") && !text.contains("<b>"), "{text}");
        assert!(text.contains("&lt;script&gt;") && text.contains("&amp;"), "{text}");
    }

    #[test]
    fn command_lines_are_quoted() {
        let arguments = ["floatgate", "sweep", "--out", "my dir", "it's"].map(String::from);
        assert_eq!(shell_line(&arguments), r"floatgate sweep --out 'my dir' 'it'\''s'");
    }
}
