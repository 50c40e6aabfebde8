//! What limits a drive, in one sentence and one reason: what an architect looks for first.

use super::model::{DriveResult, Traffic};
use crate::format;

/// Something that is in use so often has no room for much more.
const BUSY: f64 = 0.85;

/// What limits the drive, and why it is said.
pub(super) struct Limit {
    pub(super) verdict: String,
    pub(super) reason: String,
}

/// The kind of requests of which there are most.
fn main_kind(result: &DriveResult) -> (&'static str, &Traffic) {
    let kinds = result.kinds();
    kinds.into_iter().rev().max_by_key(|(_, traffic)| traffic.requests).expect("there are kinds")
}

/// Looks at what is full first, then at what requests spend their time on.
pub(super) fn limit(result: &DriveResult) -> Limit {
    let (kind, traffic) = main_kind(result);
    let mean_us = traffic.latency_us.map_or(0.0, |latency| latency.mean);
    let largest = traffic.parts.iter().max_by(|a, b| a.mean_us.total_cmp(&b.mean_us));
    let (part, share) =
        largest.map_or(("nothing", 0.0), |part| (part.part.as_str(), part.mean_us / mean_us));
    let (dies, channels) = (result.flash.mean_die_use(), result.flash.mean_channel_use());
    let link = link_use(result);
    let verdict = if channels >= BUSY {
        "The flash channels limit this drive: they carry something all the time.".to_owned()
    } else if link >= BUSY {
        "The link to the host limits this drive.".to_owned()
    } else if dies >= BUSY {
        match result.firmware.write_amplification {
            Some(ratio) if ratio > 1.5 => format!(
                "The dies limit this drive, and garbage collection keeps them busy: {} pages are \
                 programmed for each that the host writes.",
                format::real(ratio, 2)
            ),
            _ => "The dies limit this drive: their arrays work nearly all the time.".to_owned(),
        }
    } else {
        by_part(part, kind, dies)
    };
    let reason = format!(
        "Dies work {} % of the time, channels carry something {} %, the host link {} % (the busier \
         way). Mean latency of {kind}: {}, {} % of it {part}.",
        format::real(100.0 * dies, 0),
        format::real(100.0 * channels, 0),
        format::real(100.0 * link, 0),
        format::duration_ns(1e3 * mean_us),
        format::real(100.0 * share, 0),
    );
    Limit { verdict, reason }
}

fn by_part(part: &str, kind: &str, dies: f64) -> String {
    let idle = format::real(100.0 * (1.0 - dies), 0);
    match part {
        "garbage collection" => {
            format!(
                "Garbage collection limits this drive: {kind} wait for it more than for all else."
            )
        }
        "firmware" => "Firmware's own time limits this drive.".to_owned(),
        "queue" => format!(
            "Requests queue for firmware's tasks, while dies are idle {idle} % of the time: more \
             tasks or less work for each would help."
        ),
        "buffer" => format!("The buffer limits this drive: {kind} wait for room in it."),
        "die busy" => format!(
            "{} collide on dies, while all dies together are idle {idle} % of the time: a better \
             spread or more of them would help.",
            capital(kind)
        ),
        "channel busy" => format!("The flash channels limit this drive: {kind} wait for them."),
        "same page" => format!("{} of the same pages wait for each other.", capital(kind)),
        _ => format!(
            "Nothing is full: {kind} take the time of the flash itself, and dies are idle {idle} % \
             of the time. More requests in flight would be served."
        ),
    }
}

fn capital(word: &str) -> String {
    word[..1].to_uppercase() + &word[1..]
}

/// Share of the run in which the busier direction of the link carries data.
fn link_use(result: &DriveResult) -> f64 {
    result.reads.mb_per_s.max(result.writes.mb_per_s) / result.drive.link_mb_per_s
}
