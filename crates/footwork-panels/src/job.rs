//! Work beside the window.

use std::sync::mpsc::{Receiver, TryRecvError, channel};

/// Something that is computed on a thread of its own. In a web page, which has none, the page waits for it.
#[derive(Debug)]
pub(crate) struct Job<T>(Receiver<Result<T, String>>);

impl<T: Send + 'static> Job<T> {
    pub fn start(work: impl FnOnce() -> Result<T, String> + Send + 'static) -> Self {
        let (send, receive) = channel();
        // Nobody listens any more where the window was closed.
        let work = move || drop(send.send(work()));
        #[cfg(target_arch = "wasm32")]
        work();
        #[cfg(not(target_arch = "wasm32"))]
        std::thread::spawn(work);
        Self(receive)
    }

    /// The result, once it is there.
    pub fn poll(&self) -> Option<Result<T, String>> {
        match self.0.try_recv() {
            Ok(done) => Some(done),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Err("it ended without a result".to_owned())),
        }
    }
}
