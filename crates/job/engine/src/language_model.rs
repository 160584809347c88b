//! The user's model of languages, in the format of fastText.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use boundary::{ParserPanic, UNKNOWN, guarded};
use fasttext::FastText;
use text::language::Labelled;

use crate::spec::SpecError;

/// Characters that are read at most, as by the default: a language is as clear after a thousand.
const CHARS: usize = text::language::CHARS;

/// A model that is read when the first text needs it: commands that read only tables name it too.
pub struct LanguageModel {
    path: PathBuf,
    read: OnceLock<Result<FastText, String>>,
}

impl std::fmt::Debug for LanguageModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "LanguageModel({})", self.path.display())
    }
}

impl LanguageModel {
    pub(crate) fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            read: OnceLock::new(),
        }
    }

    /// Reads the model, which then stays in memory.
    ///
    /// # Errors
    /// [`SpecError`] if it cannot be read, or has no labels.
    pub(crate) fn read(&self) -> Result<&FastText, SpecError> {
        let read = self.read.get_or_init(|| read(&self.path));
        read.as_ref().map_err(|error| {
            let path = self.path.display();
            let expected = format!(
                "cannot read `{path}`: {error}; expected a model of fastText that names languages, such as GlotLID's \
                 model.bin or lid.176.ftz, on each machine that runs the job"
            );
            SpecError::key("output.language_model", expected)
        })
    }
}

fn read(path: &Path) -> Result<FastText, String> {
    let model = guarded("a model of fastText", UNKNOWN, || {
        FastText::load_model(path)
    });
    let model = model.map_err(|error| error.to_string())?;
    let model = model.map_err(|error| error.to_string())?;
    match model.get_labels().0.is_empty() {
        true => Err("it has no labels".to_owned()),
        false => Ok(model),
    }
}

/// Finds the languages of texts as the job says.
pub(crate) enum Detector<'m> {
    /// The job writes no languages.
    None,
    Trigrams,
    Model(&'m FastText),
}

impl<'m> Detector<'m> {
    /// Returns the detector of a job that writes languages or not.
    ///
    /// # Errors
    /// As [`LanguageModel::read`].
    pub(crate) fn new(
        writes_language: bool,
        model: Option<&'m LanguageModel>,
    ) -> Result<Self, SpecError> {
        Ok(match model {
            _ if !writes_language => Self::None,
            None => Self::Trigrams,
            Some(model) => Self::Model(model.read()?),
        })
    }

    /// Returns the language of a text and how sure that is; `None` for a text that says too little.
    ///
    /// # Errors
    /// [`ParserPanic`] if the model has numbers that fastText does not expect.
    pub(crate) fn detect(&self, text: &str) -> Result<Option<(Labelled, f64)>, ParserPanic> {
        match self {
            Self::None => Ok(None),
            Self::Trigrams => Ok(text::language::detect(text).map(|language| {
                let (code, label) = (language.code.to_owned(), language.label());
                (Labelled { code, label }, f64::from(language.score))
            })),
            Self::Model(model) => by_model(model, text),
        }
    }
}

fn by_model(model: &FastText, text: &str) -> Result<Option<(Labelled, f64)>, ParserPanic> {
    let start: String = text.chars().take(CHARS).collect();
    // fastText ends a text at the end of its line.
    let line = start.replace(['\n', '\r'], " ");
    let said = guarded("fastText", line.as_bytes(), || model.predict(&line, 1, 0.0))?;
    // Digits after the fourth differ between processors.
    let score = |probability: f32| (f64::from(probability.clamp(0.0, 1.0)) * 1e4).round() / 1e4;
    let first = said.into_iter().next();
    Ok(first.map(|said| (Labelled::new(&said.label, &line), score(said.prob))))
}
