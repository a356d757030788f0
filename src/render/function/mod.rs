//! The functions that templates may call: one table, which the renderer registers and the check of prose reads.
//!
//! What shows results is said here, once, for every function; figures always do.

mod call;
mod value;

use std::sync::{Arc, Mutex};

use minijinja::value::{Kwargs, Rest, Value};
use minijinja::{Environment, Error, ErrorKind};

use super::Scope;
use super::board::Board;
use super::figure::FIGURES;
use super::prose::OwnedView;
use super::sections::{self, Parts};
use super::{compared, setup};
use crate::document::Block;
use crate::measurement::Metric;
use crate::paper;

pub(in crate::render) use call::Call;

/// How often a template may call a function.
const CALLS_MAX: usize = 5_000;

/// A board that functions share.
pub(super) type Shared = Arc<Mutex<Board>>;

/// What a function makes.
#[derive(Clone, Copy)]
enum Make {
    /// A generated part.
    Part(fn(&Scope<'_>, &mut Parts) -> Vec<Block>),
    /// A generated part of one metric.
    OfMetric(fn(&Scope<'_>, &mut Parts, &Metric) -> Vec<Block>),
    /// A value in a sentence.
    Value(fn(&Scope<'_>, &mut Board, &Call) -> Result<Value, String>),
}

struct Entry {
    name: &'static str,
    shows_results: bool,
    make: Make,
}

const fn shows(name: &'static str, make: Make) -> Entry {
    Entry { name, shows_results: true, make }
}

const fn tells(name: &'static str, make: Make) -> Entry {
    Entry { name, shows_results: false, make }
}

/// All functions but those of figures.
const ENTRIES: &[Entry] = &[
    shows("value", Make::Value(value::value)),
    shows("change", Make::Value(value::change)),
    tells("level", Make::Value(value::level)),
    tells("fact", Make::Value(value::fact)),
    tells("configured", Make::Value(value::configured)),
    tells("counted", Make::Value(value::counted)),
    tells("setup", Make::Part(|scope, _| setup::setup(scope))),
    tells("workloads", Make::Part(|scope, _| setup::workloads(scope))),
    tells("matrix", Make::Part(|scope, _| setup::matrix(scope))),
    tells("method", Make::Part(sections::method)),
    shows("results", Make::Part(sections::results)),
    shows("result_table", Make::OfMetric(sections::result_table)),
    shows("comparison", Make::OfMetric(compared::comparison)),
    shows("noise", Make::Part(sections::noise)),
    tells("attempts", Make::Part(sections::attempts)),
    tells("provenance", Make::Part(sections::provenance)),
];

/// The functions that templates may call.
pub fn functions() -> Vec<paper::Function> {
    let entries = ENTRIES.iter().map(|one| paper::Function { name: one.name, shows_results: one.shows_results });
    let figures = FIGURES.iter().map(|figure| paper::Function { name: figure.name(), shows_results: true });
    entries.chain(figures).collect()
}

/// Makes all functions known to a template.
pub(super) fn register(environment: &mut Environment<'_>, view: &Arc<OwnedView>, shared: &Shared) {
    for entry in ENTRIES {
        let make = entry.make;
        add(environment, entry.name, (view, shared), move |scope, board, call| match make {
            Make::Part(make) => {
                call.takes(0, &[])?;
                let blocks = make(scope, &mut board.parts);
                Ok(board.block(blocks))
            }
            Make::OfMetric(make) => {
                call.takes(1, &[])?;
                let metric = call.metric(scope, 0)?;
                let blocks = make(scope, &mut board.parts, &metric);
                Ok(board.block(blocks))
            }
            Make::Value(make) => make(scope, board, call),
        });
    }
    for figure in FIGURES {
        add(environment, figure.name(), (view, shared), |scope, board, call| {
            let blocks = figure.place(scope, &mut board.parts, call)?;
            Ok(board.block(blocks))
        });
    }
}

fn add(
    environment: &mut Environment<'_>,
    name: &'static str,
    (view, shared): (&Arc<OwnedView>, &Shared),
    make: impl Fn(&Scope<'_>, &mut Board, &Call) -> Result<Value, String> + Send + Sync + 'static,
) {
    let (view, shared) = (Arc::clone(view), Arc::clone(shared));
    environment.add_function(name, move |words: Rest<Value>, named: Kwargs| {
        let call = Call::of(&words, &named)?;
        let mut board = lock(&shared)?;
        make(&view.scope(), &mut board, &call).map_err(invalid)
    });
}

fn invalid(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidOperation, message.into())
}

fn lock(shared: &Shared) -> Result<std::sync::MutexGuard<'_, Board>, Error> {
    let board = shared.lock().map_err(|_| invalid("an earlier function failed"))?;
    if board.inlines.len() + board.blocks.len() + board.parts.tokens.0.len() > CALLS_MAX * 20
        || board.blocks.len() > CALLS_MAX
    {
        return Err(invalid("the template places too much"));
    }
    Ok(board)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_has_one_name_and_every_figure_shows_results() {
        let all = functions();
        let mut names: Vec<&str> = all.iter().map(|one| one.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all.len());
        for figure in FIGURES {
            assert!(all.iter().any(|one| one.name == figure.name() && one.shows_results), "{}", figure.name());
        }
    }
}
