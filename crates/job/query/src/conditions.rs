//! Conditions on dates and domains.

use chrono::NaiveDate;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::{Expr, ident, lit};
use tables::{DateRange, days_from_date};

/// The condition for rows from `date` on.
pub(crate) fn from(date: NaiveDate) -> Expr {
    ident("date").gt_eq(day(date))
}

/// The condition for rows on `dates`.
pub(crate) fn within(dates: DateRange) -> Expr {
    ident("date").between(day(dates.first()), day(dates.last()))
}

/// The condition for rows of `domain`.
pub(crate) fn of_domain(domain: &str) -> Expr {
    ident("domain").eq(lit(domain))
}

/// A date as a value.
pub(crate) fn day(date: NaiveDate) -> Expr {
    Expr::Literal(ScalarValue::Date32(Some(days_from_date(date))), None)
}
