//! glTF and FBX in, any mixture of formats on one skeleton, glTF out and in again.

mod fbx;
mod fixtures;
mod gltf;
mod mixture;
mod own_character;
