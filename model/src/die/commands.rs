//! The command set as a die decodes it: each first cycle with its address, its data and the
//! commands that may confirm it (ONFI command definition).

use floatgate_hal::flash::op::AddressForm;

use super::part::{Feature, OptionalCommand, Part};

/// Whose state decides whether a first cycle is legal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Nobody's: resets and status.
    Always,
    /// Every LUN has to be idle.
    Target,
    /// The LUN that was addressed last has to be ready.
    Selected,
    /// The LUN in the address that follows has to be ready.
    Addressed,
}

/// A first cycle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form {
    pub(crate) first: u8,
    pub(crate) address: AddressForm,
    /// Whether data may come in after the address.
    pub(crate) takes_data: bool,
    /// Commands that may end it; none where the address or the data do.
    pub(crate) confirms: &'static [u8],
    pub(crate) scope: Scope,
}

macro_rules! forms {
    ($($first:literal $address:ident $data:literal [$($confirm:literal)*] $scope:ident;)*) => {
        const FORMS: &[Form] = &[$(Form {
            first: $first,
            address: AddressForm::$address,
            takes_data: $data,
            confirms: &[$($confirm),*],
            scope: Scope::$scope,
        }),*];
    };
}

forms! {
    0xFF None      false []                         Always;
    0xFC None      false []                         Always;
    0xFA Row       false []                         Always;
    0x70 None      false []                         Always;
    0x78 Row       false []                         Always;
    0x90 Byte      false []                         Target;
    0xEC Byte      false []                         Target;
    0xED Byte      false []                         Target;
    0xEE Byte      false []                         Target;
    0xEF Byte      true  []                         Target;
    0x00 ColumnRow false [0x30 0x31 0x32 0x35]      Addressed;
    0x31 None      false []                         Selected;
    0x3F None      false []                         Selected;
    0x05 Column    false [0xE0]                     Selected;
    0x06 ColumnRow false [0xE0]                     Addressed;
    0x80 ColumnRow true  [0x10 0x11 0x15]           Addressed;
    0x85 ColumnRow true  [0x10 0x11]                Addressed;
    0x60 Row       false [0xD0 0xD1]                Addressed;
}

/// Commands that only confirm, with the first cycle that most often goes before.
const CONFIRMS: [(u8, u8); 10] = [
    (0x30, 0x00),
    (0x32, 0x00),
    (0x35, 0x00),
    (0x10, 0x80),
    (0x11, 0x80),
    (0x15, 0x80),
    (0xD0, 0x60),
    (0xD1, 0x60),
    (0xE0, 0x05),
    (0x31, 0x00),
];

/// Commands of ONFI that the model does not know: a part that has them is not to be had.
const OTHERS: [u8; 11] = [0x81, 0xD4, 0xD5, 0xE1, 0xE2, 0xF9, 0xD9, 0x18, 0x62, 0x63, 0x64];

impl Form {
    /// The form of a first cycle.
    pub(crate) fn of(first: u8) -> Option<&'static Self> {
        FORMS.iter().find(|form| form.first == first)
    }
}

/// The first cycle that goes before a command which only confirms.
pub(crate) fn opening_of(confirm: u8) -> Option<u8> {
    CONFIRMS.iter().find(|&&(code, _)| code == confirm).map(|&(_, first)| first)
}

/// Where the parameter page says whether a command is offered, or that the model has it not.
pub(crate) enum Offer {
    /// Every part has it.
    Always,
    /// A bit of the optional commands.
    Optional(OptionalCommand),
    /// A bit of the features.
    Feature(Feature),
    /// NV-DDR modes.
    NvDdr,
    /// No part of the model.
    Never,
}

impl Offer {
    /// What decides whether `opcode` is offered.
    pub(crate) fn of(opcode: u8) -> Self {
        use OptionalCommand::{
            CacheProgram, ChangeReadColumnEnhanced, Copyback, GetSetFeatures, ReadCache,
            ReadStatusEnhanced, ReadUniqueId, ResetLun,
        };
        match opcode {
            0x15 => Self::Optional(CacheProgram),
            0x31 | 0x3F => Self::Optional(ReadCache),
            0xEE | 0xEF => Self::Optional(GetSetFeatures),
            0x78 => Self::Optional(ReadStatusEnhanced),
            0x35 => Self::Optional(Copyback),
            0xED => Self::Optional(ReadUniqueId),
            0x06 => Self::Optional(ChangeReadColumnEnhanced),
            0xFA => Self::Optional(ResetLun),
            0x11 | 0xD1 => Self::Feature(Feature::MultiPlaneProgram),
            0x32 => Self::Feature(Feature::MultiPlaneRead),
            0xFC => Self::NvDdr,
            other if OTHERS.contains(&other) => Self::Never,
            _ => Self::Always,
        }
    }

    /// Where the part would say so, if it does not offer the command.
    pub(crate) fn missing_from(&self, opcode: u8, part: &Part) -> Option<String> {
        match *self {
            Self::Always => None,
            Self::Optional(command) if part.knows(command) => None,
            Self::Optional(command) => {
                let bit = command as u8;
                Some(format!("byte {} bit {}", 8 + bit / 8, bit % 8))
            }
            Self::Feature(feature) if part.has(feature) => None,
            // 11h closes the parts of a small data move, too.
            Self::Feature(Feature::MultiPlaneProgram)
                if opcode == 0x11 && part.knows(OptionalCommand::SmallDataMove) =>
            {
                None
            }
            Self::Feature(feature) => Some(format!("byte 6 bit {}", feature as u8)),
            Self::NvDdr if !part.interfaces.nv_ddr_modes.is_empty() => None,
            Self::NvDdr => Some("byte 6 bit 5".to_owned()),
            Self::Never => Some("by no part of this model".to_owned()),
        }
    }
}

/// Whether a command is one of ONFI's at all.
pub(crate) fn is_known(opcode: u8) -> bool {
    Form::of(opcode).is_some() || opening_of(opcode).is_some() || OTHERS.contains(&opcode)
}
