//! Background jobs.

#[cfg(not(target_arch = "wasm32"))]
use std::sync::mpsc::{Receiver, TryRecvError, channel};

/// A computation on its own thread. A web page has no threads: there it runs in a call of [`Job::poll`], some frames after its
/// start, so that a message about it is visible.
#[derive(Debug)]
pub struct Job<T, E = String> {
    #[cfg(not(target_arch = "wasm32"))]
    done: Receiver<Result<T, E>>,
    #[cfg(target_arch = "wasm32")]
    waiting: Waiting<T, E>,
}

/// A computation that has not begun.
#[cfg(target_arch = "wasm32")]
struct Waiting<T, E> {
    work: Option<Box<dyn FnOnce() -> Result<T, E>>>,
    polls: u32,
}

#[cfg(target_arch = "wasm32")]
impl<T, E> std::fmt::Debug for Waiting<T, E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Waiting").field("polls", &self.polls).finish_non_exhaustive()
    }
}

impl<T: Send + 'static, E: Send + From<String> + 'static> Job<T, E> {
    /// Starts a computation.
    pub fn start(work: impl FnOnce() -> Result<T, E> + Send + 'static) -> Self {
        #[cfg(not(target_arch = "wasm32"))]
        {
            let (send, done) = channel();
            // Sending fails if the job was replaced by another, or the window was closed.
            std::thread::spawn(move || drop(send.send(work())));
            Self { done }
        }
        #[cfg(target_arch = "wasm32")]
        Self { waiting: Waiting { work: Some(Box::new(work)), polls: 0 } }
    }

    /// Returns the result once it is available. Returns an error if the computation panicked.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn poll(&mut self) -> Option<Result<T, E>> {
        match self.done.try_recv() {
            Ok(done) => Some(done),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Err("it ended without a result".to_owned().into())),
        }
    }

    /// Returns the result once it is available.
    #[cfg(target_arch = "wasm32")]
    pub fn poll(&mut self) -> Option<Result<T, E>> {
        self.waiting.polls += 1;
        if self.waiting.polls <= 3 {
            return None;
        }
        self.waiting.work.take().map(|work| work())
    }
}
