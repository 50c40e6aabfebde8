//! A polynomial whose variable is scaled by a power of alpha that can be moved, so that positions
//! are counted from where the search has come to.

use super::super::field::Field;

/// P(x) as a polynomial in y = x / alpha^base.
#[derive(Debug)]
pub(crate) struct Moving {
    field: &'static Field,
    /// Logarithms of the coefficients, the leading one first.
    logs: Vec<u32>,
    base: u32,
}

impl Moving {
    /// The polynomial with the given coefficients, the leading one first, at base 0.
    pub(crate) fn new(field: &'static Field, coefficients: &[u16]) -> Self {
        let logs = coefficients.iter().map(|&coefficient| field.log(coefficient)).collect();
        Self { field, logs, base: 0 }
    }

    /// The power of alpha at which offsets start.
    pub(crate) fn base(&self) -> u32 {
        self.base
    }

    /// The coefficients of y^0, y, y^2 .., without the leading one, all divided by that.
    #[inline]
    pub(crate) fn others(&self) -> impl Iterator<Item = u16> + Clone {
        let (leading, others) = self.logs.split_first().expect("a polynomial has a coefficient");
        let inverse = self.field.order() - leading;
        others.iter().rev().map(move |log| self.field.exp(log + inverse))
    }

    /// The coefficients divided by the leading one, which comes first, if they fit an array.
    pub(crate) fn monic<const N: usize>(&self) -> Option<([u16; N], usize)> {
        let mut coefficients = [0; N];
        let count = self.logs.len();
        for (coefficient, log) in coefficients.get_mut(..count)?.iter_mut().zip(&self.logs) {
            *coefficient = self.field.exp(log + (self.field.order() - self.logs[0]));
        }
        Some((coefficients, count))
    }

    fn degree(&self) -> usize {
        self.logs.len() - 1
    }

    /// The value at alpha^(base + offset).
    pub(crate) fn value(&self, offset: u32) -> u16 {
        let order = self.field.order();
        let offset = offset % order;
        let mut step = 0;
        let mut value = 0;
        for log in self.logs.iter().rev() {
            value ^= self.field.exp(log + step);
            step += offset;
            step -= if step >= order { order } else { 0 };
        }
        value
    }

    /// Moves the base on, given the multiples of the offset, from the first on, as logarithms.
    pub(crate) fn move_by(&mut self, offset: u32, multiples: &[u32]) {
        let degree = self.degree();
        for (log, step) in self.logs[..degree].iter_mut().rev().zip(multiples) {
            *log = self.field.add_logs(*log, *step);
        }
        self.base += offset;
    }

    /// Divides by x - alpha^(base + offset), up to a constant. With the variable scaled so that the
    /// root is 1, the quotient's coefficients are the sums of the dividend's, from the constant
    /// one on; then it is scaled back.
    pub(crate) fn divide_by_root(&mut self, offset: u32) {
        let order = self.field.order();
        let offset = if offset < order { offset } else { offset % order };
        let mut step = 0;
        let mut sum = 0;
        let mut log = self.logs[self.degree()];
        for at in (0..self.degree()).rev() {
            sum ^= self.field.exp(log + step);
            log = std::mem::replace(
                &mut self.logs[at],
                self.field.add_logs(self.field.log(sum), order - step),
            );
            step += offset;
            step -= if step >= order { order } else { 0 };
        }
        assert_eq!(sum, self.field.exp(log + step), "alpha^{} is no root", self.base + offset);
        self.logs.pop();
    }
}
