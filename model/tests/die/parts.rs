//! Part files and the parameter pages that they make, against dumps of real parts.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use floatgate_model::die::Part;
use floatgate_model::die::parameter_page::{self, PAGE_BYTES, PageFault};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/parts")
}

/// A part of `configs/parts`.
pub(crate) fn part(name: &str) -> Arc<Part> {
    Part::load(folder().join(name).with_extension("ron")).unwrap_or_else(|error| panic!("{error}"))
}

/// The bytes of a dump in `model/tests/data/onfi`.
fn dump(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/onfi").join(name);
    let text = std::fs::read_to_string(path).expect("the dump is there");
    let code = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    let byte = |text: &str| u8::from_str_radix(text, 16).expect("a byte");
    code.flat_map(str::split_whitespace).map(byte).collect()
}

fn page(name: &str) -> [u8; PAGE_BYTES] {
    dump(name).try_into().expect("one page")
}

#[test]
fn every_part_file_loads() {
    let mut count = 0;
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let part = Part::load(&path).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(parameter_page::check(&parameter_page::build(&part)), Ok(()));
        count += 1;
    }
    assert!(count >= 6, "{count} parts");
}

#[test]
fn crc_is_that_of_the_vectors() {
    let zeros_and_ones = [(vec![0; 254], 0x3EEE), (vec![0xFF; 254], 0xC1E2)];
    let texts = [("", 0x4F4E), ("ONFI", 0x15B3), ("123456789", 0x2771)];
    let texts = texts.map(|(text, crc)| (text.as_bytes().to_vec(), crc));
    for (bytes, crc) in texts.into_iter().chain(zeros_and_ones) {
        assert_eq!(parameter_page::crc16(&bytes), crc, "{} bytes", bytes.len());
    }
}

#[test]
fn the_invented_part_answers_as_its_dump() {
    let part = part("ix64mlc2lun-a");
    assert_eq!(parameter_page::build(&part), page("invented_mlc_param_page.hex"));
    assert_eq!(parameter_page::answer(&part), dump("invented_mlc_ec_stream.hex"));
}

#[test]
fn parameter_pages_of_real_parts_come_out_byte_for_byte() {
    for (name, file) in [
        ("mt29f64g08akaba", "real_mt29f64g08akaba.hex"),
        ("mt29f2g08abbea", "real_mt29f2g08abbea.hex"),
    ] {
        assert_eq!(parameter_page::build(&part(name)), page(file), "{name}");
    }
}

#[test]
fn dumps_of_real_parts_pass_and_damaged_ones_do_not() {
    for name in [
        "real_mt29f1g08abbda.hex",
        "real_mt29f2g08abbea.hex",
        "real_mt29f32g08abcdb.hex",
        "real_mt29f64g08akaba.hex",
    ] {
        assert_eq!(parameter_page::check(&page(name)), Ok(()), "{name}");
    }
    let bad = PageFault::Crc { stored: 0x5483, computed: 0x52A3 };
    assert_eq!(parameter_page::check(&page("invented_mlc_param_page_badcrc.hex")), Err(bad));
    let without = PageFault::Crc { stored: 0, computed: 0x7170 };
    assert_eq!(parameter_page::check(&page("real_mt29f8g08abbca_nocrc.hex")), Err(without));
    assert_eq!(parameter_page::check(&[0; PAGE_BYTES]), Err(PageFault::Signature));
}
