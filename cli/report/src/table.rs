//! A table that is written as CSV and shown as HTML, so that both tell the same.

use crate::format;

/// Named columns and rows of cells.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Vec<Cell>>,
}

/// The head of a column.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    /// Name in the CSV file, with the unit last.
    pub(crate) key: String,
    /// Heading for people.
    pub(crate) title: String,
    /// Unit below the heading; empty for a pure number.
    pub(crate) unit: &'static str,
}

/// One value, which knows how people read it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cell {
    Text(String),
    Count(u64),
    Real { value: f64, decimals: usize },
    Power(f64),
    Absent,
}

impl Column {
    pub(crate) fn new(
        key: impl Into<String>,
        title: impl Into<String>,
        unit: &'static str,
    ) -> Self {
        Self { key: key.into(), title: title.into(), unit }
    }
}

impl Cell {
    pub(crate) fn real(value: f64, decimals: usize) -> Self {
        Self::Real { value, decimals }
    }

    pub(crate) fn real_or_absent(value: Option<f64>, decimals: usize) -> Self {
        value.map_or(Self::Absent, |value| Self::real(value, decimals))
    }

    pub(crate) fn text(value: impl Into<String>) -> Self {
        Self::Text(value.into())
    }

    /// As people read it.
    pub(crate) fn display(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Count(value) => format::count(*value),
            Self::Real { value, decimals } => format::real(*value, *decimals),
            Self::Power(value) => format::power(*value),
            Self::Absent => "–".into(),
        }
    }

    /// As a machine reads it; absent is empty.
    fn raw(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Count(value) => value.to_string(),
            Self::Real { value, .. } | Self::Power(value) => format::plain(*value),
            Self::Absent => String::new(),
        }
    }

    pub(crate) fn is_number(&self) -> bool {
        !matches!(self, Self::Text(_))
    }
}

impl Table {
    pub(crate) fn new(columns: Vec<Column>) -> Self {
        Self { columns, rows: Vec::new() }
    }

    pub(crate) fn push(&mut self, row: Vec<Cell>) {
        assert_eq!(row.len(), self.columns.len(), "a row has one cell per column");
        self.rows.push(row);
    }

    /// Leaves out the columns in which every cell is absent.
    pub(crate) fn without_empty_columns(mut self) -> Self {
        let filled: Vec<bool> = (0..self.columns.len())
            .map(|column| self.rows.iter().any(|row| row[column] != Cell::Absent))
            .collect();
        let mut kept = filled.iter();
        self.columns.retain(|_| *kept.next().expect("one flag per column"));
        for row in &mut self.rows {
            let mut kept = filled.iter();
            row.retain(|_| *kept.next().expect("one flag per column"));
        }
        self
    }

    /// Leaves out the first column, where its cells are all alike.
    pub(crate) fn remove_first_column(&mut self) {
        self.columns.remove(0);
        for row in &mut self.rows {
            row.remove(0);
        }
    }

    /// The table as RFC 4180 text with a header line.
    pub(crate) fn to_csv(&self) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let header = self.columns.iter().map(|column| &column.key);
        writer.write_record(header).expect("writing to memory cannot fail");
        for row in &self.rows {
            writer.write_record(row.iter().map(Cell::raw)).expect("rows have equal length");
        }
        let bytes = writer.into_inner().expect("writing to memory cannot fail");
        String::from_utf8(bytes).expect("cells are UTF-8")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_quotes_and_leaves_absent_cells_empty() {
        let columns = vec![Column::new("name", "Name", ""), Column::new("area_um2", "Area", "µm²")];
        let mut table = Table::new(columns);
        table.push(vec![Cell::text("a, \"b\""), Cell::real(0.1 + 0.2, 1)]);
        table.push(vec![Cell::text("<c>"), Cell::Absent]);
        assert_eq!(table.to_csv(), "name,area_um2\n\"a, \"\"b\"\"\",0.3\n<c>,\n");
    }

    #[test]
    fn empty_columns_are_left_out() {
        let columns = ["a", "b", "c"].map(|key| Column::new(key, key, "")).to_vec();
        let mut table = Table::new(columns);
        table.push(vec![Cell::Count(1), Cell::Absent, Cell::Absent]);
        table.push(vec![Cell::Count(2), Cell::Absent, Cell::Count(3)]);
        assert_eq!(table.without_empty_columns().to_csv(), "a,c\n1,\n2,3\n");
    }
}
