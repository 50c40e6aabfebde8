//! Reading one RON file: the path enters, the value or a one-line error leaves.

use std::fs;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

/// Why a configuration could not be used. Each displays as one line.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file or folder cannot be read.
    #[error("{}: cannot read: {source}", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// What the operating system says.
        source: std::io::Error,
    },
    /// The folder holds no configuration.
    #[error("{}: holds no .ron file", path.display())]
    NoFiles {
        /// The folder.
        path: PathBuf,
    },
    /// The text is not RON, or not of the expected shape.
    #[error("{}:{line}:{column}: {message}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What is wrong.
        message: String,
    },
    /// A field is unknown, missing, of the wrong type or out of range.
    #[error("{}:{line}:{column}: field `{field}`: {message}", path.display())]
    Field {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// The field, with the path that leads to it.
        field: String,
        /// What is wrong.
        message: String,
    },
}

impl ConfigError {
    /// A fault that shows only beside other files, such as a name of something that is not there.
    /// The position is that of the field, as far as the file can still be read.
    pub fn at(path: &Path, Fault { field, message }: Fault) -> Self {
        let text = fs::read_to_string(path).unwrap_or_default();
        let (line, column) = position_of_field(&text, &field);
        Self::Field { path: path.to_owned(), line, column, field, message }
    }
}

/// A value that parses and yet cannot be meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The field, with the path that leads to it: `clock_mhz` or `codes[2].strengths`.
    pub field: String,
    /// What is wrong with it, with the offending value and the limit.
    pub message: String,
}

impl Fault {
    /// A fault of `field`.
    pub fn new(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { field: field.into(), message: message.into() }
    }
}

/// What must hold beyond the types of the fields.
pub trait Check {
    /// The first thing that does not hold.
    ///
    /// # Errors
    /// A [`Fault`] that names the field.
    fn check(&self) -> Result<(), Fault>;
}

/// Reads a RON file.
///
/// # Errors
/// [`ConfigError`] where the file cannot be read, is not RON, or does not fit `T`.
pub fn load_ron<T: DeserializeOwned>(path: &Path) -> Result<T, ConfigError> {
    parse(path, &read(path)?)
}

/// Reads a RON file and checks what it says.
///
/// # Errors
/// As [`load_ron`], and [`ConfigError::Field`] with the position of the field that a
/// [`Check::check`] finds at fault.
pub fn load_checked<T: DeserializeOwned + Check>(path: &Path) -> Result<T, ConfigError> {
    let text = read(path)?;
    let value: T = parse(path, &text)?;
    match value.check() {
        Ok(()) => Ok(value),
        Err(Fault { field, message }) => {
            let (line, column) = position_of_field(&text, &field);
            Err(ConfigError::Field { path: path.to_owned(), line, column, field, message })
        }
    }
}

fn read(path: &Path) -> Result<String, ConfigError> {
    fs::read_to_string(path).map_err(|source| ConfigError::Read { path: path.to_owned(), source })
}

fn parse<T: DeserializeOwned>(path: &Path, text: &str) -> Result<T, ConfigError> {
    let syntax = |error: ron::error::SpannedError| ConfigError::Syntax {
        path: path.to_owned(),
        line: error.span.start.line,
        column: error.span.start.col,
        message: error.code.to_string(),
    };
    let mut deserializer = ron::Deserializer::from_str(text).map_err(syntax)?;
    match serde_path_to_error::deserialize(&mut deserializer) {
        Ok(value) => match deserializer.end() {
            Ok(()) => Ok(value),
            Err(code) => Err(syntax(deserializer.span_error(code))),
        },
        Err(error) => {
            let place = error.path().to_string();
            let error = deserializer.span_error(error.into_inner());
            Err(match field_fault(&place, &error.code, text) {
                Some((Fault { field, message }, (line, column))) => {
                    ConfigError::Field { path: path.to_owned(), line, column, field, message }
                }
                None => syntax(error),
            })
        }
    }
}

/// Turns an error of the parser into the field it concerns and that field's position, where it
/// concerns one. `place` is the path down to the value being read.
fn field_fault(place: &str, code: &ron::Error, text: &str) -> Option<(Fault, (usize, usize))> {
    let inside = |name: &str| match place.strip_suffix(name) {
        Some(_) => place.to_owned(),
        None if place == "." => name.to_owned(),
        None => format!("{place}.{name}"),
    };
    let fault = match code {
        ron::Error::NoSuchStructField { expected, found, .. } => {
            let nearest = nearest(found, expected);
            Fault::new(inside(found), format!("unknown; the nearest name is `{nearest}`"))
        }
        ron::Error::MissingStructField { field, .. } => {
            // The struct that lacks it is all that can be pointed at.
            let at = if place == "." { (1, 1) } else { position_of_field(text, place) };
            return Some((Fault::new(inside(field), "missing"), at));
        }
        ron::Error::DuplicateStructField { field, .. } => Fault::new(inside(field), "given twice"),
        // Between fields: the parser has no name to give, but a position.
        _ if place == "." || place.ends_with('?') => return None,
        ron::Error::NoSuchEnumVariant { expected, found, .. } => {
            let nearest = nearest(found, expected);
            Fault::new(place, format!("unknown choice `{found}`; the nearest is `{nearest}`"))
        }
        other => Fault::new(place, other.to_string()),
    };
    let position = position_of_field(text, &fault.field);
    Some((fault, position))
}

fn nearest<'a>(found: &str, names: &[&'a str]) -> &'a str {
    let distance = |name: &&&str| strsim::damerau_levenshtein(found, name);
    names.iter().min_by_key(distance).copied().unwrap_or("none")
}

/// Line and column (from 1) where the field stands, following its path name by name. An index is
/// followed by counting the name behind it; a field that is absent gets the position reached by
/// then, so that the line is never far off.
fn position_of_field(text: &str, field: &str) -> (usize, usize) {
    let code = blank_comments_and_strings(text);
    let mut reached = 0;
    let mut passed_over = 0;
    for part in field.split('.') {
        let (name, index) = part.split_once('[').unwrap_or((part, ""));
        let from = reached;
        for turn in 0..=passed_over {
            let from = if turn == 0 { from } else { reached + 1 };
            reached = find_key(&code, from, name).unwrap_or(reached);
        }
        passed_over = index.trim_end_matches(']').parse().unwrap_or(0);
    }
    let before = &code[..reached];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

/// The byte position of `name` used as a key (`name :`), at or after `from`.
fn find_key(code: &str, from: usize, name: &str) -> Option<usize> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    code[from..].match_indices(name).map(|(at, _)| from + at).find(|&at| {
        let ends_word = !code[..at].ends_with(is_word);
        ends_word && code[at + name.len()..].trim_start().starts_with(':')
    })
}

/// The text with comments and strings overwritten by blanks, every position unchanged.
fn blank_comments_and_strings(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = if rest.starts_with("//") {
            rest.find('\n')
        } else if rest.starts_with("/*") {
            rest.find("*/").map(|at| at + 2)
        } else if first == '"' {
            end_of_string(rest)
        } else {
            out.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        };
        let (blanked, tail) = rest.split_at(end.unwrap_or(rest.len()));
        out.extend(blanked.chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
        rest = tail;
    }
    out
}

fn end_of_string(quoted: &str) -> Option<usize> {
    let mut escaped = false;
    quoted.char_indices().skip(1).find_map(|(at, c)| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends.then_some(at + 1)
    })
}
