//! The same work for each clip, on as many threads as there are (feature `parallel`), results in order.

/// Maps in order.
#[cfg(feature = "parallel")]
pub fn map<T: Sync, R: Send>(items: &[T], f: impl Fn(&T) -> R + Send + Sync) -> Vec<R> {
    use rayon::prelude::*;
    items.par_iter().map(f).collect()
}

/// Maps in order.
#[cfg(not(feature = "parallel"))]
pub fn map<T: Sync, R: Send>(items: &[T], f: impl Fn(&T) -> R + Send + Sync) -> Vec<R> {
    items.iter().map(f).collect()
}

/// Maps in order, using the items up: what is large is moved, not copied.
#[cfg(feature = "parallel")]
pub fn map_owned<T: Send, R: Send>(items: Vec<T>, f: impl Fn(T) -> R + Send + Sync) -> Vec<R> {
    use rayon::prelude::*;
    items.into_par_iter().map(f).collect()
}

/// Maps in order.
#[cfg(not(feature = "parallel"))]
pub fn map_owned<T: Send, R: Send>(items: Vec<T>, f: impl Fn(T) -> R + Send + Sync) -> Vec<R> {
    items.into_iter().map(f).collect()
}
