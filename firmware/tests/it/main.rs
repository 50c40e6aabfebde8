//! Firmware against a fake bus and a fake codec: what it asks of a die, and what it makes of the
//! answers.

mod bring_up;
mod fake;
mod no_std;
mod onfi;
mod pages;

use std::pin::pin;
use std::task::{Context, Poll, Waker};

/// Runs a future that never waits for anything outside.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("the fakes answer at once"),
    }
}
