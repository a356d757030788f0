//! Where a template mentions functions that show results: called or only named, with blanks or without, by way of
//! `{% set %}`, loops, filters and macros.

use std::collections::BTreeSet;

use minijinja::machinery::ast::{Call, CallArg, Expr, Macro, Stmt};
use minijinja::machinery::parse;

use super::Function;

/// A name that is used, and where.
struct Use<'a> {
    name: &'a str,
    at: usize,
}

/// Names that a statement gives a meaning, and the part of the template that it is made of.
struct Definition<'a> {
    names: Vec<&'a str>,
    within: std::ops::Range<usize>,
}

#[derive(Default)]
struct Names<'a> {
    uses: Vec<Use<'a>>,
    definitions: Vec<Definition<'a>>,
}

/// The places in a template, in bytes, that mention a function which shows results, or a name made with one. None where the
/// template cannot be parsed, which rendering reports.
pub(super) fn of_results(text: &str, functions: &[Function]) -> Vec<usize> {
    let Ok(template) = parse(text, "paper", Default::default()) else { return vec![] };
    let mut names = Names::default();
    names.statement(&template);
    let mut showing: BTreeSet<&str> =
        functions.iter().filter(|function| function.shows_results).map(|function| function.name).collect();
    loop {
        let is_made_with = |definition: &&Definition<'_>| {
            let inside = names.uses.iter().filter(|one| definition.within.contains(&one.at));
            inside.into_iter().any(|one| showing.contains(one.name))
        };
        let found = names.definitions.iter().filter(is_made_with).flat_map(|one| one.names.iter().copied());
        let found: Vec<&str> = found.filter(|name| !showing.contains(name)).collect();
        if found.is_empty() {
            break;
        }
        showing.extend(found);
    }
    names.uses.iter().filter(|one| showing.contains(one.name)).map(|one| one.at).collect()
}

impl<'a> Names<'a> {
    fn statements(&mut self, statements: &'a [Stmt<'a>]) {
        statements.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &'a Stmt<'a>) {
        match statement {
            Stmt::Template(one) => self.statements(&one.children),
            Stmt::EmitExpr(one) => self.expression(&one.expr),
            Stmt::ForLoop(one) => {
                self.define([&one.target], range(one.iter.span()));
                self.expression(&one.iter);
                one.filter_expr.iter().for_each(|filter| self.expression(filter));
                self.statements(&one.body);
                self.statements(&one.else_body);
            }
            Stmt::IfCond(one) => {
                self.expression(&one.expr);
                self.statements(&one.true_body);
                self.statements(&one.false_body);
            }
            Stmt::WithBlock(one) => {
                for (target, value) in &one.assignments {
                    self.define([target], range(value.span()));
                    self.expression(value);
                }
                self.statements(&one.body);
            }
            Stmt::Set(one) => {
                self.define([&one.target], range(one.expr.span()));
                self.expression(&one.expr);
            }
            Stmt::SetBlock(one) => {
                self.define([&one.target], range(one.span()));
                one.filter.iter().for_each(|filter| self.expression(filter));
                self.statements(&one.body);
            }
            Stmt::AutoEscape(one) => self.statements(&one.body),
            Stmt::FilterBlock(one) => {
                self.expression(&one.filter);
                self.statements(&one.body);
            }
            Stmt::Block(one) => self.statements(&one.body),
            Stmt::Macro(one) => self.macro_of(one, range(one.span())),
            Stmt::CallBlock(one) => {
                self.call(&one.call);
                self.macro_of(&one.macro_decl, range(one.span()));
            }
            Stmt::Do(one) => self.call(&one.call),
            // no other template is ever loaded
            Stmt::EmitRaw(_) | Stmt::Import(_) | Stmt::FromImport(_) | Stmt::Extends(_) | Stmt::Include(_) => {}
        }
    }

    fn macro_of(&mut self, one: &'a Macro<'a>, within: std::ops::Range<usize>) {
        self.definitions.push(Definition { names: vec![one.name], within });
        one.defaults.iter().for_each(|default| self.expression(default));
        self.statements(&one.body);
    }

    fn define<const N: usize>(&mut self, targets: [&'a Expr<'a>; N], within: std::ops::Range<usize>) {
        let mut names = vec![];
        let mut open: Vec<&Expr<'_>> = targets.to_vec();
        while let Some(target) = open.pop() {
            match target {
                Expr::Var(one) => names.push(one.id),
                Expr::List(one) => open.extend(&one.items),
                Expr::Tuple(one) => open.extend(&one.items),
                other => self.expression(other),
            }
        }
        self.definitions.push(Definition { names, within });
    }

    fn call(&mut self, one: &'a Call<'a>) {
        self.expression(&one.expr);
        self.arguments(&one.args);
    }

    fn arguments(&mut self, arguments: &'a [CallArg<'a>]) {
        for argument in arguments {
            match argument {
                CallArg::Pos(value)
                | CallArg::Kwarg(_, value)
                | CallArg::PosSplat(value)
                | CallArg::KwargSplat(value) => self.expression(value),
            }
        }
    }

    fn expression(&mut self, expression: &'a Expr<'a>) {
        let mut all = |parts: &[&'a Expr<'a>]| parts.iter().for_each(|part| self.expression(part));
        match expression {
            Expr::Var(one) => self.uses.push(Use { name: one.id, at: one.span().start_offset as usize }),
            Expr::Const(_) => {}
            Expr::Slice(one) => {
                all(&[&one.expr]);
                [&one.start, &one.stop, &one.step].into_iter().flatten().for_each(|part| self.expression(part));
            }
            Expr::UnaryOp(one) => all(&[&one.expr]),
            Expr::BinOp(one) => all(&[&one.left, &one.right]),
            Expr::Compare(one) => {
                all(&[&one.expr]);
                one.ops.iter().for_each(|part| self.expression(&part.expr));
            }
            Expr::IfExpr(one) => {
                all(&[&one.test_expr, &one.true_expr]);
                one.false_expr.iter().for_each(|part| self.expression(part));
            }
            Expr::Filter(one) => {
                one.expr.iter().for_each(|part| self.expression(part));
                self.arguments(&one.args);
            }
            Expr::Test(one) => {
                all(&[&one.expr]);
                self.arguments(&one.args);
            }
            Expr::GetAttr(one) => all(&[&one.expr]),
            Expr::GetItem(one) => all(&[&one.expr, &one.subscript_expr]),
            Expr::Call(one) => self.call(one),
            Expr::List(one) => one.items.iter().for_each(|part| self.expression(part)),
            Expr::Tuple(one) => one.items.iter().for_each(|part| self.expression(part)),
            Expr::Map(one) => one.keys.iter().chain(&one.values).for_each(|part| self.expression(part)),
        }
    }
}

fn range(span: minijinja::machinery::Span) -> std::ops::Range<usize> {
    span.start_offset as usize..span.end_offset as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    const FUNCTIONS: &[Function] =
        &[Function { name: "value", shows_results: true }, Function { name: "level", shows_results: false }];

    fn mentioned(text: &str) -> Vec<&str> {
        of_results(text, FUNCTIONS)
            .into_iter()
            .map(|at| text[at..].split(|one: char| !one.is_alphanumeric()).next().unwrap())
            .collect()
    }

    #[test]
    fn no_spelling_hides_a_function() {
        assert_eq!(mentioned("{{ value('x') }}"), ["value"]);
        assert_eq!(mentioned("{{ value   ('x') }}"), ["value"]);
        assert_eq!(mentioned("{% set v = value %}\n{{ v('x') }}"), ["value", "v"]);
        assert_eq!(mentioned("{% set v = value %}{% set w = v %}{{ w('x') }}"), ["value", "v", "w"]);
        assert_eq!(mentioned("{% for f in [value] %}{{ f('x') }}{% endfor %}"), ["value", "f"]);
        assert_eq!(mentioned("{{ 'x' | map(value) }}"), ["value"]);
        assert_eq!(mentioned("{% macro m(x) %}{{ value(x) }}{% endmacro %}{{ m('x') }}"), ["value", "m"]);
        assert_eq!(mentioned("{% with v = value %}{{ v('x') }}{% endwith %}"), ["value", "v"]);
        assert_eq!(mentioned("{% set v %}{{ value('x') }}{% endset %}{{ v }}"), ["value", "v"]);
        assert_eq!(mentioned("{% if value('x') %}a{% endif %}"), ["value"]);
        assert_eq!(mentioned("{{ {'a': value}['a']('x') }}"), ["value"]);
    }

    #[test]
    fn other_names_and_words_are_no_function() {
        assert!(
            mentioned(
                "The value( of it. {{ level('value', 'x') }} {# value('x') #}{% raw %}{{ value('x') }}{% endraw %}"
            )
            .is_empty()
        );
        assert!(mentioned("{% set v = level %}{{ v('a', 'b') }}").is_empty());
    }
}
