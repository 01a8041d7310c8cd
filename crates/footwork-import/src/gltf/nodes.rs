//! Nodes: names, parents, transforms and kinds.

use super::accessor::Tables;
use super::document::Document;
use crate::scene::{Node, NodeKind, SceneProblem, Trs, is_sheared};
use footwork::math::{Quat, Transform};
use glam::Vec3;
use gltf::json::scene::Node as JsonNode;
use std::collections::BTreeMap;

/// Reads all nodes of a file.
pub(super) fn read(document: &Document<'_>, tables: &mut Tables<'_>) -> Result<Vec<Node>, SceneProblem> {
    let root = &document.root;
    let mut nodes = Vec::with_capacity(root.nodes.len());
    for (i, n) in root.nodes.iter().enumerate() {
        let kind = match n {
            _ if n.mesh.is_some() => NodeKind::Mesh,
            _ if n.camera.is_some() => NodeKind::Other,
            _ => NodeKind::Plain,
        };
        let name = n.name.clone().filter(|n| !n.trim().is_empty()).unwrap_or_else(|| format!("node_{i}"));
        nodes.push(Node { local: local(n, &name)?, name, parent: None, kind, bind: None });
    }
    for (i, n) in root.nodes.iter().enumerate() {
        for child in n.children.iter().flatten().map(|c| c.value()) {
            let twice = nodes.get(child).is_none_or(|c| c.parent.is_some());
            if twice {
                let node = nodes.get(child).map_or_else(|| format!("node_{child}"), |c| c.name.clone());
                return Err(SceneProblem::NotATree { node });
            }
            nodes[child].parent = Some(i);
        }
    }
    for skin in &root.skins {
        let joints: Vec<usize> = skin.joints.iter().map(|j| j.value()).filter(|j| *j < nodes.len()).collect();
        for j in &joints {
            nodes[*j].kind = NodeKind::Joint;
        }
        if let Some(matrices) = skin.inverse_bind_matrices {
            let matrices = tables.floats(matrices.value(), 16)?;
            bind(&mut nodes, &joints, &matrices);
        }
    }
    Ok(nodes)
}

fn local(n: &JsonNode, name: &str) -> Result<Trs, SceneProblem> {
    if let Some(m) = n.matrix {
        let column = |c: usize| Vec3::new(m[4 * c], m[4 * c + 1], m[4 * c + 2]);
        if is_sheared(column(0), column(1), column(2)) {
            return Err(SceneProblem::Sheared { node: name.to_owned() });
        }
        return Ok(Trs::from_columns(column(0), column(1), column(2), column(3)));
    }
    Ok(Trs {
        translation: n.translation.map_or(Vec3::ZERO, Vec3::from_array),
        rotation: n.rotation.map_or(Quat::IDENTITY, |r| Quat::from_array(r.0)),
        scale: n.scale.map_or(Vec3::ONE, Vec3::from_array),
    })
}

/// Sets the bind transforms of a skin's joints. The skin's matrices start from the mesh's space: its rotation does not matter
/// here, and its scale is derived from the joints.
fn bind(nodes: &mut [Node], joints: &[usize], matrices: &[f32]) {
    let places: Vec<Option<(Transform, f32)>> = matrices.chunks_exact(16).map(inverse).collect();
    let Some(size) = size(nodes, joints, &places) else { return };
    for (j, place) in joints.iter().zip(places) {
        if let Some((t, _)) = place.filter(|_| nodes[*j].bind.is_none()) {
            nodes[*j].bind = Some(Transform::new(t.translation * size, t.rotation));
        }
    }
}

/// Returns the ratio of the nodes' metres to the mesh's units, from the total length of all bones.
fn size(nodes: &[Node], joints: &[usize], places: &[Option<(Transform, f32)>]) -> Option<f32> {
    let scales = world_scales(nodes);
    let slots: BTreeMap<usize, usize> = joints.iter().enumerate().map(|(slot, j)| (*j, slot)).collect();
    let (mut ours, mut theirs) = (0.0, 0.0);
    for (j, place) in joints.iter().zip(places) {
        let parent = nodes[*j].parent.and_then(|p| slots.get(&p));
        let Some(((own, _), (above, _))) = place.zip(parent.and_then(|p| *places.get(*p)?)) else { continue };
        ours += (nodes[*j].local.translation * scales[nodes[*j].parent?]).length();
        theirs += own.translation.distance(above.translation);
    }
    Some(ours / theirs).filter(|s| s.is_finite() && *s > 0.0)
}

/// Returns `[nodes]` the product of the scales from the root down; not meaningful if the nodes do not form a tree, which is
/// reported later.
fn world_scales(nodes: &[Node]) -> Vec<f32> {
    let own = |n: usize| nodes[n].local.scale.abs().element_sum() / 3.0;
    let mut scales: Vec<Option<f32>> = vec![None; nodes.len()];
    for n in 0..nodes.len() {
        let mut way = vec![n];
        while let Some(p) =
            nodes[way[way.len() - 1]].parent.filter(|p| scales[*p].is_none() && way.len() <= nodes.len())
        {
            way.push(p);
        }
        for k in way.into_iter().rev() {
            let above = nodes[k].parent.and_then(|p| scales[p]).unwrap_or(1.0);
            scales[k] = Some(above * own(k));
        }
    }
    scales.into_iter().map(|s| s.unwrap_or(1.0)).collect()
}

/// Returns the inverse of a matrix of rotation, uniform scale and translation: the transform, and the scale.
fn inverse(m: &[f32]) -> Option<(Transform, f32)> {
    let column = |c: usize| Vec3::new(m[4 * c], m[4 * c + 1], m[4 * c + 2]);
    let [x, y, z, t] = [column(0), column(1), column(2), column(3)];
    let scale = (x.length() + y.length() + z.length()) / 3.0;
    let even = [x, y, z].iter().all(|v| (v.length() - scale).abs() < 0.01 * scale);
    if !(even && scale > 1e-9 && t.is_finite()) || is_sheared(x, y, z) || x.cross(y).dot(z) < 0.0 {
        return None;
    }
    let back = Quat::from_axes(x / scale, y / scale, z / scale).inverse();
    Some((Transform::new(back * (-t) / scale, back), 1.0 / scale))
}
