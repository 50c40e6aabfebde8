//! Bounds of the mode in force, and the diagnostics of what does not keep to them.
//!
//! The die's mode decides, never the host's: a host that is faster than the mode it has set shows
//! up here. A comparison costs a load and a branch; text is made only for what is wrong.

use floatgate_hal::flash::mode::{DataInterface, TimingMode};

use super::behind::PinOptions;
use super::bus::{Instant, ps};
use super::timing::{NvddrTimings, Parameter, SdrTimings, Timings};
use crate::die::{Diagnostic, Quantity, Rule};

/// Bounds of one target, and what broke them.
#[derive(Clone, Debug)]
pub(super) struct Checker {
    pub(super) timings: Timings,
    pub(super) mode: TimingMode,
    diagnostics: Vec<Diagnostic>,
}

/// A span of time in the unit that a reader of diagnostics thinks in.
pub(super) fn in_ns(span: Instant) -> String {
    let text = format!("{}.{:03}", span / 1_000, (span % 1_000).abs());
    let short = text.trim_end_matches('0');
    let end = if short.ends_with('.') { "0 ns" } else { " ns" };
    format!("{short}{end}")
}

impl Checker {
    pub(super) fn new(mode: TimingMode, options: &PinOptions) -> Self {
        Self { timings: timings(mode, options), mode, diagnostics: Vec::new() }
    }

    /// From now on the bounds of another mode hold.
    pub(super) fn set_mode(&mut self, mode: TimingMode, options: &PinOptions) {
        self.mode = mode;
        self.timings = timings(mode, options);
    }

    #[inline]
    pub(super) fn minimum(&self, parameter: Parameter) -> Instant {
        self.timings.minimum(parameter)
    }

    #[inline]
    pub(super) fn maximum(&self, parameter: Parameter) -> Instant {
        self.timings.maximum(parameter)
    }

    /// Holds a span that ended at `at` against its lower bound.
    #[inline]
    pub(super) fn at_least(
        &mut self,
        at: Instant,
        rule: Rule,
        parameter: Parameter,
        what: &str,
        span: Instant,
    ) {
        let bound = self.timings.minimum(parameter);
        if span < bound {
            self.too_short(at, rule, (parameter.name(), what), span, bound);
        }
    }

    /// Reports a span below its bound: under a tag, and what it is a span of.
    #[cold]
    pub(super) fn too_short(
        &mut self,
        at: Instant,
        rule: Rule,
        (tag, what): (&str, &str),
        span: Instant,
        bound: Instant,
    ) {
        let (is, least, mode) = (in_ns(span), in_ns(bound), self.mode_name());
        self.bounded(at, rule, span, bound, format!("{tag}: {what} {is} < {least} ({mode})"));
    }

    /// Reports a span above its bound.
    #[cold]
    pub(super) fn too_long(
        &mut self,
        at: Instant,
        rule: Rule,
        (tag, what): (&str, &str),
        span: Instant,
        bound: Instant,
    ) {
        let (is, most, mode) = (in_ns(span), in_ns(bound), self.mode_name());
        self.bounded(at, rule, span, bound, format!("{tag}: {what} {is} > {most} ({mode})"));
    }

    /// Reports a span that breaks a bound, in its own words.
    #[cold]
    pub(super) fn bounded(
        &mut self,
        at: Instant,
        rule: Rule,
        span: Instant,
        bound: Instant,
        text: String,
    ) {
        let time = |span: Instant| Quantity::Time(ps(span));
        self.diagnostics.push(Diagnostic::new(rule, ps(at), text).with(time(span), time(bound)));
    }

    /// Reports what is no matter of time.
    #[cold]
    pub(super) fn fault(&mut self, at: Instant, rule: Rule, text: impl Into<String>) {
        self.diagnostics.push(Diagnostic::new(rule, ps(at), text));
    }

    pub(super) fn mode_name(&self) -> String {
        match self.mode.interface {
            DataInterface::Sdr => format!("mode {}", self.mode.mode),
            DataInterface::NvDdr => format!("NV-DDR mode {}", self.mode.mode),
        }
    }

    pub(super) fn drain(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.diagnostics)
    }
}

/// The bounds of a mode for a part with these options.
pub(super) fn timings(mode: TimingMode, options: &PinOptions) -> Timings {
    let mut timings = match mode.interface {
        DataInterface::Sdr => SdrTimings::mode(mode.mode),
        DataInterface::NvDdr => NvddrTimings::mode(mode.mode),
    };
    timings.set_min(Parameter::Ccs, options.t_ccs);
    timings.set_min(Parameter::Adl, options.t_adl);
    if options.fast_t_cad
        && let Some(fast) = timings.min(Parameter::CadFast)
    {
        timings.set_min(Parameter::Cad, fast);
    }
    timings
}
