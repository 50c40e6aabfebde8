//! Numbers as people read them: grouped thousands, superscript powers, fitting units.

/// `1234567` as `1,234,567`.
pub(crate) fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A non-negative number with `decimals` places and grouped thousands.
pub(crate) fn real(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let (sign, digits) = whole.strip_prefix('-').map_or(("", whole), |digits| ("−", digits));
    let grouped = count(digits.parse().expect("a printed whole number parses"));
    if fraction.is_empty() {
        format!("{sign}{grouped}")
    } else {
        format!("{sign}{grouped}.{fraction}")
    }
}

/// A number without places, as most axes show it.
pub(crate) fn whole(value: f64) -> String {
    real(value, 0)
}

/// A number with the places that it has, as axes with fine ticks show it.
pub(crate) fn short(value: f64) -> String {
    if value.fract() == 0.0 { whole(value) } else { plain(value) }
}

/// `0.0013` as `1.30×10⁻³`; zero stays `0`.
pub(crate) fn power(value: f64) -> String {
    let text = format!("{value:.2e}");
    match text.split_once('e') {
        Some((mantissa, exponent)) if value != 0.0 => {
            format!("{mantissa}×10{}", superscript(exponent))
        }
        _ => "0".into(),
    }
}

/// Like [`power`], with a factor of one left out: `1e-15` as `10⁻¹⁵`.
pub(crate) fn power_in_text(value: f64) -> String {
    let text = power(value);
    text.strip_prefix("1.00×").map_or(text.clone(), str::to_owned)
}

/// `a`, `a and b`, `a, b and c`.
pub(crate) fn list(items: &[impl AsRef<str>]) -> String {
    let items: Vec<&str> = items.iter().map(AsRef::as_ref).collect();
    match items.split_last() {
        None => String::new(),
        Some((only, [])) => (*only).to_owned(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    }
}

/// Ten to the power of a whole number, as an axis label.
pub(crate) fn decade(exponent: i32) -> String {
    match exponent {
        0 => "1".into(),
        1 => "10".into(),
        2 => "100".into(),
        3 => "1,000".into(),
        _ => format!("10{}", superscript(&exponent.to_string())),
    }
}

/// `18008` as `18.0 k`, for labels with little room.
pub(crate) fn thousands(value: f64) -> String {
    if value < 1000.0 { real(value, 0) } else { format!("{} k", real(value / 1000.0, 1)) }
}

/// A time in the unit that leaves one to four digits before the point.
pub(crate) fn duration_ns(ns: f64) -> String {
    if ns < 1000.0 {
        format!("{} ns", real(ns, 0))
    } else if ns < 1e6 {
        format!("{} µs", real(ns / 1000.0, 2))
    } else if ns < 1e10 {
        format!("{} ms", real(ns / 1e6, 2))
    } else {
        format!("{} s", real(ns / 1e9, 2))
    }
}

/// A length in bytes, in KiB where that is a whole number.
pub(crate) fn bytes(value: u32) -> String {
    if value >= 1024 && value.is_multiple_of(1024) {
        format!("{} KiB", value / 1024)
    } else {
        format!("{value} B")
    }
}

/// `value` in at most nine significant digits, as a machine reads it: sums of decimal
/// fractions show no binary residue.
pub(crate) fn plain(value: f64) -> String {
    let rounded: f64 = format!("{value:.8e}").parse().expect("a printed float parses");
    if rounded != 0.0 && rounded.abs() < 1e-4 {
        format!("{rounded:e}")
    } else {
        rounded.to_string()
    }
}

/// The digits of `exponent` raised, with its sign.
pub(crate) fn superscript(exponent: &str) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    exponent
        .chars()
        .map(|c| match c.to_digit(10) {
            Some(digit) => DIGITS[digit as usize],
            None => '⁻',
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(count(999), "999");
        assert_eq!(real(18008.46, 1), "18,008.5");
        assert_eq!(real(-1234.0, 0), "−1,234");
        assert_eq!(power(1.2967e-3), "1.30×10⁻³");
        assert_eq!(power(0.0), "0");
        assert_eq!(
            (power_in_text(1e-15), power_in_text(2e-15)),
            ("10⁻¹⁵".into(), "2.00×10⁻¹⁵".into())
        );
        assert_eq!(list(&["a", "b", "c"]), "a, b and c");
        assert_eq!(thousands(18008.0), "18.0 k");
        assert_eq!(duration_ns(5270.0), "5.27 µs");
        assert_eq!(bytes(1024), "1 KiB");
        assert_eq!(bytes(1000), "1000 B");
        assert_eq!(decade(-10), "10⁻¹⁰");
    }

    #[test]
    fn machine_numbers_keep_their_value() {
        assert_eq!(plain(0.1 + 0.2), "0.3");
        assert_eq!(plain(6.9665e-10), "6.9665e-10");
        assert_eq!(plain(1054.0), "1054");
        assert_eq!(plain(0.0), "0");
    }
}
