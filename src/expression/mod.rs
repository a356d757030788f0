//! Expressions of claims: minijinja's syntax, with intervals for numbers and three answers for a comparison.
//!
//! The text is read by minijinja's own parser and evaluated here, so that no verdict rests on binary floating point. A
//! comparison is true or false only where it is so for every value that the printed digits allow. Nothing is looked up
//! but what the scope gives, and work is bounded by the length of the text.

mod value;

use crate::exact::Exact;
use crate::interval::Interval;
use crate::printed::{Dim, Printed, Qualifier, Shortening};
use minijinja::machinery::ast::{Call, CallArg, Expr, UnaryOpKind};
use minijinja::machinery::parse_expr;
use std::collections::BTreeMap;

use value::{absolute, binary, both, compared, fold, number, quantity, unary};

/// The longest expression, in bytes.
pub const LENGTH_MAX: usize = 4000;

/// The most bits of a number, so that powers of powers end.
const BITS_MAX: u64 = 20_000;

/// The greatest exponent of a power.
const EXPONENT_MAX: u64 = 16;

/// Whether something holds for the values behind printed digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Truth {
    /// For none of them.
    False,
    /// For some of them.
    Possible,
    /// For all of them.
    True,
}

/// A number with what it may be compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Number {
    /// The values it may have, in bytes and seconds.
    pub interval: Interval,
    /// Its powers of byte and second.
    pub dim: Dim,
}

/// What an expression is about.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A number.
    Number(Number),
    /// `over 30 %`, `up to 27 %`: the number that is named, as rounded where something should be it, and exact where something
    /// should be above or below.
    Threshold(Number, Exact),
    /// Words.
    Text(String),
    /// An answer.
    Truth(Truth),
    /// Several.
    List(Vec<Value>),
    /// Named values: a row of a table.
    Record(BTreeMap<String, Value>),
    /// Not printed, not disclosed, or not computable; with the reason.
    Unknown(String),
}

/// What an expression can refer to.
pub trait Scope {
    /// The value of a name.
    fn variable(&self, name: &str) -> Option<Value>;
    /// The value of a function that is not one of [`FUNCTIONS`]; `None` where there is none.
    fn call(&self, name: &str, arguments: &[Value], named: &[(String, Value)]) -> Option<Result<Value, String>>;
    /// The names that may have been meant.
    fn names(&self) -> Vec<String>;
    /// Told of every comparison of two numbers that does not hold: the left side, and the right one.
    fn failed(&self, _left: &Number, _right: &Number) {}
}

/// The functions of every scope: name and what it gives.
pub const FUNCTIONS: &[(&str, &str)] = &[
    ("min", "the least of a list or of the arguments"),
    ("max", "the greatest"),
    ("sum", "the sum"),
    ("mean", "the arithmetic mean"),
    ("count", "how many a list holds"),
    ("abs", "the number without its sign"),
    ("quantity", "a number with a unit, exact: quantity('16 KiB')"),
];

impl Value {
    /// An exact pure number.
    pub fn exact(value: Exact) -> Self {
        Self::Number(Number { interval: Interval::exactly(value), dim: Dim::NONE })
    }

    /// A printed number under a reading.
    pub fn printed(printed: &Printed, shortening: Shortening) -> Self {
        let number = Number { interval: printed.named(shortening), dim: printed.dim() };
        match printed.qualifier() {
            Qualifier::AtLeast | Qualifier::AtMost => Self::Threshold(number, printed.value().clone()),
            Qualifier::Plain | Qualifier::About => Self::Number(number),
        }
    }

    fn kind(&self) -> &'static str {
        match self {
            Self::Number(_) | Self::Threshold(..) => "a number",
            Self::Text(_) => "a text",
            Self::Truth(_) => "an answer",
            Self::List(_) => "a list",
            Self::Record(_) => "a row",
            Self::Unknown(_) => "not known",
        }
    }
}

/// Whether an expression can be read at all.
pub fn check(text: &str) -> Result<(), String> {
    parsed(text).map(|_| ())
}

/// Evaluates an expression.
pub fn evaluate(text: &str, scope: &dyn Scope) -> Result<Value, String> {
    value_of(&parsed(text)?, scope)
}

/// Whether an expression chooses by `if`.
pub fn has_condition(text: &str) -> bool {
    fn walk(expression: &Expr<'_>) -> bool {
        match expression {
            Expr::IfExpr(_) => true,
            Expr::UnaryOp(one) => walk(&one.expr),
            Expr::BinOp(one) => walk(&one.left) || walk(&one.right),
            Expr::Compare(one) => walk(&one.expr) || one.ops.iter().any(|next| walk(&next.expr)),
            Expr::GetAttr(one) => walk(&one.expr),
            Expr::List(one) => one.items.iter().any(walk),
            Expr::Call(one) => one.args.iter().any(|argument| match argument {
                CallArg::Pos(inner)
                | CallArg::Kwarg(_, inner)
                | CallArg::PosSplat(inner)
                | CallArg::KwargSplat(inner) => walk(inner),
            }),
            _ => false,
        }
    }
    parsed(text).is_ok_and(|expression| walk(&expression))
}

fn parsed(text: &str) -> Result<Expr<'_>, String> {
    if text.len() > LENGTH_MAX {
        return Err(format!("{} bytes, more than the {LENGTH_MAX} that are read", text.len()));
    }
    parse_expr(text).map_err(|error| error.detail().unwrap_or("the expression can not be read").to_owned())
}

fn value_of(expression: &Expr<'_>, scope: &dyn Scope) -> Result<Value, String> {
    match expression {
        Expr::Var(one) => scope.variable(one.id).ok_or_else(|| unknown_name(one.id, scope)),
        Expr::Const(one) => constant(&one.value),
        Expr::UnaryOp(one) => unary(matches!(one.op, UnaryOpKind::Not), value_of(&one.expr, scope)?),
        Expr::BinOp(one) => binary(one.op, value_of(&one.left, scope)?, value_of(&one.right, scope)?, scope),
        Expr::Compare(one) => {
            let mut left = value_of(&one.expr, scope)?;
            let mut all = Value::Truth(Truth::True);
            for next in &one.ops {
                let right = value_of(&next.expr, scope)?;
                all = both(all, compared(next.op, &left, &right, scope)?)?;
                left = right;
            }
            Ok(all)
        }
        Expr::IfExpr(one) => match value_of(&one.test_expr, scope)? {
            Value::Truth(Truth::True) => value_of(&one.true_expr, scope),
            Value::Truth(Truth::False) => one
                .false_expr
                .as_ref()
                .map_or(Ok(Value::Unknown("no other case".into())), |other| value_of(other, scope)),
            Value::Truth(Truth::Possible) => Ok(Value::Unknown("the condition is not decided by the digits".into())),
            Value::Unknown(reason) => Ok(Value::Unknown(reason)),
            other => Err(format!("{} where an answer belongs", other.kind())),
        },
        Expr::GetAttr(one) => attribute(value_of(&one.expr, scope)?, one.name),
        Expr::List(one) => {
            Ok(Value::List(one.items.iter().map(|item| value_of(item, scope)).collect::<Result<_, _>>()?))
        }
        Expr::Call(one) => call(one, scope),
        other => Err(format!("a {} is not read in a claim", other.description())),
    }
}

fn unknown_name(name: &str, scope: &dyn Scope) -> String {
    let names = scope.names();
    match crate::name::nearest(name, names.iter().map(String::as_str)) {
        Some(meant) => format!("`{name}` is not defined; did you mean `{meant}`?"),
        None => format!("`{name}` is not defined; known are {}", names.join(", ")),
    }
}

fn constant(value: &minijinja::Value) -> Result<Value, String> {
    if let Some(text) = value.as_str() {
        return Ok(Value::Text(text.to_owned()));
    }
    match value.to_string().as_str() {
        "true" | "True" => Ok(Value::Truth(Truth::True)),
        "false" | "False" => Ok(Value::Truth(Truth::False)),
        text => Exact::parse(text).map(Value::exact).map_err(|error| error.to_string()),
    }
}

fn attribute(value: Value, name: &str) -> Result<Value, String> {
    match value {
        Value::Record(fields) => fields.get(name).cloned().ok_or_else(|| {
            let known: Vec<&str> = fields.keys().map(String::as_str).collect();
            format!("a row has no column or fact `{name}`; it has {}", known.join(", "))
        }),
        Value::Unknown(reason) => Ok(Value::Unknown(reason)),
        other => Err(format!("{} has no `{name}`", other.kind())),
    }
}

fn call(call: &Call<'_>, scope: &dyn Scope) -> Result<Value, String> {
    let Expr::Var(function) = &call.expr else { return Err("only a function can be called".into()) };
    let (mut arguments, mut named) = (vec![], vec![]);
    for argument in &call.args {
        match argument {
            CallArg::Pos(inner) => arguments.push(value_of(inner, scope)?),
            CallArg::Kwarg(name, inner) => named.push(((*name).to_owned(), value_of(inner, scope)?)),
            CallArg::PosSplat(_) | CallArg::KwargSplat(_) => return Err("`*` is not read in a claim".into()),
        }
    }
    if let Some(found) = scope.call(function.id, &arguments, &named) {
        return found;
    }
    builtin(function.id, arguments).unwrap_or_else(|| Err(format!("there is no function `{}`", function.id)))
}

fn builtin(name: &str, arguments: Vec<Value>) -> Option<Result<Value, String>> {
    let items = match arguments.as_slice() {
        [Value::List(items)] => items.clone(),
        _ => arguments.clone(),
    };
    Some(match name {
        "count" => Ok(Value::exact(Exact::from_integer(items.len() as i128))),
        "quantity" => quantity(&arguments),
        "abs" => number(arguments.into_iter().next()).map(|found| found.map_or_else(Value::Unknown, absolute)),
        "min" | "max" | "sum" | "mean" => fold(name, items),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::printed::DecimalMark;

    struct Names;
    impl Scope for Names {
        fn variable(&self, name: &str) -> Option<Value> {
            let token = match name {
                "peak" => "12.8 GB/s",
                "other" => "9.3 GB/s",
                "gain" => "38 %",
                "link" => "126 Gbit/s",
                "hidden" => return Some(Value::Unknown("not disclosed".into())),
                _ => return None,
            };
            Some(Value::printed(&Printed::parse(token, DecimalMark::Point, None).unwrap(), Shortening::Rounded))
        }
        fn call(&self, _: &str, _: &[Value], _: &[(String, Value)]) -> Option<Result<Value, String>> {
            None
        }
        fn names(&self) -> Vec<String> {
            vec!["peak".into(), "other".into(), "gain".into()]
        }
    }

    fn truth(text: &str) -> Result<Value, String> {
        evaluate(text, &Names)
    }

    #[test]
    fn comparisons_have_three_answers() {
        assert_eq!(truth("peak / other - 1 == gain"), Ok(Value::Truth(Truth::Possible)));
        assert_eq!(truth("peak / other - 1 == gain + 0.05"), Ok(Value::Truth(Truth::False)));
        assert_eq!(truth("peak < link and peak > other"), Ok(Value::Truth(Truth::True)));
        assert_eq!(truth("other < peak < link"), Ok(Value::Truth(Truth::True)));
        assert_eq!(truth("not (peak < other) or hidden > 1"), Ok(Value::Truth(Truth::True)));
        assert!(matches!(truth("hidden > 1"), Ok(Value::Unknown(_))));
        assert_eq!(
            truth("max([1, 3, 2]) == 3 and mean(1, 2) == 1.5 and 13 / 10 == 1.3"),
            Ok(Value::Truth(Truth::True))
        );
        assert_eq!(truth("peak == quantity('12.8 GB/s')"), Ok(Value::Truth(Truth::Possible)));
    }

    #[test]
    fn what_can_not_be_is_said() {
        assert!(truth("peak + gain").unwrap_err().contains("can not be added"));
        assert!(truth("peek > 1").unwrap_err().contains("did you mean `peak`"));
        assert!(truth("peak > 1").unwrap_err().contains("can not be compared"));
        assert!(truth("peak >").is_err());
        assert!(truth("2 ** 99999").is_err());
        assert!(truth("'a' | upper").is_err());
        assert!(matches!(truth("1 / (gain - gain)"), Ok(Value::Unknown(_))));
    }

    #[test]
    fn a_long_or_deep_text_ends() {
        assert!(truth(&"(".repeat(3000)).is_err());
        assert!(truth(&"1+".repeat(3000)).is_err());
        let tower = format!("{}3{} > 1", "(".repeat(12), " ** 16)".repeat(12));
        assert!(truth(&tower).unwrap_err().contains("too great"), "{:?}", truth(&tower));
    }
}
