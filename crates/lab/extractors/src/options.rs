//! The options of an extractor.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// The reason why an option cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OptionProblem {
    /// The text is not a key and a value.
    #[error("{text:?} is not an option KEY=VALUE")]
    Form {
        /// The text.
        text: String,
    },
    /// The extractor does not have the option.
    #[error("no option is called {key:?}; {}", known_keys(known))]
    Unknown {
        /// The unknown key.
        key: String,
        /// The keys of the extractor.
        known: Vec<&'static str>,
    },
    /// An option was given twice.
    #[error("option {key} is given twice")]
    Repeated {
        /// The key.
        key: String,
    },
    /// The value is not one of the expected values.
    #[error("{key}={value}: expected {expected}")]
    Value {
        /// The key.
        key: String,
        /// The value as given.
        value: String,
        /// The expected values.
        expected: String,
    },
    /// The option has an effect only together with another one.
    #[error("{key} needs {needed}")]
    Needs {
        /// The key.
        key: &'static str,
        /// The other option, with its value.
        needed: &'static str,
    },
}

fn known_keys(known: &[&str]) -> String {
    match known {
        [] => "the extractor has no options".to_owned(),
        _ => format!("the options are {}", known.join(", ")),
    }
}

/// The options of an extractor, which takes those that it knows.
#[derive(Debug)]
pub(crate) struct Options<'a> {
    given: Vec<(&'a str, &'a str)>,
    /// The keys that the extractor asked for.
    known: Vec<&'static str>,
}

impl<'a> Options<'a> {
    pub(crate) fn parse(text: &'a str) -> Result<Self, OptionProblem> {
        let mut given: Vec<(&str, &str)> = Vec::new();
        for option in text.split(',') {
            let parts = option
                .split_once('=')
                .map(|(key, value)| (key.trim(), value.trim()));
            let Some((key, value)) = parts.filter(|(key, _)| !key.is_empty()) else {
                return Err(OptionProblem::Form {
                    text: option.to_owned(),
                });
            };
            if given.iter().any(|(other, _)| *other == key) {
                return Err(OptionProblem::Repeated {
                    key: key.to_owned(),
                });
            }
            given.push((key, value));
        }
        Ok(Self {
            given,
            known: Vec::new(),
        })
    }

    /// Takes the value of a key, if it is given.
    fn take(&mut self, key: &'static str) -> Option<&'a str> {
        self.known.push(key);
        let at = self.given.iter().position(|(given, _)| *given == key)?;
        Some(self.given.remove(at).1)
    }

    /// Takes a whole number in a range.
    pub(crate) fn whole<T>(
        &mut self,
        key: &'static str,
        range: RangeInclusive<T>,
    ) -> Result<Option<T>, OptionProblem>
    where
        T: FromStr + PartialOrd + Display,
    {
        self.number(key, "a whole number", range)
    }

    /// Takes a decimal number in a range.
    pub(crate) fn decimal(
        &mut self,
        key: &'static str,
        range: RangeInclusive<f64>,
    ) -> Result<Option<f64>, OptionProblem> {
        self.number(key, "a number", range)
    }

    fn number<T>(
        &mut self,
        key: &'static str,
        kind: &str,
        range: RangeInclusive<T>,
    ) -> Result<Option<T>, OptionProblem>
    where
        T: FromStr + PartialOrd + Display,
    {
        let Some(value) = self.take(key) else {
            return Ok(None);
        };
        match value.parse() {
            Ok(number) if range.contains(&number) => Ok(Some(number)),
            _ => Err(OptionProblem::Value {
                key: key.to_owned(),
                value: value.to_owned(),
                expected: format!("{kind} from {} to {}", range.start(), range.end()),
            }),
        }
    }

    /// Takes one of the named values.
    pub(crate) fn one_of<T: Copy>(
        &mut self,
        key: &'static str,
        values: &[(&str, T)],
    ) -> Result<Option<T>, OptionProblem> {
        let Some(given) = self.take(key) else {
            return Ok(None);
        };
        match values.iter().find(|(name, _)| *name == given) {
            Some((_, value)) => Ok(Some(*value)),
            None => Err(OptionProblem::Value {
                key: key.to_owned(),
                value: given.to_owned(),
                expected: (values.iter().map(|(name, _)| *name))
                    .collect::<Vec<_>>()
                    .join(" or "),
            }),
        }
    }

    /// Refuses the options that nothing has taken.
    pub(crate) fn finish(&mut self) -> Result<(), OptionProblem> {
        if self.given.is_empty() {
            Ok(())
        } else {
            Err(self.unknown())
        }
    }

    /// The error for the first option that nothing has taken.
    pub(crate) fn unknown(&self) -> OptionProblem {
        OptionProblem::Unknown {
            key: (self.given.first()).map_or_else(String::new, |(key, _)| (*key).to_owned()),
            known: self.known.clone(),
        }
    }
}
