//! The kinds of search.

use crate::choices;

choices! {
    /// A kind of search.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum Backend = Tree {
        /// Every row, in order: the definition.
        Brute = "brute",
        /// Two levels of boxes of 16 and 64 rows, in database order. Source: Holden et al., "Learned Motion Matching" (2020).
        #[cfg(feature = "classics")]
        Boxes = "boxes",
        /// A tree of boxes, 16 wide, with vector instructions where the processor has them.
        Tree = "tree",
        /// The boxes with vector instructions, sorted.
        #[cfg(feature = "classics")]
        Flat = "flat",
        /// A kd-tree with backtracking.
        #[cfg(feature = "classics")]
        KdTree = "kdtree",
        /// Principal components and a kd-tree over them: approximate.
        #[cfg(feature = "classics")]
        Pca = "pca",
        /// A table by the position of a joint: approximate.
        #[cfg(feature = "classics")]
        Voxel = "voxel",
        /// k-means: approximate.
        #[cfg(feature = "classics")]
        Clusters = "clusters",
    }
}

impl Backend {
    /// Those that return the same result to the bit as comparing every row.
    pub const EXACT: &'static [Self] = &[
        Self::Brute,
        #[cfg(feature = "classics")]
        Self::Boxes,
        Self::Tree,
        #[cfg(feature = "classics")]
        Self::Flat,
        #[cfg(feature = "classics")]
        Self::KdTree,
    ];
    /// Those that may return another row than the best one.
    #[cfg(feature = "classics")]
    pub const APPROXIMATE: &'static [Self] = &[Self::Pca, Self::Voxel, Self::Clusters];
}
