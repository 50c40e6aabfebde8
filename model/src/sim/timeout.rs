//! Waits that end after a span at the latest.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

use floatgate_hal::units::Picoseconds;

use super::event::Delay;

/// What was waited for did not come in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("nothing came within {0}")]
pub struct Elapsed(pub Picoseconds);

/// Polls the future first, so one that ends when the span does is in time, if it runs first.
pub(super) async fn timeout<F: Future>(
    span: Picoseconds,
    delay: Delay<'_>,
    future: F,
) -> Result<F::Output, Elapsed> {
    let (mut future, mut delay) = (pin!(future), pin!(delay));
    poll_fn(|cx| {
        if let Poll::Ready(value) = future.as_mut().poll(cx) {
            return Poll::Ready(Ok(value));
        }
        delay.as_mut().poll(cx).map(|()| Err(Elapsed(span)))
    })
    .await
}
