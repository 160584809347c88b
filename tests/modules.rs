//! Which module of a crate imports which: no crate has a circle of files. And every file of tests is run.
//!
//! A `pub use` of a child is a façade and not an import: a path through it counts for the
//! module that has the item. A module that is imported by its name counts where a path goes through
//! that name. Test modules are left out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use syn::visit::Visit;
use syn::{Attribute, Item, ItemUse, UseTree, Visibility};

use crate::support::repository;

/// The path of a module below its crate: `["plan", "exec"]`; empty for the root.
type Module = Vec<String>;

/// The files of one crate.
#[derive(Default)]
struct Crate {
    /// Paths that each module names.
    paths: BTreeMap<Module, Vec<Vec<String>>>,
    /// Names that a module imports, and the path of each.
    imports: BTreeMap<(Module, String), Vec<String>>,
    /// Names that a module re-exports, and the path of each.
    facades: BTreeMap<(Module, String), Vec<String>>,
}

#[test]
fn no_crate_has_a_circle_of_modules() {
    let mut crates = 0;
    let mut circles = BTreeMap::new();
    for wing in folders(&repository().join("crates")) {
        for member in folders(&wing) {
            let found = Crate::read(&member.join("src")).circles();
            if !found.is_empty() {
                circles.insert(member, found);
            }
            crates += 1;
        }
    }
    assert!(crates >= 25, "{crates}");
    assert_eq!(circles, BTreeMap::new());
}

/// A test program has the files that its `main.rs` names; another file would never run.
#[test]
fn every_file_of_tests_is_in_its_test_program() {
    let root = repository().join("tests");
    let mut programs = vec![root.clone(), root.join("lab")];
    for wing in folders(&repository().join("crates")) {
        programs.extend(folders(&wing).iter().map(|member| member.join("tests")));
    }
    programs.retain(|folder| folder.join("main.rs").exists());
    assert!(programs.len() >= 8, "{programs:?}");
    for folder in programs {
        let main = std::fs::read_to_string(folder.join("main.rs")).expect("a test program");
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let name = entry.expect("an entry").file_name();
            let name = name.to_string_lossy();
            let Some(module) = name.strip_suffix(".rs").filter(|name| *name != "main") else {
                continue;
            };
            let named = main.contains(&format!("mod {module};"));
            assert!(named, "{}: {name} is not run", folder.display());
        }
    }
}

/// The folders in a folder.
fn folders(path: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(path).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths.filter(|path| path.is_dir()).collect()
}

#[test]
fn a_circle_is_found_through_a_facade_and_not_in_tests() {
    let module = |name: &str| vec![name.to_owned()];
    let circles = |one: &str, two: &str| {
        let mut found = Crate::default();
        found.add(Vec::new(), "mod one; mod two; pub use two::Item;");
        found.add(module("one"), one);
        found.add(module("two"), two);
        found.circles()
    };
    let both = BTreeSet::from([module("one"), module("two")]);
    let two = "use super::one::Name; pub struct Item;";
    assert_eq!(circles("use crate::Item;", two), both);
    assert_eq!(circles("fn f() -> crate::two::Item { todo() }", two), both);
    assert_eq!(circles("use crate::{Item as Other};", two), both);
    let in_tests = "#[cfg(test)] mod tests { use crate::Item; }";
    assert_eq!(circles(in_tests, two), BTreeSet::new());
    assert_eq!(circles("pub struct Name;", two), BTreeSet::new());
    // A module by its name, as another name, and all that it has.
    for import in [
        "use super::two;",
        "use crate::{two};",
        "use super::two as other;",
    ] {
        let name = if import.contains("other") {
            "other"
        } else {
            "two"
        };
        let one = format!("{import} fn f() -> u8 {{ {name}::number() }}");
        assert_eq!(circles(&one, two), both, "{import}");
        assert_eq!(circles(import, two), BTreeSet::new(), "{import}");
    }
    assert_eq!(circles("use super::two::*;", two), both);
    // Its own item of that name is not the module beside it.
    assert_eq!(
        circles("mod two { pub fn f() {} } fn g() { two::f() }", two),
        BTreeSet::new()
    );
}

#[test]
fn the_engine_has_edges() {
    let edges = Crate::read(&repository().join("crates/job/engine/src")).edges();
    assert!(edges.len() > 30, "{}", edges.len());
    let step = ["plan", "exec", "step"].map(str::to_owned).to_vec();
    let site = ["plan", "steps", "site"].map(str::to_owned).to_vec();
    assert!(edges[&site].contains(&step));
}

impl Crate {
    fn read(source: &Path) -> Self {
        let mut found = Self::default();
        let mut folders = vec![source.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).expect("sources can be listed") {
                let path = entry.expect("a file").path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "rs") {
                    let text = std::fs::read_to_string(&path).expect("sources are UTF-8");
                    let below = path.strip_prefix(source).expect("the file is below");
                    found.add(module_of(below), &text);
                }
            }
        }
        found
    }

    fn add(&mut self, module: Module, text: &str) {
        let file = syn::parse_file(text).expect("sources parse");
        let mut names = Names::default();
        names.visit_file(&file);
        for (name, path) in names.imports {
            self.imports.insert((module.clone(), name), path);
        }
        for (name, path) in names.facades {
            self.facades.insert((module.clone(), name), path);
        }
        self.paths.insert(module, names.paths);
    }

    /// The modules that each module imports.
    fn edges(&self) -> BTreeMap<Module, BTreeSet<Module>> {
        let edges = self.paths.iter().map(|(module, paths)| {
            let targets = paths.iter().filter_map(|path| self.target(module, path));
            let targets = targets.filter(|target| target != module).collect();
            (module.clone(), targets)
        });
        edges.collect()
    }

    /// The module that has the item of `path`, as `module` names it.
    fn target(&self, module: &Module, path: &[String]) -> Option<Module> {
        let (mut at, mut rest) = match path.first()?.as_str() {
            "crate" => (Vec::new(), &path[1..]),
            "self" => (module.clone(), &path[1..]),
            "super" => {
                let mut at = module.clone();
                let ups = path.iter().take_while(|name| *name == "super").count();
                at.truncate(at.len().checked_sub(ups)?);
                (at, &path[ups..])
            }
            name => {
                let key = (module.clone(), name.to_owned());
                // A name that is imported under itself is of another crate.
                let imported = self.imports.get(&key).or_else(|| self.facades.get(&key));
                if let Some(import) = imported.filter(|import| import[0] != name) {
                    let path = [import, &path[1..]].concat();
                    return self.target(module, &path);
                }
                let mut below = module.clone();
                below.push(name.to_owned());
                self.paths.contains_key(&below).then_some(())?;
                (module.clone(), path)
            }
        };
        while let Some((name, after)) = rest.split_first() {
            let mut below = at.clone();
            below.push(name.clone());
            if self.paths.contains_key(&below) {
                (at, rest) = (below, after);
                continue;
            }
            let key = (at.clone(), name.clone());
            // A façade of a name as itself is of another crate.
            let facade = self.facades.get(&key).filter(|path| path[0] != *name);
            return match facade {
                Some(path) => self.target(&at, &[path, after].concat()),
                None => Some(at),
            };
        }
        // A module by its name imports nothing by itself.
        None
    }

    /// The modules that import themselves by way of others.
    fn circles(&self) -> BTreeSet<Module> {
        let edges = self.edges();
        let imports_itself = |module: &&Module| {
            let mut open: Vec<&Module> = edges[*module].iter().collect();
            let mut seen = BTreeSet::new();
            while let Some(next) = open.pop() {
                if seen.insert(next) {
                    open.extend(&edges[next]);
                }
            }
            seen.contains(module)
        };
        edges.keys().filter(imports_itself).cloned().collect()
    }
}

fn module_of(file: &Path) -> Module {
    let without = PathBuf::from(file).with_extension("");
    let mut names: Module = (without.iter())
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    if matches!(
        names.last().map(String::as_str),
        Some("mod" | "lib" | "main")
    ) {
        names.pop();
    }
    names
}

/// The paths that a file names outside its tests.
#[derive(Default)]
struct Names {
    paths: Vec<Vec<String>>,
    imports: Vec<(String, Vec<String>)>,
    facades: Vec<(String, Vec<String>)>,
}

impl<'ast> Visit<'ast> for Names {
    fn visit_item(&mut self, item: &'ast Item) {
        let attributes = match item {
            Item::Mod(item) => &item.attrs,
            Item::Use(item) => &item.attrs,
            Item::Fn(item) => &item.attrs,
            Item::Impl(item) => &item.attrs,
            _ => &Vec::new(),
        };
        if !attributes.iter().any(is_test) {
            syn::visit::visit_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        let mut leaves = Vec::new();
        flatten(&item.tree, &mut Vec::new(), &mut leaves);
        let is_private = matches!(item.vis, Visibility::Inherited);
        for (name, path) in leaves {
            if is_private {
                self.paths.push(path.clone());
                self.imports.push((name, path));
            } else {
                self.facades.push((name, path));
            }
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names = path
            .segments
            .iter()
            .map(|segment| segment.ident.to_string());
        let names: Vec<String> = names.collect();
        if names.len() > 1 {
            self.paths.push(names);
        }
        syn::visit::visit_path(self, path);
    }
}

fn is_test(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg")
        && attribute
            .parse_args::<syn::Path>()
            .is_ok_and(|path| path.is_ident("test"))
}

/// The names that a `use` brings, each with its path.
fn flatten(tree: &UseTree, before: &mut Vec<String>, leaves: &mut Vec<(String, Vec<String>)>) {
    let mut leaf = |name: String, last: String| {
        let mut path = before.clone();
        if last != "self" {
            path.push(last);
        }
        leaves.push((name, path));
    };
    match tree {
        UseTree::Name(name) => leaf(name.ident.to_string(), name.ident.to_string()),
        UseTree::Rename(name) => leaf(name.rename.to_string(), name.ident.to_string()),
        // An item that no module has: the module that the path leads to has it.
        UseTree::Glob(_) => leaf("*".to_owned(), "*".to_owned()),
        UseTree::Path(path) => {
            before.push(path.ident.to_string());
            flatten(&path.tree, before, leaves);
            before.pop();
        }
        UseTree::Group(group) => {
            for tree in &group.items {
                flatten(tree, before, leaves);
            }
        }
    }
}
