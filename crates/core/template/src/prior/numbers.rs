//! Numbers that are declared once: `name => value`.

/// Declares the numbers of something: a list of their names, and a function of their values in the same order.
macro_rules! numbers {
    (
        $(#[$doc:meta])*
        $names:ident, $function:ident($of:ident: $type:ty) {
            $($name:ident => $value:expr,)*
        }
    ) => {
        /// The names of the numbers.
        pub(crate) const $names: [&str; [$(stringify!($name)),*].len()] =
            [$(stringify!($name)),*];

        $(#[$doc])*
        pub(crate) fn $function($of: $type) -> [i16; $names.len()] {
            [$($value),*]
        }
    };
}

pub(crate) use numbers;
