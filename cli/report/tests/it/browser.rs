//! The page in headless Chromium: quiet console, no request, every plot with data, no collision
//! of labels, on a desk and on a phone, light and dark. Skipped, with a line, without Chromium.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use floatgate_report::{Content, html};
use serde::Deserialize;

use crate::{synthetic, synthetic_drive, synthetic_store};

const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
const TIMEOUT: Duration = Duration::from_secs(120);
const PROBE: &str = include_str!("probe.js");

/// What a browser did with a page.
struct Visit {
    dom: String,
    /// Console messages and refused loads.
    console: Vec<String>,
    /// Addresses asked for beyond the file itself.
    requests: Vec<String>,
}

/// What `probe.js` measures.
#[derive(Deserialize)]
struct Seen {
    figures: Vec<SeenFigure>,
    figure_count: usize,
    page_px: u32,
    window_px: u32,
    ink: [u8; 3],
    muted: [u8; 3],
    link: [u8; 3],
    chart_text: [u8; 3],
    surface: [u8; 3],
    paper: [u8; 3],
    circle: String,
}

#[derive(Deserialize)]
struct SeenFigure {
    id: String,
    data: usize,
    text_px: f64,
    rows: usize,
    collisions: Vec<String>,
    outside: Vec<String>,
}

/// The browser's path, or a line on the terminal that says the test is skipped. Written past
/// the capture of the test harness, which shows nothing of a test that passes.
fn browser(test: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let found = std::env::split_paths(&path)
        .flat_map(|dir| BROWSERS.map(|name| dir.join(name)))
        .find(|candidate| candidate.is_file());
    if found.is_none() {
        let line = format!("skipped: {test}: no chromium in PATH (Debian package chromium)\n");
        std::io::stderr().write_all(line.as_bytes()).expect("stderr takes a line");
    }
    found
}

/// Opens `page` in a fresh profile and waits until the browser is done.
fn visit(browser: &Path, page: &str, dark: bool) -> Visit {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("report.html");
    fs::write(&file, page).unwrap();
    let [dom, log, net] = ["dom", "log", "net.json"].map(|name| dir.path().join(name));
    let mut command = Command::new(browser);
    command
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--enable-logging=stderr", "--v=0", "--hide-scrollbars", "--dump-dom"])
        .arg(format!("--user-data-dir={}", dir.path().join("profile").display()))
        .arg(format!("--log-net-log={}", net.display()))
        .arg("--window-size=1400,900")
        .arg(format!("--blink-settings=preferredColorScheme={}", u8::from(!dark)))
        .arg(format!("file://{}", file.display()))
        .stdin(Stdio::null())
        .stdout(File::create(&dom).unwrap())
        .stderr(File::create(&log).unwrap());
    let mut child = command.spawn().unwrap();
    let started = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if started.elapsed() > TIMEOUT {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("the browser did not finish: {}", fs::read_to_string(&log).unwrap());
        }
        thread::sleep(Duration::from_millis(50));
    }
    let log = fs::read_to_string(&log).unwrap();
    let net = fs::read_to_string(&net).unwrap();
    Visit {
        dom: fs::read_to_string(&dom).unwrap(),
        console: log.lines().filter(|line| line.contains(":CONSOLE")).map(String::from).collect(),
        requests: requests(&net),
    }
}

/// Addresses in the network log that a page asked for. What the browser asks for on its own
/// account has no origin.
fn requests(net_log: &str) -> Vec<String> {
    let log: serde_json::Value = serde_json::from_str(net_log).unwrap();
    let events = log["events"].as_array().expect("a network log has events");
    let asked = |event: &serde_json::Value| {
        let initiator = event["params"]["initiator"].as_str()?;
        let url = event["params"]["url"].as_str()?;
        (initiator != "not an origin").then(|| url.to_owned())
    };
    events.iter().filter_map(asked).collect()
}

/// A page measured by the probe. The policy that forbids scripts is lifted for it. The page is
/// framed at its width, because a browser's window cannot be as narrow as a phone.
fn look_at(browser: &Path, page: &str, width_px: u32, dark: bool) -> Seen {
    let policy = page.find("<meta http-equiv=\"Content-Security-Policy\"").unwrap();
    let end = policy + page[policy..].find('>').unwrap() + 1;
    let open = format!("{}{}", &page[..policy], &page[end..]);
    let probed = open.replace("</body>", &format!("<script>{PROBE}</script></body>"));
    let probed = probed.replace('&', "&amp;").replace('"', "&quot;");
    let framed = format!(
        "<!DOCTYPE html><body style=\"margin:0\"><iframe srcdoc=\"{probed}\" \
         style=\"border:0;width:{width_px}px;height:900px\"></iframe></body>",
    );
    let dom = visit(browser, &framed, dark).dom;
    let json = dom.split("<pre id=\"probe\">").nth(1).expect("the probe ran");
    let json = json.split("</pre>").next().unwrap();
    let json = json.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    serde_json::from_str(&json).unwrap()
}

/// Contrast of two colours after WCAG 2.
fn contrast(a: [u8; 3], b: [u8; 3]) -> f64 {
    let luminance = |rgb: [u8; 3]| {
        let [r, g, b] = rgb.map(|channel| {
            let value = f64::from(channel) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        });
        0.2126 * r + 0.7152 * g + 0.0722 * b
    };
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

fn assert_legible(seen: &Seen) {
    for figure in &seen.figures {
        let SeenFigure { id, data, text_px, rows, collisions, outside } = figure;
        assert!(*data >= 2 && *rows >= 1, "{id}: {data} marks, {rows} rows");
        assert!(collisions.is_empty(), "{id}: labels overlap: {collisions:?}");
        assert!(outside.is_empty(), "{id}: labels are cut: {outside:?}");
        assert!(*text_px >= 10.0, "{id}: text of {text_px} px");
    }
    assert_eq!(seen.figures.len(), seen.figure_count, "each figure shows one drawing");
    assert!(seen.page_px <= seen.window_px, "{} px in {}", seen.page_px, seen.window_px);
    let pairs = [
        ("ink", seen.ink, seen.paper),
        ("muted", seen.muted, seen.paper),
        ("muted on surface", seen.muted, seen.surface),
        ("link", seen.link, seen.paper),
        ("chart text", seen.chart_text, seen.surface),
    ];
    for (name, text, ground) in pairs {
        let ratio = contrast(text, ground);
        assert!(ratio >= 4.5, "{name}: contrast {ratio:.2}");
    }
}

#[test]
fn the_page_opens_quietly_and_asks_for_nothing() {
    let Some(browser) = browser("the_page_opens_quietly_and_asks_for_nothing") else { return };
    let pages = [
        (html(&synthetic::report()), "id=\"recommendation\""),
        (synthetic_store::report().html(&[]), "id=\"outcome\""),
        (synthetic_drive::report().html(&[]), "id=\"outcome\""),
    ];
    for (page, place) in pages {
        let visit = visit(&browser, &page, false);
        assert!(visit.dom.contains(place), "the page did not open");
        assert!(visit.console.is_empty(), "{:?}", visit.console);
        assert!(visit.requests.is_empty(), "{:?}", visit.requests);
    }
}

#[test]
fn the_watch_over_the_page_is_awake() {
    let Some(browser) = browser("the_watch_over_the_page_is_awake") else { return };
    let guilty = "<!DOCTYPE html><body><script>console.error('seen')</script>\
                  <img src=\"http://127.0.0.1:9/seen.png\"></body>";
    let watched = visit(&browser, guilty, false);
    assert!(watched.console.iter().any(|line| line.contains("seen")), "{:?}", watched.console);
    assert!(watched.requests.iter().any(|url| url.ends_with("seen.png")), "{:?}", watched.requests);
    // The policy of the page itself stops what would slip into it.
    let page = html(&synthetic::report());
    let slipped = page.replace("</body>", "<img src=\"http://127.0.0.1:9/seen.png\"></body>");
    let stopped = visit(&browser, &slipped, false);
    assert!(stopped.requests.is_empty(), "{:?}", stopped.requests);
    assert!(!stopped.console.is_empty(), "a refused load is a console message");
}

#[test]
fn every_plot_is_legible_on_desk_and_phone_light_and_dark() {
    let Some(browser) = browser("every_plot_is_legible_on_desk_and_phone_light_and_dark") else {
        return;
    };
    let pages = [
        html(&synthetic::report()),
        html(&synthetic::report_without_synthesis()),
        html(&synthetic::report_of_many_codes()),
        synthetic_store::report().html(&[]),
        synthetic_store::report_of_one_engine().html(&[]),
        synthetic_drive::report().html(&[]),
        synthetic_drive::report_of_reads().html(&[]),
    ];
    for page in &pages {
        let light = look_at(&browser, page, 1280, false);
        let dark = look_at(&browser, page, 390, true);
        assert_legible(&light);
        assert_legible(&dark);
        assert_eq!(light.window_px, 1280);
        assert_eq!(dark.window_px, 390);
        assert!(light.paper[0] > 200 && dark.paper[0] < 60, "the theme follows the system");
        assert_ne!(light.circle, dark.circle, "the plots follow the theme");
    }
}
