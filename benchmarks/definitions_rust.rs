// Definitions in Rust files as syn parses them.
//
// definitions_rust ROOT prints a JSON line ["file", path] for each file that parses and ["definition", path,
// group, name, line] for each definition. Macro bodies are tokens to syn, and so hold no definitions.
use proc_macro2::{LineColumn, Span};
use std::path::Path;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

struct Definitions<'a> {
    path: &'a str,
}

fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

impl Definitions<'_> {
    fn report(&self, group: &str, name: &str, span: Span) {
        let LineColumn { line, .. } = span.start();
        println!("[\"definition\", {}, \"{}\", {}, {}]", quote(self.path), group, quote(name), line);
    }

    // Syntax that syn hands on as tokens, because it is not stable Rust.
    fn unseen(&self, span: Span) {
        println!("[\"unseen\", {}, {}, {}]", quote(self.path), span.start().line, span.end().line);
    }

    fn name(&self, group: &str, ident: &syn::Ident) {
        let name = ident.to_string();
        if name != "_" {
            self.report(group, &name, ident.span());
        }
    }
}

macro_rules! named {
    ($($method:ident, $node:ty, $ident:expr, $group:literal;)*) => {
        $(fn $method(&mut self, node: &'ast $node) {
            let ident: fn(&'ast $node) -> Option<&'ast syn::Ident> = $ident;
            if let Some(ident) = ident(node) {
                self.name($group, ident);
            }
            visit::$method(self, node);
        })*
    };
}

impl<'ast> Visit<'ast> for Definitions<'_> {
    named! {
        visit_item_fn, syn::ItemFn, |n| Some(&n.sig.ident), "functions";
        visit_impl_item_method, syn::ImplItemMethod, |n| Some(&n.sig.ident), "functions";
        visit_trait_item_method, syn::TraitItemMethod, |n| Some(&n.sig.ident), "functions";
        visit_foreign_item_fn, syn::ForeignItemFn, |n| Some(&n.sig.ident), "functions";
        visit_item_struct, syn::ItemStruct, |n| Some(&n.ident), "types";
        visit_item_enum, syn::ItemEnum, |n| Some(&n.ident), "types";
        visit_item_union, syn::ItemUnion, |n| Some(&n.ident), "types";
        visit_item_trait, syn::ItemTrait, |n| Some(&n.ident), "types";
        visit_item_mod, syn::ItemMod, |n| Some(&n.ident), "types";
        visit_item_const, syn::ItemConst, |n| Some(&n.ident), "constants";
        visit_item_static, syn::ItemStatic, |n| Some(&n.ident), "constants";
        visit_impl_item_const, syn::ImplItemConst, |n| Some(&n.ident), "constants";
        visit_trait_item_const, syn::TraitItemConst, |n| Some(&n.ident), "constants";
        visit_foreign_item_static, syn::ForeignItemStatic, |n| Some(&n.ident), "constants";
        visit_item_type, syn::ItemType, |n| Some(&n.ident), "aliases";
        visit_impl_item_type, syn::ImplItemType, |n| Some(&n.ident), "aliases";
        visit_trait_item_type, syn::TraitItemType, |n| Some(&n.ident), "aliases";
        visit_foreign_item_type, syn::ForeignItemType, |n| Some(&n.ident), "aliases";
        visit_variant, syn::Variant, |n| Some(&n.ident), "enum members";
        visit_field, syn::Field, |n| n.ident.as_ref(), "fields";
        visit_item_macro, syn::ItemMacro, |n| n.ident.as_ref(), "macros";
    }

    fn visit_item(&mut self, node: &'ast syn::Item) {
        if let syn::Item::Verbatim(tokens) = node {
            self.unseen(tokens.span());
        }
        visit::visit_item(self, node);
    }

    fn visit_impl_item(&mut self, node: &'ast syn::ImplItem) {
        if let syn::ImplItem::Verbatim(tokens) = node {
            self.unseen(tokens.span());
        }
        visit::visit_impl_item(self, node);
    }

    fn visit_trait_item(&mut self, node: &'ast syn::TraitItem) {
        if let syn::TraitItem::Verbatim(tokens) = node {
            self.unseen(tokens.span());
        }
        visit::visit_trait_item(self, node);
    }

    fn visit_expr(&mut self, node: &'ast syn::Expr) {
        if let syn::Expr::Verbatim(tokens) = node {
            self.unseen(tokens.span());
        }
        visit::visit_expr(self, node);
    }

    fn visit_expr_closure(&mut self, node: &'ast syn::ExprClosure) {
        let start = node.movability.map(|word| word.span());
        let start = start.or(node.asyncness.map(|word| word.span()));
        let start = start.or(node.capture.map(|word| word.span()));
        self.report("anonymous", "", start.unwrap_or(node.or1_token.span()));
        visit::visit_expr_closure(self, node);
    }
}

fn read(root: &Path, folder: &Path) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            read(root, &path);
        } else if path.extension().map_or(false, |extension| extension == "rs") {
            let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            if let Ok(file) = syn::parse_file(&text) {
                println!("[\"file\", {}]", quote(&name));
                Definitions { path: &name }.visit_file(&file);
            }
        }
    }
}

fn main() {
    let root = std::env::args().nth(1).expect("a folder");
    let worker = std::thread::Builder::new().stack_size(1 << 29);
    worker.spawn(move || read(Path::new(&root), Path::new(&root))).unwrap().join().unwrap();
}
