//! House rules that a compiler does not know.

use std::path::{Path, PathBuf};

fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let mut found = vec![];
    let mut folders = vec![PathBuf::from(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else if entry.path().extension().is_some_and(|one| one == ending) {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    found
}

/// Modules by layer, as `lib.rs` has them.
fn layers() -> Vec<Vec<String>> {
    let text = std::fs::read_to_string("src/lib.rs").unwrap();
    let modules = |paragraph: &str| -> Vec<String> {
        paragraph
            .lines()
            .filter_map(|line| Some(line.strip_prefix("pub mod ")?.strip_suffix(';')?.to_owned()))
            .collect()
    };
    text.split("\n\n").map(modules).filter(|layer| !layer.is_empty()).collect()
}

/// A file without its unit tests.
fn code(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap().split("#[cfg(test)]").next().unwrap_or("").to_owned()
}

#[test]
fn a_module_imports_only_from_layers_above_its_own() {
    let layers = layers();
    let layer_of = |module: &str| layers.iter().position(|layer| layer.iter().any(|one| one == module));
    assert!(layers.len() > 10, "{layers:?}");
    for file in files("src", "rs") {
        let inside = file.strip_prefix("src").unwrap();
        let module =
            inside.components().next().unwrap().as_os_str().to_str().unwrap().trim_end_matches(".rs").to_owned();
        if module == "lib" || module == "main" {
            continue;
        }
        let own = layer_of(&module).unwrap_or_else(|| panic!("{module} is not in lib.rs"));
        for part in code(&file).split("crate::").skip(1) {
            assert!(!part.starts_with('{'), "{}: `use crate::{{…}}` hides layers", file.display());
            let import: String = part.chars().take_while(|one| one.is_ascii_alphanumeric() || *one == '_').collect();
            let Some(other) = layer_of(&import) else { continue };
            assert!(
                import == module || other < own,
                "{} imports {import}, which is in no layer above {module}",
                file.display()
            );
        }
    }
}

#[test]
fn the_architecture_names_the_layers_as_they_are_and_files_that_exist() {
    let text = std::fs::read_to_string("ARCHITECTURE.md").unwrap();
    let words = |cell: &str| -> Vec<String> { cell.split('`').skip(1).step_by(2).map(str::to_owned).collect() };
    let rows = text.lines().filter(|line| line.starts_with("| ") && line.as_bytes()[2].is_ascii_digit());
    let told: Vec<Vec<String>> = rows.map(|row| words(row.split('|').nth(2).unwrap())).collect();
    assert_eq!(told, layers(), "the table of layers");
    let is_path = |word: &String| word.contains('/') && word.ends_with(".rs") && !word.contains("NAME");
    for path in words(&text.replace("```", "")).into_iter().filter(is_path) {
        let mut folders = ["", "src/", "src/render/"].iter().map(|folder| format!("{folder}{path}"));
        assert!(folders.any(|file| Path::new(&file).exists()), "there is no {path}");
    }
}

#[test]
fn every_file_of_the_library_opens_with_its_purpose() {
    for file in files("src", "rs") {
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text.starts_with("//! "), "{} has no purpose", file.display());
        let stem = file.file_stem().unwrap().to_str().unwrap();
        assert!(
            !["util", "utils", "helper", "helpers", "common", "core", "manager", "misc"].contains(&stem),
            "{}",
            file.display()
        );
    }
}

#[test]
fn every_test_file_is_part_of_the_suite_and_every_extension_is_in_its_table() {
    let suite = std::fs::read_to_string("tests/suite.rs").unwrap();
    for file in files("tests", "rs") {
        let stem = file.file_stem().unwrap().to_str().unwrap();
        assert!(stem == "suite" || suite.contains(&format!("mod {stem};")), "{stem} is forgotten");
    }
    for folder in ["src/tool", "src/inventory"] {
        let table = std::fs::read_to_string(format!("{folder}/mod.rs")).unwrap();
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let name = entry.file_name().into_string().unwrap();
            let stem = name.trim_end_matches(".rs");
            let uses = table.matches(&format!("{stem}::")).count();
            // what several tools share stands beside them, declared and in no table
            let is_shared = ["answer", "documents", "draft", "manual", "text", "workload"].contains(&stem);
            assert!(stem == "mod" || is_shared || uses == 1, "{folder}/{name} is in its table {uses} times");
        }
    }
    let readers = std::fs::read_to_string("src/inventory/saved/mod.rs").unwrap();
    for file in files("src/inventory/saved", "rs") {
        let stem = file.file_stem().unwrap().to_str().unwrap();
        let is_table = stem == "mod" || stem == "owed";
        assert!(is_table || readers.contains(&format!("    {stem}::READER,")), "{stem} is in no table");
    }
    for (folder, shared) in
        [("src/render/figure", &["fields"][..]), ("src/guest/hypervisor", &["tiny"][..]), ("src/place", &[][..])]
    {
        let table = std::fs::read_to_string(format!("{folder}/mod.rs")).unwrap();
        for file in files(folder, "rs") {
            let stem = file.file_stem().unwrap().to_str().unwrap();
            let is_entry = table.contains(&format!("    &{stem}::")) || table.contains(&format!("    {stem}::ACCESS,"));
            // a place in memory is reached by tests only
            let is_shared = stem == "mod" || stem == "memory" || shared.contains(&stem);
            assert!(is_shared || is_entry, "{folder}/{stem}.rs is in no table");
        }
    }
    let languages = std::fs::read_to_string("src/words/mod.rs").unwrap();
    for file in files("src/words", "ftl") {
        let code = file.file_stem().unwrap().to_str().unwrap();
        assert!(languages.contains(&format!("(\"{code}\", include_str!(\"{code}.ftl\"))")), "{code} is in no table");
    }
    let verbs = std::fs::read_to_string("src/cli/command/mod.rs").unwrap();
    for file in files("src/cli/command", "rs") {
        let stem = file.file_stem().unwrap().to_str().unwrap();
        assert!(stem == "mod" || verbs.contains(&format!("mod {stem};")), "{stem}");
    }
}

/// How long files and functions may be. These limits only ever get tighter.
const FILE_LINES_MAX: usize = 400;
const FUNCTION_LINES_MAX: usize = 60;
/// How many fields a tuple in a signature may have; more are a struct without names.
const TUPLE_FIELDS_MAX: usize = 2;

#[test]
fn files_and_functions_fit_into_a_head() {
    for file in files("src", "rs") {
        let code = code(&file);
        let lines: Vec<&str> = code.lines().collect();
        assert!(lines.len() <= FILE_LINES_MAX, "{} has {} lines", file.display(), lines.len());
        for (start, line) in lines.iter().enumerate() {
            let is_function =
                (line.trim_start().starts_with("fn ") || line.contains(" fn ")) && !line.trim_start().starts_with("//");
            // a signature may take many lines; without a body it ends in a semicolon
            let end = lines[start..].iter().find(|line| line.ends_with(['{', '}', ';']));
            if !is_function || !end.is_some_and(|end| end.ends_with('{')) {
                continue;
            }
            let close = format!("{}}}", " ".repeat(line.len() - line.trim_start().len()));
            let length = lines[start..].iter().position(|line| *line == close).unwrap_or(0) + 1;
            assert!(length <= FUNCTION_LINES_MAX, "{}:{} has {length} lines", file.display(), start + 1);
        }
    }
}

/// What stands between a parenthesis and its partner, and what follows.
fn in_parentheses(text: &str) -> (&str, &str) {
    let mut depth = 0;
    for (at, one) in text.char_indices() {
        match one {
            '(' => depth += 1,
            ')' if depth == 1 => return (&text[1..at], &text[at + 1..]),
            ')' => depth -= 1,
            _ => {}
        }
    }
    (text, "")
}

/// How many parts a list has, separated by commas outside of brackets.
fn parts(list: &str) -> usize {
    let (mut depth, mut count, mut is_open) = (0_i32, 0, false);
    for (at, one) in list.char_indices() {
        match one {
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            '>' if !list[..at].ends_with(['-', '=']) => depth -= 1,
            ',' if depth == 0 => {
                count += usize::from(is_open);
                is_open = false;
                continue;
            }
            _ => {}
        }
        is_open |= !one.is_whitespace();
    }
    count + usize::from(is_open)
}

/// The most fields of a tuple, pattern or type, in a signature.
fn widest_tuple(signature: &str) -> usize {
    let is_call = |before: &str| before.trim_end().ends_with(|one: char| one.is_alphanumeric() || one == '_');
    let opened = signature.match_indices('(').filter(|(at, _)| !is_call(&signature[..*at]));
    opened.map(|(at, _)| parts(in_parentheses(&signature[at..]).0)).max().unwrap_or(0)
}

#[test]
fn what_has_more_than_two_fields_has_names() {
    assert_eq!(widest_tuple("a: u8, (b, c, d): (u8, u8, Map<u8, u8>)"), 3);
    assert_eq!(widest_tuple("a: impl Fn(u8, u8, u8) -> u8, (b, c): (u8, u8)"), 2);
    for file in files("src", "rs") {
        let text = std::fs::read_to_string(&file).unwrap();
        let code = code(&file);
        // a file of tests only
        if text.contains("#[test]") && !text.contains("#[cfg(test)]") {
            continue;
        }
        for (at, _) in code.match_indices("fn ") {
            let name = code[at + 3..].split(['(', '<']).next().unwrap_or_default();
            let is_function = name.chars().all(|one| one.is_alphanumeric() || one == '_') && !name.is_empty();
            let starts_word = code[..at].ends_with(|one: char| one.is_whitespace());
            let Some(open) = code[at..].find('(').filter(|_| is_function && starts_word) else { continue };
            let (arguments, rest) = in_parentheses(&code[at + open..]);
            let result = rest.split(['{', ';']).next().unwrap_or_default();
            let widest = widest_tuple(arguments).max(widest_tuple(result));
            assert!(widest <= TUPLE_FIELDS_MAX, "{}: `{name}` has a tuple of {widest} fields", file.display());
        }
    }
}

#[test]
fn the_repository_has_its_licences_and_no_leftovers() {
    for file in ["LICENSE-MIT", "LICENSE-APACHE", "README.md", "ARCHITECTURE.md", "CHANGELOG.md", "Makefile", ".ci/run"]
    {
        assert!(Path::new(file).exists(), "{file} is missing");
    }
    for file in files("src", "rs").into_iter().chain(files("tests", "rs")) {
        let text = std::fs::read_to_string(&file).unwrap();
        for word in [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("#[ig", "nore")] {
            assert!(!text.contains(word), "{} has {word}", file.display());
        }
    }
}
