//! Quantities with their units, in whole base units.

use super::super::node::{Node, Value};
use super::Shape;
use super::problems::Problems;
use crate::quantity::{Quantity, QuantityError};
use crate::unit::{Dimension, Unit};
use serde_json::json;

/// The longest time: 1,000 hours.
pub(super) const TIME_NS_MAX: u64 = 3_600_000_000_000_000;

/// The largest size: 1,024 TiB.
pub(super) const SIZE_BYTES_MAX: u64 = 1 << 50;

/// Reads a quantity of a dimension, with the message that belongs to each mistake.
pub fn decode_quantity(node: &Node, dimension: Dimension, problems: &mut Problems) -> Option<Quantity> {
    let units = Unit::symbols(dimension).collect::<Vec<_>>();
    let help = format!(
        "Write a number and one of the units {}.",
        units.iter().map(|unit| format!("`{unit}`")).collect::<Vec<_>>().join(", ")
    );
    let text = match &node.value {
        Value::Number(text) => {
            let message = format!("the bare number `{text}` where a {dimension} with a unit belongs");
            problems.error("manifest::unit-missing", node.span, message, help);
            return None;
        }
        Value::Text(text) => text,
        _ => {
            problems.expected(node, &format!("a {dimension} with a unit"), &help);
            return None;
        }
    };
    Quantity::parse(text, dimension)
        .and_then(|quantity| quantity.whole_base_of(dimension).map(|()| quantity))
        .and_then(|quantity| {
            let most = if dimension == Dimension::Time { TIME_NS_MAX } else { SIZE_BYTES_MAX };
            let is_too_much = matches!(dimension, Dimension::Time | Dimension::Size) && quantity.whole_base()? > most;
            if is_too_much { Err(QuantityError::OutOfRange { text: text.clone() }) } else { Ok(quantity) }
        })
        .map_err(|error| {
            let code = match error {
                QuantityError::UnitMissing { .. } => "manifest::unit-missing",
                _ => "manifest::quantity",
            };
            problems.error(code, node.span, format!("{error}, expected a {dimension}"), help);
        })
        .ok()
}

/// A quantity type of one dimension, in whole base units.
macro_rules! quantity_shape {
    ($(#[$doc:meta])* $name:ident, $dimension:expr, $pattern:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name(Quantity);

        impl $name {
            /// In base units.
            pub fn base(&self) -> u64 {
                self.0.whole_base().unwrap_or(0)
            }

            /// As written.
            pub fn quantity(&self) -> &Quantity {
                &self.0
            }
        }

        impl Shape for $name {
            fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
                decode_quantity(node, $dimension, problems).map(Self)
            }

            fn schema() -> serde_json::Value {
                json!({"type": "string", "pattern": $pattern})
            }
        }
    };
}

quantity_shape!(
    /// An amount of data; base unit byte.
    Size, Dimension::Size, "^[0-9.]+ ?(B|KiB|MiB|GiB|TiB|kB|MB|GB|TB)$"
);

quantity_shape!(
    /// A length of time; base unit nanosecond.
    Time, Dimension::Time, "^[0-9.]+ ?(ns|µs|us|ms|s|min|h)$"
);

/// A share in percent, exact.
#[derive(Debug, Clone, PartialEq)]
pub struct Share(Quantity);

impl Share {
    /// As a fraction of one.
    pub fn fraction(&self) -> f64 {
        self.0.in_base().to_float()
    }

    /// As written.
    pub fn quantity(&self) -> &Quantity {
        &self.0
    }
}

impl Shape for Share {
    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        decode_quantity(node, Dimension::Share, problems).map(Self)
    }

    fn schema() -> serde_json::Value {
        json!({"type": "string", "pattern": "^[0-9.]+ ?%$"})
    }
}
