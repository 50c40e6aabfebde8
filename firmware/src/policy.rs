//! What firmware decides by policy: the strength of a page's code, and how a page that cannot be
//! corrected is read again.

use floatgate_hal::flash::address::RowAddress;
use floatgate_hal::units::Strength;

/// Chooses how strongly pages are protected.
pub trait StrengthPolicy {
    /// The strength with which the page at `row` is to be programmed now. It is stored with the
    /// page, so it may differ from one time to the next.
    fn strength(&self, row: RowAddress) -> Strength;
}

/// The same strength for all pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FixedStrength(pub Strength);

impl StrengthPolicy for FixedStrength {
    fn strength(&self, _: RowAddress) -> Strength {
        self.0
    }
}

/// A feature and its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeatureSetting {
    /// Feature address.
    pub address: u8,
    /// P1 to P4.
    pub value: [u8; 4],
}

/// Moves a die's read thresholds from one attempt to the next, by a feature of its maker.
pub trait ReadRetry {
    /// The setting for repetition `retry` (1 is the first), or none if there is nothing more to
    /// try.
    fn setting(&self, retry: u8) -> Option<FeatureSetting>;

    /// The setting of a first attempt, to which the die is brought back after repetitions.
    fn usual(&self) -> Option<FeatureSetting>;
}

/// Reads once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoRetry;

impl ReadRetry for NoRetry {
    fn setting(&self, _: u8) -> Option<FeatureSetting> {
        None
    }

    fn usual(&self) -> Option<FeatureSetting> {
        None
    }
}

/// Levels 1 to `levels` of one feature, 0 being the usual one (89h on Micron's parts).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeatureRetry {
    /// Feature address.
    pub address: u8,
    /// Levels beyond the usual one.
    pub levels: u8,
}

impl ReadRetry for FeatureRetry {
    fn setting(&self, retry: u8) -> Option<FeatureSetting> {
        let value = [retry, 0, 0, 0];
        (retry <= self.levels).then_some(FeatureSetting { address: self.address, value })
    }

    fn usual(&self) -> Option<FeatureSetting> {
        self.setting(0)
    }
}
