//! Module boundaries: inside a crate, files import each other in one direction only. Calls of methods are no imports.
//!
//! A file imports another if one of its paths or `use` declarations names an item that the other defines. Re-exports (`pub use`)
//! are followed to the file that defines the item, and are not imports themselves: a parent module may list its children. Unit
//! tests are excluded.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use syn::visit::{self, Visit};

/// A source file as a module.
#[derive(Default)]
struct File {
    path: PathBuf,
    /// The module that declares it; `None` for the crate's root.
    parent: Option<usize>,
    /// Modules with a separate file, by name.
    children: BTreeMap<String, usize>,
    /// Names of the items that it defines.
    items: BTreeSet<String>,
    /// Imported names and the paths that they stand for.
    aliases: BTreeMap<String, Vec<String>>,
    /// Modules from which all names are imported.
    globs: Vec<Vec<String>>,
    /// Paths in its code, including private imports.
    named: Vec<Vec<String>>,
}

impl File {
    /// Returns true if a path that begins with this name can lead to a file of the crate.
    fn is_within(&self, name: &str) -> bool {
        matches!(name, "crate" | "self" | "super")
            || self.children.contains_key(name)
            || self.items.contains(name)
            || self.aliases.contains_key(name)
    }
}

/// Files of a crate; the root is the first.
struct Crate(Vec<File>);

impl Crate {
    fn read(root: &Path) -> Self {
        let mut all = Self(Vec::new());
        all.add(root, None, root.parent().unwrap());
        all
    }

    /// Adds a file and the modules it declares, which are in `folder`.
    fn add(&mut self, path: &Path, parent: Option<usize>, folder: &Path) -> usize {
        let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let source = syn::parse_file(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let mut reader = Reader::default();
        reader.visit_file(&source);
        let index = self.0.len();
        self.0.push(File { path: path.to_owned(), parent, ..reader.file });
        for name in reader.declared {
            let (own, folder_of) = (folder.join(format!("{name}.rs")), folder.join(&name));
            let file = if own.is_file() { own } else { folder_of.join("mod.rs") };
            let child = self.add(&file, Some(index), &folder_of);
            self.0[index].children.insert(name, child);
        }
        index
    }

    /// Returns the file that defines `path` as used in file `at`; `None` for other crates and for modules themselves.
    fn definer(&self, at: usize, path: &[String], depth: usize) -> Option<usize> {
        let (first, rest) = path.split_first()?;
        if depth > 20 {
            return None;
        }
        match first.as_str() {
            "crate" => self.definer(0, rest, depth + 1),
            "self" => self.definer(at, rest, depth + 1),
            "super" => self.definer(self.0[at].parent?, rest, depth + 1),
            name => {
                let file = &self.0[at];
                if let Some(child) = file.children.get(name) {
                    return self.definer(*child, rest, depth + 1);
                }
                if file.items.contains(name) {
                    return Some(at);
                }
                if let Some(alias) = file.aliases.get(name).filter(|a| a.as_slice() != path) {
                    return self.definer(at, &[alias, rest].concat(), depth + 1);
                }
                // A glob whose path begins with another crate's name leads to no file of this crate.
                let within = |glob: &&Vec<String>| glob.first().is_some_and(|name| file.is_within(name));
                let through = |glob: &Vec<String>| self.definer(at, &[glob, path].concat(), depth + 1);
                file.globs.iter().filter(within).find_map(through)
            }
        }
    }

    /// Returns, per file, the files it imports, each with the path that causes the import.
    fn imports(&self) -> Vec<BTreeMap<usize, String>> {
        let of = |(at, file): (usize, &File)| {
            let found = file.named.iter().filter_map(|p| Some((self.definer(at, p, 0)?, p.join("::"))));
            found.filter(|(to, _)| *to != at).collect()
        };
        self.0.iter().enumerate().map(of).collect()
    }

    /// Returns the imports between files that can reach each other.
    fn cycles(&self) -> Vec<String> {
        let imports = self.imports();
        let reached: Vec<BTreeSet<usize>> = (0..imports.len())
            .map(|start| {
                let (mut seen, mut next) = (BTreeSet::new(), vec![start]);
                while let Some(at) = next.pop() {
                    next.extend(imports[at].keys().filter(|to| seen.insert(**to)));
                }
                seen
            })
            .collect();
        let name = |i: usize| self.0[i].path.display().to_string();
        let edges = imports.iter().enumerate().flat_map(|(from, to)| to.iter().map(move |(to, why)| (from, *to, why)));
        edges
            .filter(|(from, to, _)| reached[*to].contains(from))
            .map(|(from, to, why)| format!("{} -> {} ({why})", name(from), name(to)))
            .collect()
    }
}

/// Collects modules, items and paths of a file.
#[derive(Default)]
struct Reader {
    file: File,
    /// Modules that have separate files.
    declared: Vec<String>,
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|a| a.path().is_ident("cfg") && a.parse_args::<syn::Ident>().is_ok_and(|word| word == "test"))
}

/// Returns the names of the types that a macro call such as `settings!` defines.
fn defined(tokens: proc_macro2::TokenStream) -> Vec<String> {
    let words: Vec<String> = tokens.into_iter().map(|token| token.to_string()).collect();
    let types = words.windows(2).filter(|pair| ["struct", "enum", "entry"].contains(&pair[0].as_str()));
    types.map(|pair| pair[1].clone()).collect()
}

impl Reader {
    fn import(&mut self, tree: &syn::UseTree, before: &[String], public: bool) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        match tree {
            syn::UseTree::Path(p) => self.import(&p.tree, &with(&p.ident), public),
            syn::UseTree::Group(g) => g.items.iter().for_each(|t| self.import(t, before, public)),
            syn::UseTree::Glob(_) => self.file.globs.push(before.to_vec()),
            syn::UseTree::Name(n) if n.ident == "self" => {
                self.alias(before.last().cloned().unwrap_or_default(), before.to_vec(), public);
            }
            syn::UseTree::Name(n) => self.alias(n.ident.to_string(), with(&n.ident), public),
            syn::UseTree::Rename(r) => self.alias(r.rename.to_string(), with(&r.ident), public),
        }
    }

    fn alias(&mut self, name: String, path: Vec<String>, public: bool) {
        if !public {
            self.file.named.push(path.clone());
        }
        self.file.aliases.insert(name, path);
    }

    /// Collects the paths in the tokens of a macro call.
    fn words(&mut self, tokens: proc_macro2::TokenStream) {
        use proc_macro2::TokenTree;
        let mut path: Vec<String> = Vec::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(word) => {
                    if colons != 2 && !path.is_empty() {
                        self.file.named.push(std::mem::take(&mut path));
                    }
                    path.push(word.to_string());
                    colons = 0;
                }
                TokenTree::Punct(p) if p.as_char() == ':' => colons += 1,
                other => {
                    self.file.named.push(std::mem::take(&mut path));
                    colons = 0;
                    if let TokenTree::Group(group) = other {
                        self.words(group.stream());
                    }
                }
            }
        }
        self.file.named.push(path);
    }
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        use syn::Item;
        let (attributes, name) = match item {
            Item::Const(i) => (&i.attrs, Some(&i.ident)),
            Item::Enum(i) => (&i.attrs, Some(&i.ident)),
            Item::Fn(i) => (&i.attrs, Some(&i.sig.ident)),
            Item::ForeignMod(i) => (&i.attrs, None),
            Item::Static(i) => (&i.attrs, Some(&i.ident)),
            Item::Struct(i) => (&i.attrs, Some(&i.ident)),
            Item::Trait(i) => (&i.attrs, Some(&i.ident)),
            Item::Type(i) => (&i.attrs, Some(&i.ident)),
            Item::Impl(i) => (&i.attrs, None),
            Item::Macro(i) => (&i.attrs, None),
            Item::Use(i) => (&i.attrs, None),
            Item::Mod(i) => (&i.attrs, None),
            _ => panic!("an item of a kind that this test does not know, after {:?}", self.file.items.last()),
        };
        if is_test(attributes) {
            return;
        }
        self.file.items.extend(name.map(ToString::to_string));
        if let Item::Macro(call) = item {
            self.file.items.extend(defined(call.mac.tokens.clone()));
        }
        visit::visit_item(self, item);
    }

    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if module.content.is_none() {
            self.declared.push(module.ident.to_string());
        }
        visit::visit_item_mod(self, module);
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.import(&item.tree, &[], !matches!(item.vis, syn::Visibility::Inherited));
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.file.named.push(path.segments.iter().map(|s| s.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.words(call.tokens.clone());
    }
}

#[test]
fn files_of_a_crate_import_each_other_in_one_direction() {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut cycles = Vec::new();
    for (root, files) in [
        ("bindings/bevy/src/lib.rs", 30),
        ("crates/footwork/src/lib.rs", 200),
        ("crates/footwork-cli/src/main.rs", 40),
        ("crates/footwork-draw/src/lib.rs", 25),
        ("crates/footwork-gait/src/lib.rs", 15),
        ("crates/footwork-import/src/lib.rs", 60),
        ("crates/footwork-metrics/src/lib.rs", 12),
        ("crates/footwork-robot/src/lib.rs", 20),
        ("crates/footwork-panels/src/lib.rs", 40),
        ("crates/footwork-stream/src/lib.rs", 2),
        ("crates/footwork-studio/src/lib.rs", 5),
        ("crates/footwork-studio/src/main.rs", 1),
        ("crates/footwork-train/src/lib.rs", 20),
        ("crates/footwork-train/src/main.rs", 4),
    ] {
        let all = Crate::read(&workspace.join(root));
        let edges: usize = all.imports().iter().map(BTreeMap::len).sum();
        assert!(all.0.len() >= files && edges >= files, "{root}: {} files, {edges} imports read", all.0.len());
        cycles.extend(all.cycles());
    }
    assert!(cycles.is_empty(), "imports that are part of a cycle:\n{}", cycles.join("\n"));
}

#[test]
fn a_cycle_is_found_through_re_exports_aliases_globs_and_macros() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let cycles = || Crate::read(&dir.path().join("lib.rs")).cycles().len();
    write("lib.rs", "mod a; mod b; pub use a::Thing; #[cfg(test)] mod tests { use crate::b::twice; }");
    write("b.rs", "use crate::a::Thing; pub fn twice(t: &Thing) -> f32 { t.0 }");
    // The parent lists its child and uses no item of it.
    write("a/mod.rs", "mod part; pub use part::other; pub struct Thing(pub f32);");
    write("a/part.rs", "use super::Thing; pub fn other(_: Thing) {}");
    assert_eq!(cycles(), 0);
    for part in [
        "use crate::b; use super::Thing; pub fn other(t: Thing) { b::twice(&t); }",
        "use crate::b::twice as again; use super::Thing; pub fn other(t: Thing) { again(&t); }",
        "use crate::b::*; use super::Thing; pub fn other(t: Thing) { twice(&t); }",
        "use super::Thing; pub fn other(t: Thing) { println!(\"{}\", crate::b::twice(&t)); }",
    ] {
        // `b` uses `Thing`, `part` uses `b`, and the file that defines `Thing` uses `part`.
        write("a/mod.rs", "mod part; pub use part::other; pub struct Thing(pub f32); fn uses(t: Thing) { other(t) }");
        write("a/part.rs", part);
        assert_eq!(cycles(), 4, "{part}");
    }
    // A type that a macro defines.
    write("lib.rs", "mod a; mod b;");
    write("a/mod.rs", "settings! { pub struct Thing { size: f32; } } fn uses() { crate::b::twice() }");
    write("b.rs", "use crate::a::Thing; pub fn twice() {}");
    assert_eq!(cycles(), 2);
}
