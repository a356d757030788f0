//! Values of expressions, and their arithmetic over intervals.

use super::{BITS_MAX, EXPONENT_MAX, Number, Scope, Truth, Value};
use crate::exact::Exact;
use crate::interval::Interval;
use crate::printed::{DecimalMark, Dim, Printed};
use minijinja::machinery::ast::{BinOpKind, CompareOpKind};

pub(super) fn quantity(arguments: &[Value]) -> Result<Value, String> {
    let [Value::Text(text)] = arguments else { return Err("quantity wants one text, such as '16 KiB'".into()) };
    let printed = Printed::parse(text, DecimalMark::Point, None).map_err(|error| error.to_string())?;
    Ok(Value::Number(Number { interval: Interval::exactly(printed.value().clone()), dim: printed.dim() }))
}

pub(super) fn absolute(number: Number) -> Value {
    let zero = Interval::exactly(Exact::from_integer(0));
    let interval = number.interval.max(&(&zero - &number.interval));
    Value::Number(Number { interval, dim: number.dim })
}

/// A number, or the reason why it is not known.
pub(super) fn number(value: Option<Value>) -> Result<Result<Number, String>, String> {
    match value {
        Some(Value::Number(number)) => Ok(Ok(number)),
        Some(Value::Threshold(number, at)) => Ok(Ok(Number { interval: Interval::exactly(at), dim: number.dim })),
        Some(Value::Unknown(reason)) => Ok(Err(reason)),
        Some(other) => Err(format!("{} where a number belongs", other.kind())),
        None => Err("a number is missing".into()),
    }
}

pub(super) fn fold(name: &str, items: Vec<Value>) -> Result<Value, String> {
    let count = items.len();
    let mut folded: Option<Number> = None;
    for item in items {
        let next = match number(Some(item))? {
            Ok(next) => next,
            Err(reason) => return Ok(Value::Unknown(reason)),
        };
        folded = Some(match folded {
            None => next,
            Some(before) if before.dim != next.dim => return Err(format!("{} beside {}", before.dim, next.dim)),
            Some(before) => {
                let interval = match name {
                    "min" => before.interval.min(&next.interval),
                    "max" => before.interval.max(&next.interval),
                    _ => &before.interval + &next.interval,
                };
                Number { interval, ..before }
            }
        });
    }
    let Some(mut number) = folded else { return Ok(Value::Unknown("the list is empty".into())) };
    if name == "mean" {
        number.interval = &number.interval * &Interval::exactly(Exact::from_ratio(1, count as u64));
    }
    Ok(Value::Number(number))
}

/// `not` of an answer, or the negative of a number.
pub(super) fn unary(is_not: bool, value: Value) -> Result<Value, String> {
    match (is_not, value) {
        (_, Value::Unknown(reason)) => Ok(Value::Unknown(reason)),
        (true, Value::Truth(truth)) => Ok(Value::Truth(match truth {
            Truth::True => Truth::False,
            Truth::Possible => Truth::Possible,
            Truth::False => Truth::True,
        })),
        (false, value @ (Value::Number(_) | Value::Threshold(..))) => {
            let Ok(number) = number(Some(value))? else { return Ok(Value::Unknown(String::new())) };
            let zero = Interval::exactly(Exact::from_integer(0));
            Ok(Value::Number(Number { interval: &zero - &number.interval, dim: number.dim }))
        }
        (_, other) => Err(format!("{} where it can not stand", other.kind())),
    }
}

/// Both hold.
pub(super) fn both(one: Value, other: Value) -> Result<Value, String> {
    match (one, other) {
        (Value::Truth(Truth::False), _) | (_, Value::Truth(Truth::False)) => Ok(Value::Truth(Truth::False)),
        (Value::Unknown(reason), _) | (_, Value::Unknown(reason)) => Ok(Value::Unknown(reason)),
        (Value::Truth(Truth::True), Value::Truth(Truth::True)) => Ok(Value::Truth(Truth::True)),
        (Value::Truth(_), Value::Truth(_)) => Ok(Value::Truth(Truth::Possible)),
        (one, other) => Err(format!("{} and {} where answers belong", one.kind(), other.kind())),
    }
}

pub(super) fn binary(operator: BinOpKind, left: Value, right: Value, scope: &dyn Scope) -> Result<Value, String> {
    match operator {
        BinOpKind::ScAnd => return both(left, right),
        BinOpKind::ScOr => {
            let neither = both(unary(true, left)?, unary(true, right)?)?;
            return unary(true, neither);
        }
        BinOpKind::Eq => return compared(CompareOpKind::Eq, &left, &right, scope),
        BinOpKind::Ne => return compared(CompareOpKind::Ne, &left, &right, scope),
        BinOpKind::Lt => return compared(CompareOpKind::Lt, &left, &right, scope),
        BinOpKind::Lte => return compared(CompareOpKind::Lte, &left, &right, scope),
        BinOpKind::Gt => return compared(CompareOpKind::Gt, &left, &right, scope),
        BinOpKind::Gte => return compared(CompareOpKind::Gte, &left, &right, scope),
        BinOpKind::In => return compared(CompareOpKind::In, &left, &right, scope),
        _ => {}
    }
    let (left, right) = match (number(Some(left))?, number(Some(right))?) {
        (Ok(left), Ok(right)) => (left, right),
        (Err(reason), _) | (_, Err(reason)) => return Ok(Value::Unknown(reason)),
    };
    arithmetic(operator, &left, &right)
}

pub(super) fn arithmetic(operator: BinOpKind, left: &Number, right: &Number) -> Result<Value, String> {
    let given = |interval, dim| Ok(Value::Number(Number { interval, dim }));
    let joined = |sign: i8| {
        let bytes = left.dim.bytes.checked_add(sign * right.dim.bytes);
        let seconds = left.dim.seconds.checked_add(sign * right.dim.seconds);
        bytes.zip(seconds).map(|(bytes, seconds)| Dim { bytes, seconds }).ok_or("too high a power of a unit")
    };
    match operator {
        BinOpKind::Add | BinOpKind::Sub if left.dim != right.dim => {
            Err(format!("{} and {} can not be added", left.dim, right.dim))
        }
        BinOpKind::Add => given(&left.interval + &right.interval, left.dim),
        BinOpKind::Sub => given(&left.interval - &right.interval, left.dim),
        BinOpKind::Mul => given(&left.interval * &right.interval, joined(1)?),
        BinOpKind::Div => match left.interval.divide(&right.interval) {
            Some(interval) => given(interval, joined(-1)?),
            None => Ok(Value::Unknown("the divisor may be zero".into())),
        },
        BinOpKind::Pow => {
            let exponent = right.interval.low().to_u64().filter(|_| right.interval.width().is_zero());
            let bits = left.interval.low().bits().max(left.interval.high().bits());
            match exponent {
                Some(exponent) if bits.saturating_mul(exponent) > BITS_MAX => Err("the power is too great".into()),
                Some(exponent) if exponent <= EXPONENT_MAX && left.dim == Dim::NONE => {
                    let one = Interval::exactly(Exact::from_integer(1));
                    given((0..exponent).fold(one, |power, _| &power * &left.interval), Dim::NONE)
                }
                _ => Err(format!("a power wants a pure number and a whole exponent of at most {EXPONENT_MAX}")),
            }
        }
        _ => Err("this operator is not read in a claim".into()),
    }
}

/// A comparison; the scope is told where it does not hold.
pub(super) fn compared(
    operator: CompareOpKind,
    left: &Value,
    right: &Value,
    scope: &dyn Scope,
) -> Result<Value, String> {
    let (left, right) = (&compared_as(operator, left), &compared_as(operator, right));
    let found = compare(operator, left, right)?;
    if let (Value::Truth(Truth::False), Value::Number(left), Value::Number(right)) = (&found, left, right) {
        scope.failed(left, right);
    }
    Ok(found)
}

/// What a side of a comparison is: a threshold is what it names where something should be it, and exact otherwise.
pub(super) fn compared_as(operator: CompareOpKind, value: &Value) -> Value {
    match (operator, value) {
        (CompareOpKind::Eq | CompareOpKind::Ne, Value::Threshold(number, _)) => Value::Number(number.clone()),
        (_, Value::Threshold(number, at)) => {
            Value::Number(Number { interval: Interval::exactly(at.clone()), dim: number.dim })
        }
        (_, other) => other.clone(),
    }
}

pub(super) fn compare(operator: CompareOpKind, left: &Value, right: &Value) -> Result<Value, String> {
    if let (CompareOpKind::In | CompareOpKind::NotIn, Value::List(items)) = (operator, right) {
        let mut none = Value::Truth(Truth::True);
        for item in items {
            none = both(none, compare(CompareOpKind::Ne, left, item)?)?;
        }
        return if matches!(operator, CompareOpKind::In) { unary(true, none) } else { Ok(none) };
    }
    match (left, right) {
        (Value::Unknown(reason), _) | (_, Value::Unknown(reason)) => Ok(Value::Unknown(reason.clone())),
        (Value::Number(left), Value::Number(right)) => {
            if left.dim != right.dim {
                return Err(format!("{} and {} can not be compared", left.dim, right.dim));
            }
            Ok(Value::Truth(order(operator, &left.interval, &right.interval)?))
        }
        (Value::Text(_), Value::Text(_)) | (Value::Truth(_), Value::Truth(_)) => match operator {
            CompareOpKind::Eq => Ok(Value::Truth(if left == right { Truth::True } else { Truth::False })),
            CompareOpKind::Ne => Ok(Value::Truth(if left == right { Truth::False } else { Truth::True })),
            _ => Err("words have no order".into()),
        },
        _ => Err(format!("{} and {} can not be compared", left.kind(), right.kind())),
    }
}

/// The order of two intervals; the low and high bounds decide where they are apart.
pub(super) fn order(operator: CompareOpKind, left: &Interval, right: &Interval) -> Result<Truth, String> {
    let answer = |always: bool, never: bool| match (always, never) {
        (true, _) => Truth::True,
        (_, true) => Truth::False,
        _ => Truth::Possible,
    };
    let are_points = left == right && left.width().is_zero();
    Ok(match operator {
        CompareOpKind::Lt => answer(left.high() < right.low(), left.low() >= right.high()),
        CompareOpKind::Lte => answer(left.high() <= right.low(), left.low() > right.high()),
        CompareOpKind::Gt => answer(left.low() > right.high(), left.high() <= right.low()),
        CompareOpKind::Gte => answer(left.low() >= right.high(), left.high() < right.low()),
        CompareOpKind::Eq => answer(are_points, !left.overlaps(right)),
        CompareOpKind::Ne => answer(!left.overlaps(right), are_points),
        CompareOpKind::In | CompareOpKind::NotIn => return Err("`in` wants a list".into()),
    })
}
