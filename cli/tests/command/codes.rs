//! `floatgate codes`: the list is the folder of configurations.

use serde_json::Value;

use crate::project::{Project, names_in};
use crate::{exit, fails, succeeds};

/// Names of the configuration files.
fn stems(project: &Project) -> Vec<String> {
    let mut stems: Vec<String> = names_in(&project.path("configs/ecc"))
        .iter()
        .map(|name| name.strip_suffix(".ron").expect("only configurations").to_owned())
        .collect();
    stems.sort();
    stems
}

#[test]
fn the_table_has_a_row_for_each_configuration() {
    let project = Project::new();
    let (table, _) = succeeds(project.floatgate().arg("codes"));
    let names: Vec<&str> =
        table.lines().skip(1).map(|row| row.split_whitespace().next().unwrap()).collect();
    assert_eq!(names, stems(&project));
    let row = table.lines().find(|row| row.starts_with("b512-m13-t24 ")).unwrap();
    let cells: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(cells[1..8], ["2^13", "512", "1..24", "39", "B", "8", "8"]);
    let fixed = table.lines().find(|row| row.starts_with("b512-m13-t8-fixed ")).unwrap();
    assert_eq!(fixed.split_whitespace().nth(3), Some("8"));
}

#[test]
fn json_is_one_document_with_all_fields() {
    let project = Project::new();
    let (json, _) = succeeds(project.floatgate().args(["codes", "--json"]));
    let all: Vec<Value> = serde_json::from_str(&json).expect("one document");
    let names: Vec<&str> = all.iter().map(|code| code["name"].as_str().unwrap()).collect();
    assert_eq!(names, stems(&project));
    let tiny = all.iter().find(|code| code["name"] == "n23-m5-t3").unwrap();
    let expected = serde_json::json!({
        "m": 5, "k_max_bytes": 1, "t_max": 3, "p": 8, "p_c": 8, "kes_lanes": 4, "crc": false,
        "fixed": false,
    });
    assert_eq!(tiny["config"], expected);
}

#[test]
fn a_width_that_does_not_fit_is_named_with_its_place() {
    let project = Project::new();
    let text = std::fs::read_to_string(project.path("configs/ecc/n23-m5-t3.ron")).unwrap();
    let wrong = text.replace("    p: 8,", "    p: 24,");
    assert_ne!(wrong, text);
    project.write("configs/ecc/n23-m5-t3.ron", wrong);
    let parts = ["configs/ecc/n23-m5-t3.ron:5:5: field `p`: is 24, must be 8, 16, 32 or 64"];
    fails(project.floatgate().arg("codes"), exit::INPUT, &parts);
    // Wider than the Chien search, which then could not keep up with the stream.
    project.write("configs/ecc/n23-m5-t3.ron", text.replace("    p: 8,", "    p: 16,"));
    fails(project.floatgate().arg("codes"), exit::INPUT, &["n23-m5-t3.ron:6:5: field `p_c`"]);
}

#[test]
fn parity_beyond_the_field_is_named_with_its_place() {
    let project = Project::new();
    let text = std::fs::read_to_string(project.path("configs/ecc/b512-m13-t24.ron")).unwrap();
    // 8 * 1000 bits of data and 13 * 24 of parity are more than 2^13 - 1.
    let wrong = text.replace("k_max_bytes: 512", "k_max_bytes: 1000");
    assert_ne!(wrong, text);
    project.write("configs/ecc/b512-m13-t24.ron", wrong);
    let parts = ["b512-m13-t24.ron:4:5: field `t_max`: is 24", "GF(2^13) allows 8191"];
    fails(project.floatgate().arg("codes"), exit::INPUT, &parts);
}
