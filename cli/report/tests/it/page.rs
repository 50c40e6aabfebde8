//! The page as text: escaped, self-contained, with its files beside it.

use std::fs;

use floatgate_report::{RunFolder, html, recommend};

use crate::synthetic;

/// The values of all attributes `name` in `text`.
fn attributes<'a>(text: &'a str, name: &str) -> Vec<&'a str> {
    let start = format!(" {name}=\"");
    text.split(&start).skip(1).map(|rest| rest.split('"').next().unwrap()).collect()
}

#[test]
fn foreign_text_is_escaped_everywhere() {
    let mut report = synthetic::report();
    let hostile = "<script>alert(\"x\")</script>&";
    report.sweep.title = hostile.into();
    report.sweep.notes = vec![hostile.into()];
    report.sweep.settings.data_source = hostile.into();
    report.sweep.settings.cell_library = Some(hostile.into());
    report.sweep.settings.rber_models[1].name = hostile.into();
    for point in &mut report.sweep.points {
        point.endurance[1].model = hostile.into();
    }
    report.run.command = vec![hostile.into()];
    report.run.git_revision = Some(hostile.into());
    report.run.tools[0].version = Some(hostile.into());
    let page = html(&report);
    assert!(!page.contains("<script"), "a script got into the page");
    assert!(!page.contains("\"x\""), "a quote got into an attribute");
    assert!(page.matches("&lt;script&gt;").count() > 8);
}

#[test]
fn links_lead_to_files_of_the_folder_or_places_of_the_page() {
    let root = tempfile::tempdir().unwrap();
    for report in [synthetic::report(), synthetic::report_of_many_codes()] {
        let folder = RunFolder::create(root.path(), &report.sweep.name).unwrap();
        let dir = folder.finish(&report, &"made up").unwrap();
        let page = fs::read_to_string(dir.join("report.html")).unwrap();
        let ids = attributes(&page, "id");
        let links = attributes(&page, "href");
        assert!(links.len() > 15, "{links:?}");
        for link in links {
            match link.strip_prefix('#') {
                Some(id) => assert!(ids.contains(&id), "no place {link}"),
                None => assert!(dir.join(link).is_file(), "no file {link}"),
            }
        }
        let mut unique = ids.clone();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), ids.len(), "an id stands twice");
        assert!(attributes(&page, "src").is_empty() && !page.contains("url("));
    }
}

#[test]
fn missing_synthesis_is_said_and_its_columns_left_out() {
    let full = html(&synthetic::report());
    assert!(!full.contains("Area and timing are missing"));
    assert!(full.contains("id=\"k1-m14-t40-area\"") && full.contains(">Clock reached"));
    let bare = html(&synthetic::report_without_synthesis());
    assert!(bare.contains("Area and timing are missing"));
    assert!(bare.contains("Not found or failed: yosys, sta."));
    assert!(!bare.contains("id=\"k1-m14-t40-area\"") && !bare.contains(">Clock reached"));
    assert!(bare.contains("not synthesised in this run"));
}

#[test]
fn every_question_has_its_figure() {
    let page = html(&synthetic::report());
    for figure in [
        "knee",
        "encode",
        "first-word",
        "last-word",
        "limit",
        "published",
        "throughput",
        "area",
        "critical-path",
        "parity",
        "max-rber",
        "endurance",
        "page-read",
        "miscorrection",
    ] {
        assert!(page.contains(&format!("<figure id=\"k1-m14-t40-{figure}\"")), "{figure}");
    }
}

#[test]
fn comparable_builds_stand_beside_published_ones() {
    let page = html(&synthetic::report_of_many_codes());
    assert!(page.contains("bch_verilog, serial solver"));
    // The sample's fixed builds and its programmable one have the published parameters.
    assert!(!page.contains("not synthesised in this run"));
    assert!(page.contains("The price of programmability"));
    // Only the configuration with the published parameters shows the published decoder's line.
    let figure = |code: &str| {
        let start = page.find(&format!("<figure id=\"{code}-limit\"")).unwrap();
        page[start..].split("</figure>").next().unwrap()
    };
    assert!(figure("b512-m13-t24").contains("bch_verilog, parallel solver"));
    assert!(!figure("b512-m13-t24-p32").contains("bch_verilog"));
}

/// Also where the weakest strengths give no life, and so are not on the recommendation's curve.
#[test]
fn the_strength_that_is_recommended_is_the_one_set_off() {
    let mut report = synthetic::report_without_synthesis();
    let points = &mut report.sweep.points;
    let dead = points.len() - 3;
    for (index, point) in points.iter_mut().enumerate() {
        point.endurance[1].pe_cycles = [0.0, 900.0, 1000.0][index.saturating_sub(dead)];
    }
    let points = report.sweep.points_of(&report.sweep.points[0].code.name);
    let t = recommend(&points, &report.sweep.settings).expect("life is gained").choice().t;
    assert_eq!(t, points[dead + 1].t, "the sample has its knee there");
    let page = html(&report);
    assert!(page.contains(&format!("Choose t = {t}:")), "no sentence");
    assert!(page.contains(&format!(">t = {t}<")), "the tiles are of another strength");
    let row = page.split("<tr class=").nth(1).expect("a row is set off");
    assert!(row.contains(&format!(">{t}<")), "{}", &row[..200]);
}
