"""Counts the public items of the library, and fails above the maximum below: .ci/count-api [--list]

An item is a struct, enum, trait, function, constant, type alias or macro that a user can name, counted once however
many paths lead to it; hidden items count as well. Modules, fields, variants, methods and trait implementations do not.
Items that only `footwork::advanced` leads to, the module for tools, have a count and a maximum of their own. Needs python3 and
the installed Rust; rustdoc's JSON is a nightly format, which RUSTC_BOOTSTRAP=1 unlocks.
"""
import collections, json, os, subprocess, sys, tempfile

# The numbers of items may only fall: lower them with every change that removes some.
MAXIMUM = 223
# Of items that only `footwork::advanced` leads to.
MAXIMUM_ADVANCED = 141

COUNTED = {"struct", "enum", "union", "trait", "function", "constant", "static", "type_alias", "macro", "primitive"}


def documentation():
    target = os.environ.get("CARGO_TARGET_DIR", "target")
    flags = ["-Z", "unstable-options", "--output-format", "json", "--document-hidden-items"]
    command = ["cargo", "rustdoc", "-q", "-p", "footwork", "--lib", "--locked", "--target-dir", f"{target}/api", "--", *flags]
    with tempfile.TemporaryDirectory() as folder:
        # For rustdoc alone: dependencies that look at the variable would be compiled again.
        rustdoc = os.path.join(folder, "rustdoc")
        with open(rustdoc, "w") as file:
            file.write('#!/bin/sh\nRUSTC_BOOTSTRAP=1 exec rustdoc "$@"\n')
        os.chmod(rustdoc, 0o755)
        subprocess.run(command, check=True, env=dict(os.environ, RUSTDOC=rustdoc))
    with open(f"{target}/api/doc/footwork.json") as file:
        return json.load(file)


def modules(doc, key):
    """The public modules of module `key`, by name."""
    index = doc["index"]
    children = (index[c] for c in map(str, index[key]["inner"]["module"]["items"]) if c in index)
    return {c["name"]: str(c["id"]) for c in children if "module" in c["inner"] and c["visibility"] == "public"}


def items(doc, start, name, without=()):
    """Every public item below the module with id `start`, by id, with the module where it was found first. Does not enter the
    modules with the ids `without`."""
    index, found, queue, seen = doc["index"], {}, collections.deque([(start, name)]), set(without)
    while queue:
        key, path = queue.popleft()
        if key in seen or key not in index:
            continue
        seen.add(key)
        for child in map(str, index[key]["inner"]["module"]["items"]):
            if child not in index:
                continue
            item = index[child]
            kind = next(iter(item["inner"]))
            if kind == "use":
                use = item["inner"]["use"]
                target = str(use.get("id"))
                if target not in index:
                    continue
                child, item = target, index[target]
                kind = next(iter(item["inner"]))
                if kind == "module" and use.get("is_glob"):
                    queue.append((child, path))
                    continue
            if item["visibility"] != "public" and kind != "macro":
                continue
            if kind == "module":
                queue.append((child, f"{path}::{item['name']}"))
            if kind in COUNTED:
                found.setdefault(child, (path, kind, item["name"]))
    return found


def show(found):
    if "--list" in sys.argv:
        for path, kind, name in found:
            print(f"{kind:10} {path}::{name}")
    by_module = collections.Counter(path.removeprefix("footwork::advanced").removeprefix("footwork").removeprefix("::").split("::")[0] or name
                                    for path, kind, name in found)
    print(", ".join(f"{module} {count}" for module, count in sorted(by_module.items())))


if __name__ == "__main__":
    doc = documentation()
    root = str(doc["root"])
    advanced = modules(doc, root).get("advanced")
    public = items(doc, root, "footwork", [advanced])
    for_tools = {} if advanced is None else items(doc, advanced, "footwork::advanced")
    for_tools = {key: item for key, item in for_tools.items() if key not in public}
    show(sorted(public.values()))
    print("in `advanced`: ", end="\n" if "--list" in sys.argv else "")
    show(sorted(for_tools.values()))
    print(f"{len(public)} public items, at most {MAXIMUM}, and {len(for_tools)} in `advanced`, at most {MAXIMUM_ADVANCED}")
    sys.exit(len(public) > MAXIMUM or len(for_tools) > MAXIMUM_ADVANCED)
