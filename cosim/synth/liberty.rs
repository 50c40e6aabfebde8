//! The few facts that are needed of a cell library in liberty text: each cell's area, and whether
//! it stores a bit.

use std::{collections::BTreeMap, path::Path};

use super::error::{SynthError, ToolMissing};

/// A cell of the library.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Cell {
    /// Area in square micrometres.
    pub(super) area_um2: f64,
    /// It has an `ff` group.
    pub(super) is_flip_flop: bool,
}

/// The cells of a library by name.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Liberty {
    cells: BTreeMap<String, Cell>,
    nand2_area_um2: f64,
}

impl Liberty {
    /// Reads a library.
    ///
    /// # Errors
    /// [`SynthError::ToolMissing`] if there is no such file, [`SynthError::Liberty`] if its groups
    /// do not nest, or it has no two-input NAND cell to count gate equivalents by.
    pub(super) fn read(path: &Path) -> Result<Self, SynthError> {
        let text = match std::fs::read(path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(ToolMissing {
                    tool: path.display().to_string(),
                    hint: "install the Debian package qflow-tech-osu018, \
                           or name a library with --liberty",
                }
                .into());
            }
            Err(error) => return Err(SynthError::io(path)(error)),
        };
        Self::parse(&text).map_err(|reason| SynthError::Liberty { path: path.into(), reason })
    }

    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let cells = read_cells(text)?;
        let nand2_area_um2 = cells
            .iter()
            .filter(|(name, cell)| is_nand2_name(name) && cell.area_um2 > 0.0)
            .map(|(_, cell)| cell.area_um2)
            .min_by(f64::total_cmp)
            .ok_or("no two-input NAND cell (a name with nand2 or nd2) to count gates by")?;
        Ok(Self { cells, nand2_area_um2 })
    }

    /// The cell of that name.
    pub(super) fn cell(&self, name: &str) -> Option<Cell> {
        self.cells.get(name).copied()
    }

    /// Area of the smallest two-input NAND cell: one gate equivalent, in square micrometres.
    pub(super) fn nand2_area_um2(&self) -> f64 {
        self.nand2_area_um2
    }
}

/// Libraries name the gate NAND2X1, NAND2_X1, sky130_fd_sc_hd__nand2_1, ND2D1 and the like.
fn is_nand2_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.contains("nand2") || name.contains("nd2")
}

/// Walks the nested groups `name (arguments) { ... }` and keeps those directly in the library that
/// are named `cell`.
fn read_cells(text: &str) -> Result<BTreeMap<String, Cell>, String> {
    let mut cells = BTreeMap::new();
    let mut open_groups: Vec<usize> = Vec::new(); // the line of each group's brace
    let mut current: Option<(&str, Cell)> = None;
    let mut statement: Vec<&str> = Vec::new();
    let mut tokens = Tokens { rest: text, line: 1 };
    while let Some(token) = tokens.next()? {
        let line = tokens.line;
        match token {
            "{" => {
                match (group_head(&statement), open_groups.len()) {
                    (Some(("cell", name)), 1) => current = Some((name, Cell::default())),
                    (Some(("ff", _)), 2) => {
                        if let Some((_, cell)) = &mut current {
                            cell.is_flip_flop = true;
                        }
                    }
                    _ => {}
                }
                open_groups.push(line);
                statement.clear();
            }
            "}" => {
                open_groups.pop().ok_or_else(|| format!("line {line}: a brace closes no group"))?;
                if open_groups.len() == 1 {
                    cells.extend(current.take().map(|(name, cell)| (name.to_string(), cell)));
                }
                statement.clear();
            }
            ";" => statement.clear(),
            _ => {
                if let (["area", ":"], Some((name, cell)), 2) =
                    (last_two(&statement), &mut current, open_groups.len())
                {
                    cell.area_um2 = token.parse().map_err(|_| {
                        format!("line {line}: area of {name} is not a number: {token}")
                    })?;
                }
                statement.push(token);
            }
        }
    }
    match open_groups.pop() {
        Some(line) => Err(format!("line {line}: the group is not closed")),
        None => Ok(cells),
    }
}

fn last_two<'a, 'b>(statement: &'b [&'a str]) -> &'b [&'a str] {
    &statement[statement.len().saturating_sub(2)..]
}

/// Name and first argument of a group: `cell`, `(`, `NAND2X1`, `)`.
fn group_head<'a>(statement: &[&'a str]) -> Option<(&'a str, &'a str)> {
    let paren = statement.iter().rposition(|&token| token == "(")?;
    let name = statement[..paren].last()?;
    Some((name, statement.get(paren + 1).filter(|&&token| token != ")").unwrap_or(&"")))
}

/// Words, quoted texts (without their quotes) and punctuation; comments and line ends are skipped.
struct Tokens<'a> {
    rest: &'a str,
    line: usize,
}

impl<'a> Tokens<'a> {
    const PUNCTUATION: &'static str = "(){}:;,";

    fn advance(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.line += taken.matches('\n').count();
        self.rest = rest;
        taken
    }

    fn next(&mut self) -> Result<Option<&'a str>, String> {
        loop {
            let is_blank = |c: char| c.is_whitespace() || c == '\\';
            self.advance(self.rest.len() - self.rest.trim_start_matches(is_blank).len());
            let line = self.line;
            let closing = if self.rest.starts_with("/*") {
                "*/"
            } else if self.rest.starts_with("//") {
                "\n"
            } else {
                break;
            };
            let end = self.rest[2..].find(closing);
            let end = end.ok_or_else(|| format!("line {line}: the comment is not closed"))?;
            self.advance(2 + end + closing.len());
        }
        let Some(first) = self.rest.chars().next() else { return Ok(None) };
        if first == '"' {
            let end = self.rest[1..].find('"');
            let end = end.ok_or_else(|| format!("line {}: the text is not closed", self.line))?;
            return Ok(Some(&self.advance(end + 2)[1..=end]));
        }
        if Self::PUNCTUATION.contains(first) {
            return Ok(Some(self.advance(1)));
        }
        let ends_word = |c: char| c.is_whitespace() || c == '"' || Self::PUNCTUATION.contains(c);
        let end = self.rest.find(ends_word).unwrap_or(self.rest.len());
        Ok(Some(self.advance(end)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = r#"
        /* two cells { */
        library ("small") {
          time_unit : "1ns";
          cell (NAND2X2) { area : 32; }
          cell ("NAND2X1") {
            area : 24 // no semicolon
            pin (Y) { direction : output; area : 7; values ("1, 2", \
              "3; }"); }
          }
          cell (DFF) { ff (IQ, IQN) { clocked_on : "CLK"; } area : 96; }
        }
    "#;

    #[test]
    fn areas_and_flip_flops_are_read() {
        let library = Liberty::parse(SMALL).unwrap();
        assert_eq!(library.nand2_area_um2(), 24.0);
        let cell = |area_um2, is_flip_flop| Some(Cell { area_um2, is_flip_flop });
        assert_eq!(library.cell("NAND2X1"), cell(24.0, false));
        assert_eq!(library.cell("DFF"), cell(96.0, true));
        assert_eq!(library.cell("small"), None);
    }

    #[test]
    fn broken_libraries_name_the_line() {
        let error = |text: &str| Liberty::parse(text).unwrap_err();
        assert_eq!(error("library (l) {\n cell (A) {\n"), "line 2: the group is not closed");
        assert_eq!(error("library (l) { }\n}"), "line 2: a brace closes no group");
        assert_eq!(error("\n/* for ever"), "line 2: the comment is not closed");
        assert_eq!(error("\n\n\"for ever"), "line 3: the text is not closed");
        assert_eq!(
            error("library (l) {\n cell (A) { area : big; } }"),
            "line 2: area of A is not a number: big"
        );
        assert!(error("library (l) { cell (INV) { area : 1; } }").contains("no two-input NAND"));
    }

    #[test]
    fn a_missing_library_says_what_to_install() {
        let error = Liberty::read(Path::new("/nowhere/cells.lib")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "/nowhere/cells.lib not found: install the Debian package qflow-tech-osu018, \
             or name a library with --liberty"
        );
    }
}
