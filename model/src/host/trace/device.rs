//! The devices of a trace, numbered in the order of their first requests.

use std::collections::HashMap;

/// A device's number, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DeviceIndex(pub(super) usize);

/// The names that were seen.
#[derive(Debug, Default)]
pub(super) struct DeviceNames {
    indices: HashMap<Box<[u8]>, usize>,
    names: Vec<String>,
}

impl DeviceNames {
    /// The number of the device that a line spells so.
    pub(super) fn index(&mut self, name: &[u8]) -> DeviceIndex {
        if let Some(&index) = self.indices.get(name) {
            return DeviceIndex(index);
        }
        let index = self.names.len();
        self.indices.insert(name.into(), index);
        self.names.push(String::from_utf8_lossy(name).into_owned());
        DeviceIndex(index)
    }

    pub(super) fn name(&self, DeviceIndex(index): DeviceIndex) -> &str {
        &self.names[index]
    }
}
