//! Part files that cannot be meant: one line with file, line, column and field.

use std::fs;
use std::path::Path;

use floatgate_model::die::Part;

/// The message for the invented part's file with `from` replaced by `to`, without the folder.
fn message(from: &str, to: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/parts");
    let text = fs::read_to_string(folder.join("ix64mlc2lun-a.ron")).unwrap();
    assert_eq!(text.matches(from).count(), 1, "`{from}` has to stand there once");
    let made = tempfile::tempdir().unwrap();
    let path = made.path().join("part.ron");
    fs::write(&path, text.replace(from, to)).unwrap();
    let error = Part::load(&path).expect_err("a part that cannot be meant").to_string();
    assert_eq!(error.lines().count(), 1, "{error}");
    error.strip_prefix(&format!("{}/", made.path().display())).expect("the file's name").to_owned()
}

#[test]
fn contradictions_name_file_line_and_field() {
    let cases = [
        ("planes: 2", "planes: 3", "layout.planes", "is 3, must be a power of two"),
        ("spare_bytes: 744", "spare_bytes: 60000", "layout.column_cycles", "columns have 17 bits"),
        ("row_cycles: 3", "row_cycles: 2", "layout.row_cycles", "hold rows of 20 bits"),
        ("bits_per_cell: 2", "bits_per_cell: 3", "cells.scheme", "not one of 3 bits per cell"),
        (
            "t_prog_max_us: 2600",
            "t_prog_max_us: 1000",
            "cells.page_types[1].t_prog_us",
            "is 1300, above the part's largest, 1000",
        ),
        ("t_bers_max_us: 10000", "t_bers_max_us: 10", "timing.t_bers_us", "above t_bers_max_us"),
        ("max_bad_blocks: 50", "max_bad_blocks: 4000", "cells.max_bad_blocks", "2048 blocks"),
        ("endurance_cycles: 3000", "endurance_cycles: 1234", "cells.endurance_cycles", "1234"),
        ("nv_ddr_modes: [0,", "nv_ddr_modes: [7,", "interfaces.nv_ddr_modes", "0 to 5"),
        ("sdr_modes: [0, 1,", "sdr_modes: [1,", "interfaces.sdr_modes", "lacks mode 0"),
        ("GetSetFeatures, ", "", "optional_commands", "by which the timing mode is chosen"),
        ("ReadStatusEnhanced, ", "", "optional_commands", "which several LUNs need"),
        ("programs_per_page: 1", "programs_per_page: 4", "cells.programs_per_page", "take one"),
        ("feature_address: 0x91", "feature_address: 0x10", "cells.slc_mode.feature_address", "10h"),
        ("ecc_bits_per_512: 255", "ecc_bits_per_512: 8", "parameter_page.extended", "255"),
        ("wear_out: (1.5, 4.0)", "wear_out: (4.0, 1.5)", "cells.wear_out", "must rise"),
    ];
    for (from, to, field, text) in cases {
        let message = message(from, to);
        assert!(message.starts_with("part.ron:"), "{message}");
        assert!(message.contains(&format!("field `{field}`: ")), "{message}");
        assert!(message.contains(text), "{message}");
    }
}

#[test]
fn positions_are_those_of_the_field() {
    let message = message("planes: 2", "planes: 3");
    assert!(message.starts_with("part.ron:14:9: field `layout.planes`: "), "{message}");
}

#[test]
fn unknown_fields_get_the_nearest_name() {
    let message = message("t_feat_us: 1.0", "t_faet_us: 1.0");
    assert!(message.contains("field `timing.t_faet_us`: unknown"), "{message}");
    assert!(message.contains("`t_feat_us`"), "{message}");
}
