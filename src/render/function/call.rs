//! A call of a template function: its words, and its arguments by name.

use minijinja::Error;
use minijinja::value::{Kwargs, Value};

use super::super::Scope;
use crate::measurement::Metric;

/// The arguments of a call, as text.
pub(in crate::render) struct Call {
    words: Vec<String>,
    named: Vec<(String, String)>,
}

impl Call {
    /// Of the values that a template gives.
    pub(super) fn of(words: &[Value], named: &Kwargs) -> Result<Self, Error> {
        let mut call = Self { words: words.iter().map(Value::to_string).collect(), named: vec![] };
        for name in named.args() {
            call.named.push((name.to_owned(), named.get::<Value>(name)?.to_string()));
        }
        Ok(call)
    }

    /// Refuses more or fewer words, and names that are not known.
    pub(in crate::render) fn takes(&self, words: usize, names: &[&str]) -> Result<(), String> {
        self.takes_levels(words)?;
        match self.named.iter().find(|(name, _)| !names.contains(&name.as_str())) {
            Some((name, _)) => Err(format!("no argument is called `{name}`")),
            None => Ok(()),
        }
    }

    /// Refuses more or fewer words; names are those of factors.
    pub(in crate::render) fn takes_levels(&self, words: usize) -> Result<(), String> {
        if self.words.len() == words {
            return Ok(());
        }
        Err(format!("{} arguments, expected {words}", self.words.len()))
    }

    /// The word at a place, from 0.
    pub(in crate::render) fn word(&self, at: usize) -> Result<&str, String> {
        self.words.get(at).map(String::as_str).ok_or_else(|| format!("argument {} is missing", at + 1))
    }

    /// The value of a name, where it is there.
    pub(in crate::render) fn optional(&self, name: &str) -> Option<&str> {
        self.named.iter().find(|(one, _)| one == name).map(|(_, value)| value.as_str())
    }

    /// The value of a name.
    pub(in crate::render) fn named(&self, name: &str) -> Result<&str, String> {
        self.optional(name).ok_or_else(|| format!("the argument `{name}` is missing"))
    }

    /// The metric that the word at a place names.
    pub(in crate::render) fn metric(&self, scope: &Scope<'_>, at: usize) -> Result<Metric, String> {
        self.known_metric(scope, self.word(at)?)
    }

    /// A metric that the results have.
    pub(in crate::render) fn known_metric(&self, scope: &Scope<'_>, name: &str) -> Result<Metric, String> {
        let metric = Metric::new(name);
        let present = scope.results.metrics();
        if present.contains(&metric) {
            return Ok(metric);
        }
        let known = present.iter().map(|metric| format!("`{metric}`")).collect::<Vec<_>>().join(", ");
        Err(format!("no result has the metric `{name}`; there are {known}"))
    }

    /// The levels that are named, without the other arguments.
    pub(in crate::render) fn levels(
        &self,
        scope: &Scope<'_>,
        others: &[&str],
    ) -> Result<Vec<(String, String)>, String> {
        let mut levels = vec![];
        for (name, value) in self.named.iter().filter(|(name, _)| !others.contains(&name.as_str())) {
            if scope.experiment.matrix.levels(name).is_none() {
                return Err(format!("no factor is called `{name}`"));
            }
            levels.push((name.clone(), value.clone()));
        }
        Ok(levels)
    }
}
