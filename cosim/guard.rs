//! Failures of blocks inside the simulation, which the traits of the HAL have no words for: the
//! block notes its error, its requests stay without an answer, and who runs the simulation awaits
//! the work under a [`Guard`].

use std::cell::RefCell;
use std::future::poll_fn;
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;

use floatgate_model::sim::{Event, Sim};

/// Where a block notes the error that ends its run. Clones are the same guard.
#[derive(Debug)]
pub struct Guard<E> {
    error: Rc<RefCell<Option<E>>>,
    has_failed: Event,
}

impl<E> Clone for Guard<E> {
    fn clone(&self) -> Self {
        Self { error: Rc::clone(&self.error), has_failed: self.has_failed.clone() }
    }
}

impl<E> Guard<E> {
    pub(crate) fn new(sim: &Sim, name: &'static str) -> Self {
        Self { error: Rc::default(), has_failed: sim.event(name) }
    }

    /// Notes an error, unless there is one; the work ends.
    pub(crate) fn fail(&self, error: E) {
        self.error.borrow_mut().get_or_insert(error);
        self.has_failed.notify();
    }

    /// Runs a future to its end, or to the block's failure.
    ///
    /// # Errors
    /// What the block noted.
    pub async fn run<T>(&self, work: impl Future<Output = T>) -> Result<T, E> {
        let mut work = pin!(work);
        let mut failed = pin!(self.has_failed.wait_until(|| self.error.borrow().is_some()));
        let end = poll_fn(|cx| {
            if failed.as_mut().poll(cx).is_ready() {
                return Poll::Ready(None);
            }
            work.as_mut().poll(cx).map(Some)
        });
        let value = end.await;
        match (self.error.take(), value) {
            (Some(error), _) => Err(error),
            (None, Some(value)) => Ok(value),
            (None, None) => unreachable!("a failure has its error"),
        }
    }
}
