//! Tests of reading glTF and FBX, mixtures of formats on one skeleton, and round trips through glTF.

mod fbx;
mod fixtures;
mod gltf;
mod mixture;
mod own_character;
