//! The formats: telling which one a file has, and reading its lines.

use super::blkparse::Blkparse;
use super::columns;
use super::fields::{LineFault, Record};
use super::iolog::Iolog;
use super::reader::Skip;
use super::{BlkparseAction, TraceFormat};

/// What a line holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parsed<'a> {
    Record(Record<'a>),
    Skipped(Skip),
}

/// What a line holds, or what is wrong with it.
pub(super) type ParsedLine<'a> = Result<Parsed<'a>, LineFault>;

/// Reads the lines of one format in their order.
#[derive(Clone, Debug)]
pub(super) enum Parser {
    MqSim,
    Msr,
    Spc1,
    Systor17,
    Fiu,
    Blkparse(Blkparse),
    Iolog(Iolog),
}

impl Parser {
    pub(super) fn new(format: TraceFormat, action: BlkparseAction) -> Self {
        match format {
            TraceFormat::MqSim => Self::MqSim,
            TraceFormat::Msr => Self::Msr,
            TraceFormat::Spc1 => Self::Spc1,
            TraceFormat::Systor17 => Self::Systor17,
            TraceFormat::Fiu => Self::Fiu,
            TraceFormat::Blkparse => Self::Blkparse(Blkparse::new(action)),
            TraceFormat::Iolog => Self::Iolog(Iolog::default()),
        }
    }

    /// Reads the line with this number, from 1.
    pub(super) fn parse<'a>(&mut self, number: u64, line: &'a [u8]) -> ParsedLine<'a> {
        match self {
            Self::MqSim => columns::mqsim(line),
            Self::Msr => columns::msr(line),
            Self::Spc1 => columns::spc1(line),
            Self::Systor17 => columns::systor17(number, line),
            Self::Fiu => columns::fiu(line),
            Self::Blkparse(blkparse) => blkparse.parse(line),
            Self::Iolog(iolog) => iolog.parse(line),
        }
    }
}

impl TraceFormat {
    /// What the format calls the time of a request.
    pub(super) fn time_field(self) -> &'static str {
        match self {
            Self::MqSim => "arrival_ns",
            Self::Msr | Self::Spc1 | Self::Systor17 => "Timestamp",
            Self::Fiu => "timestamp",
            Self::Blkparse => "time",
            Self::Iolog => "time_ms",
        }
    }

    /// What the format calls the device of a request.
    pub(super) fn device_field(self) -> &'static str {
        match self {
            Self::MqSim | Self::Blkparse => "device",
            Self::Msr => "DiskNumber",
            Self::Spc1 => "ASU",
            Self::Systor17 => "LUN",
            Self::Fiu => "minor",
            Self::Iolog => "file",
        }
    }

    /// What the format calls the address of a request.
    pub(super) fn address_field(self) -> &'static str {
        match self {
            Self::MqSim | Self::Fiu => "lba",
            Self::Spc1 => "LBA",
            Self::Msr | Self::Systor17 => "Offset",
            Self::Blkparse => "sector",
            Self::Iolog => "offset",
        }
    }
}

/// Why the format is not clear. Displays as the end of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unclear {
    /// What each format says of the first line.
    None(Vec<(TraceFormat, String)>),
    Several(Vec<TraceFormat>),
}

/// The format that reads the most of the first lines, of which there is at least one.
pub(super) fn recognise<'a>(
    lines: impl Iterator<Item = &'a [u8]> + Clone,
    action: BlkparseAction,
) -> Result<TraceFormat, Unclear> {
    let fits = TraceFormat::ALL.map(|format| {
        let mut parser = Parser::new(format, action);
        let mut numbered = (1..).zip(lines.clone());
        let fault = numbered.find_map(|(number, line)| {
            let fault = parser.parse(number, line).err()?;
            Some((number, fault))
        });
        Fit { format, fault }
    });
    choose(&fits)
}

/// How far a format reads the first lines: to the line at fault, or to their end.
struct Fit {
    format: TraceFormat,
    fault: Option<(u64, LineFault)>,
}

impl Fit {
    fn ends_at(&self) -> u64 {
        self.fault.as_ref().map_or(u64::MAX, |(line, _)| *line)
    }
}

fn choose(fits: &[Fit]) -> Result<TraceFormat, Unclear> {
    let furthest = fits.iter().map(Fit::ends_at).max().unwrap_or(0);
    if furthest <= 1 {
        let reason = |fit: &Fit| Some((fit.format, fit.fault.as_ref()?.1.to_string()));
        return Err(Unclear::None(fits.iter().filter_map(reason).collect()));
    }
    let best = fits.iter().filter(|fit| fit.ends_at() == furthest).map(|fit| fit.format);
    match best.collect::<Vec<_>>().as_slice() {
        [format] => Ok(*format),
        several => Err(Unclear::Several(several.to_vec())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No two of the present formats share a line, so this needs faults that are made up.
    #[test]
    fn several_formats_that_fit_are_listed() {
        let fit = |format, line: u64| Fit {
            format,
            fault: (line > 0).then(|| (line, LineFault::line("is wrong"))),
        };
        let fits = [fit(TraceFormat::Msr, 3), fit(TraceFormat::Spc1, 0), fit(TraceFormat::Fiu, 0)];
        let both = vec![TraceFormat::Spc1, TraceFormat::Fiu];
        assert_eq!(choose(&fits), Err(Unclear::Several(both)));
        assert_eq!(choose(&fits[..2]), Ok(TraceFormat::Spc1));
        assert_eq!(choose(&fits[..1]), Ok(TraceFormat::Msr));
        let none = choose(&[fit(TraceFormat::Msr, 1)]);
        assert_eq!(none, Err(Unclear::None(vec![(TraceFormat::Msr, "is wrong".to_owned())])));
    }
}
