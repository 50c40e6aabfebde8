//! What the rows have in common: the C++ registry, and the Rust names of rows and ports.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use crate::model::{self, Built, Context};
use crate::ports::Port;
use crate::{BuildError, Optimise, Top};

/// Compiles the list of all rows and tells Cargo to link it and them.
///
/// The list registers itself before main; nothing refers to it, so it is linked whole. So are the
/// models, all of which it refers to: GNU ld, which goes through the libraries once, would meet
/// them before the list.
pub(crate) fn registry(
    tops: &[Top],
    built: &[Built],
    context: &Context,
    out_dir: &Path,
) -> Result<(), BuildError> {
    let package = crate::variable("CARGO_PKG_NAME")?.replace('-', "_");
    let source = out_dir.join("registry.cpp");
    let object = out_dir.join("registry.o");
    let library = format!("{package}_registry");
    fs::write(&source, registry_source(tops)).map_err(BuildError::file(&source))?;
    let mut compile = context.compiler(Optimise::Little)?;
    compile.arg("-c").arg(&source).arg("-o").arg(&object);
    let list = Top::new(library.clone(), "");
    model::run(&list, "C++ compiler", "error", &mut compile)?;
    let archive = out_dir.join(format!("lib{library}.a"));
    // An archive keeps members that it is not told to replace.
    let _ = fs::remove_file(&archive);
    model::archive(&list, &archive, &object)?;

    println!("cargo::rustc-link-search=native={}", out_dir.display());
    println!("cargo::rustc-link-lib=static:+whole-archive={library}");
    for (top, model) in tops.iter().zip(built) {
        println!("cargo::rustc-link-search=native={}", model.dir.display());
        println!("cargo::rustc-link-lib=static:+whole-archive={}", top.prefix());
    }
    Ok(())
}

fn registry_source(tops: &[Top]) -> String {
    let lines = |format: fn(&str) -> String| -> String {
        tops.iter().map(|top| format(&top.prefix())).collect()
    };
    format!(
        "#include \"model.hpp\"\n\nnamespace verilated {{\n\n{declarations}\nnamespace {{\n\n\
         const ModelInfo* const models[] = {{\n{list}}};\n\
         const bool registered = (register_models(models, {count}), true);\n\n\
         }}  // namespace\n\n}}  // namespace verilated\n",
        declarations = lines(|prefix| format!("extern const ModelInfo info_{prefix};\n")),
        list = lines(|prefix| format!("    &info_{prefix},\n")),
        count = tops.len(),
    )
}

/// Writes the Rust names: a constant for each row, a struct of ports for each module.
pub(crate) fn rust(tops: &[Top], built: &[Built], path: &Path) -> Result<(), BuildError> {
    let mut text = String::new();
    let mut modules: BTreeMap<&str, (&Top, &Built)> = BTreeMap::new();
    for (top, model) in tops.iter().zip(built) {
        let (other, first) = *modules.entry(&top.module).or_insert((top, model));
        let signature = |ports: &[Port]| -> Vec<(String, bool)> {
            ports.iter().map(|port| (port.name.clone(), port.input)).collect()
        };
        if signature(&first.ports) != signature(&model.ports) {
            return Err(BuildError::PortsDiffer {
                top: top.name.clone(),
                other: other.name.clone(),
            });
        }
        let constant = top.prefix()[1..].to_uppercase();
        write_fmt(&mut text, format_args!("/// The model `{}`.\n", top.name));
        write_fmt(&mut text, format_args!("pub const {constant}: &str = {:?};\n", top.name));
    }
    let names: Vec<&str> = tops.iter().map(|top| top.name.as_str()).collect();
    write_fmt(
        &mut text,
        format_args!(
            "\n/// The names of all rows.\npub const NAMES: [&str; {}] = {names:?};\n",
            names.len()
        ),
    );
    for (module, (_, model)) in modules {
        write_ports(&mut text, module, &model.ports);
    }
    fs::write(path, text).map_err(BuildError::file(path))
}

fn write_ports(text: &mut String, module: &str, ports: &[Port]) {
    let name = format!("{}Ports", camel_case(module));
    write_fmt(
        text,
        format_args!(
            "\n/// The ports of `{module}`.\n#[derive(Clone, Copy, Debug)]\npub struct {name} {{\n"
        ),
    );
    for port in ports {
        let (kind, direction) = if port.input { ("Input", "input") } else { ("Output", "output") };
        write_fmt(
            text,
            format_args!(
                "    /// The {direction} `{0}`.\n    pub {0}: verilated::{kind},\n",
                port.name
            ),
        );
    }
    write_fmt(
        text,
        format_args!(
            "}}\n\nimpl verilated::Ports for {name} {{\n    const MODULE: &'static str = \
             {module:?};\n\n    fn of(model: &verilated::Model) -> Result<Self, verilated::Error> \
             {{\n        Ok(Self {{\n"
        ),
    );
    for port in ports {
        let lookup = if port.input { "input" } else { "output" };
        write_fmt(text, format_args!("            {0}: model.{lookup}({0:?})?,\n", port.name));
    }
    text.push_str("        })\n    }\n}\n");
}

fn write_fmt(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    text.write_fmt(arguments).expect("a String takes everything");
}

fn camel_case(module: &str) -> String {
    let capital = |word: &str| {
        let mut letters = word.chars();
        letters.next().map_or_else(String::new, |first| {
            first.to_uppercase().chain(letters).collect::<String>()
        })
    };
    module.split('_').map(capital).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_module_becomes_a_type_name() {
        assert_eq!(super::camel_case("bch_decoder"), "BchDecoder");
        assert_eq!(super::camel_case("echo"), "Echo");
    }
}
