//! Background jobs.

use std::sync::mpsc::{Receiver, TryRecvError, channel};

/// A computation on its own thread. A web page has no threads, so there it blocks.
#[derive(Debug)]
pub(crate) struct Job<T>(Receiver<Result<T, String>>);

impl<T: Send + 'static> Job<T> {
    pub fn start(work: impl FnOnce() -> Result<T, String> + Send + 'static) -> Self {
        let (send, receive) = channel();
        // Sending fails if the window was closed.
        let work = move || drop(send.send(work()));
        #[cfg(target_arch = "wasm32")]
        work();
        #[cfg(not(target_arch = "wasm32"))]
        std::thread::spawn(work);
        Self(receive)
    }

    /// Returns the result once it is available.
    pub fn poll(&self) -> Option<Result<T, String>> {
        match self.0.try_recv() {
            Ok(done) => Some(done),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Err("it ended without a result".to_owned())),
        }
    }
}
