//! Results that a source of motion keeps for one character, beside its state.

/// Results of a function of numbers for its last inputs. The content changes the speed of the function, never its results.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memo {
    /// Identifies the function.
    of: u64,
    entries: Vec<Entry>,
    clock: u64,
}

#[derive(Clone, Debug)]
struct Entry {
    input: Vec<f32>,
    result: Vec<f32>,
    used: u64,
}

impl Memo {
    /// Creates room for so many results of `outputs` numbers each, of inputs of `inputs` numbers.
    pub fn new(results: usize, inputs: usize, outputs: usize) -> Self {
        // NaN differs from every input.
        let entry = || Entry { input: vec![f32::NAN; inputs], result: vec![0.0; outputs], used: 0 };
        Self { of: 0, entries: (0..results).map(|_| entry()).collect(), clock: 0 }
    }

    /// Returns the number of results, and the numbers of each input and result.
    pub fn sizes(&self) -> (usize, usize, usize) {
        self.entries.first().map_or((0, 0, 0), |e| (self.entries.len(), e.input.len(), e.result.len()))
    }

    /// Returns the index of the result of the function `of` for an input. `compute` writes it if it is not known, in the place of the
    /// result that was not used for longest. Allocates nothing.
    pub fn find(&mut self, of: u64, input: &[f32], compute: impl FnOnce(&mut [f32])) -> usize {
        if self.of != of {
            self.entries.iter_mut().for_each(|e| e.input.fill(f32::NAN));
            self.of = of;
        }
        self.clock += 1;
        let known = self.entries.iter().position(|e| e.input == *input);
        let place = known.unwrap_or_else(|| {
            let oldest = (0..self.entries.len()).min_by_key(|i| self.entries[*i].used).unwrap_or(0);
            let entry = &mut self.entries[oldest];
            entry.input.copy_from_slice(input);
            compute(&mut entry.result);
            oldest
        });
        self.entries[place].used = self.clock;
        place
    }

    /// Returns a result by the index of [`Memo::find`].
    #[inline]
    pub fn result(&self, index: usize) -> &[f32] {
        &self.entries[index].result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_results_are_known_and_those_of_another_function_are_not() {
        let mut memo = Memo::new(2, 1, 1);
        let mut computed = 0;
        let mut ask = |of: u64, input: f32| {
            let at = memo.find(of, &[input], |result| {
                computed += 1;
                result[0] = input * of as f32;
            });
            (memo.result(at)[0], computed)
        };
        assert_eq!([ask(3, 1.0), ask(3, 2.0), ask(3, 1.0)], [(3.0, 1), (6.0, 2), (3.0, 2)]);
        // 2 was not used for longest.
        assert_eq!([ask(3, 5.0), ask(3, 1.0), ask(3, 2.0)], [(15.0, 3), (3.0, 3), (6.0, 4)]);
        assert_eq!([ask(4, 1.0), ask(4, 1.0), ask(3, 1.0)], [(4.0, 5), (4.0, 5), (3.0, 6)]);
    }
}
