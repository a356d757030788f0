//! The words of papers and reports: one file a language, one name a sentence.
//!
//! A file holds messages of [Project Fluent](https://projectfluent.org). A message has the name of its [`Word`], and names
//! what is put in: `Waiver = Run { $run } was made although …`. A language may put arguments in another order, and choose
//! a form by a number. A new language is a file beside this one and a line in [`LANGUAGES`].

mod word;

use std::sync::LazyLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};

pub use word::Word;

/// Each language by its code (BCP 47), with its file. The first is English.
const LANGUAGES: &[(&str, &str)] = &[
    ("en", include_str!("en.ftl")), //
];

static READ: LazyLock<Vec<Language>> =
    LazyLock::new(|| LANGUAGES.iter().map(|(code, file)| Language::read(code, file)).collect());

/// What a text argument is: words, or a number that a language may choose a form by.
pub type Argument<'a> = FluentValue<'a>;

/// The words of one language.
pub struct Language {
    /// BCP 47.
    pub code: &'static str,
    bundle: FluentBundle<FluentResource>,
}

/// A part of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece<A> {
    /// Words of the language.
    Text(String),
    /// What was put in.
    Argument(A),
}

impl std::fmt::Debug for Language {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.code)
    }
}

impl PartialEq for Language {
    fn eq(&self, other: &Self) -> bool {
        self.code == other.code
    }
}

impl Default for &Language {
    fn default() -> Self {
        english()
    }
}

/// Every language.
#[cfg(test)]
pub(crate) fn languages() -> impl Iterator<Item = &'static Language> {
    READ.iter()
}

/// The language that papers and reports are written in.
pub fn english() -> &'static Language {
    &READ[0]
}

impl Language {
    fn read(code: &'static str, file: &str) -> Self {
        // what cannot be read is missing, which a test refuses
        let resource = FluentResource::try_new(file.to_owned()).unwrap_or_else(|(resource, _)| resource);
        let mut bundle = FluentBundle::new_concurrent(vec![code.parse().unwrap_or_default()]);
        bundle.set_use_isolating(false);
        bundle.add_resource_overriding(resource);
        Self { code, bundle }
    }

    /// The sentence as plain text.
    pub fn text(&self, word: Word<Argument<'_>>) -> String {
        let (name, arguments) = word.parts();
        self.format(name, &arguments.into_iter().collect()).0
    }

    /// The sentence in its parts, in the order of this language. `A` is what a document puts in: a number with its
    /// evidence, code, text.
    pub fn pieces<A: Clone>(&self, word: Word<A>) -> Vec<Piece<A>> {
        let (name, arguments) = word.parts();
        let marks = arguments.iter().zip(MARKS).map(|((argument, _), mark)| (*argument, mark.to_string()));
        let (text, _) = self.format(name, &marks.collect());
        let mut pieces = vec![];
        let mut rest = text.as_str();
        while let Some(at) = rest.find(|letter| MARKS.contains(&letter)) {
            let (before, mark) = rest.split_at(at);
            pieces.extend((!before.is_empty()).then(|| Piece::Text(before.to_owned())));
            let letter = mark.chars().next().unwrap_or_default();
            let argument = arguments.get((u32::from(letter) - u32::from(*MARKS.start())) as usize);
            pieces.extend(argument.map(|(_, argument)| Piece::Argument(argument.clone())));
            rest = &mark[letter.len_utf8()..];
        }
        pieces.extend((!rest.is_empty()).then(|| Piece::Text(rest.to_owned())));
        pieces
    }

    /// What a thing of a kind is called, such as the metric `iops`; `None` where the language has no word of its own.
    pub fn named(&self, kind: &str, name: &str) -> Option<String> {
        let name = format!("{kind}-{}", name.replace('.', "-"));
        let pattern = self.bundle.get_message(&name)?.value()?;
        Some(self.bundle.format_pattern(pattern, None, &mut vec![]).into_owned())
    }

    /// The text of a message, and what is wrong with it. A message that a language lacks is said in English.
    fn format(&self, name: &str, arguments: &FluentArgs<'_>) -> (String, Vec<String>) {
        let Some(pattern) = self.bundle.get_message(name).and_then(|message| message.value()) else {
            let wrong = vec![format!("{} has no {name}", self.code)];
            let said = if self.code == LANGUAGES[0].0 { name.to_owned() } else { english().format(name, arguments).0 };
            return (said, wrong);
        };
        let mut errors = vec![];
        let text = self.bundle.format_pattern(pattern, Some(arguments), &mut errors).into_owned();
        (text, errors.iter().map(|error| format!("{}, {name}: {error}", self.code)).collect())
    }
}

/// Letters for private use, which stand for arguments while a sentence is put together.
const MARKS: std::ops::RangeInclusive<char> = '\u{e000}'..='\u{e0ff}';

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_says_every_word_with_its_arguments_and_no_other() {
        for ((code, file), language) in LANGUAGES.iter().zip(READ.iter()) {
            assert!(FluentResource::try_new((*file).to_owned()).is_ok(), "{code} cannot be read");
            for (name, arguments) in word::ALL {
                let marks: Vec<String> = MARKS.take(arguments.len()).map(String::from).collect();
                let (text, wrong) =
                    language.format(name, &arguments.iter().copied().zip(marks.iter().cloned()).collect());
                assert_eq!(wrong, Vec::<String>::new());
                for (argument, mark) in arguments.iter().zip(&marks) {
                    assert!(text.contains(mark), "{code}, {name}: nothing is said of {argument}");
                }
            }
            let is_name = |line: &&str| line.starts_with(|letter: char| letter.is_ascii_uppercase());
            for line in file.lines().filter(is_name) {
                let name = line.split(' ').next().unwrap_or_default();
                assert!(word::ALL.iter().any(|(known, _)| *known == name), "{code}: nobody says {name}");
            }
        }
    }

    #[test]
    fn a_language_orders_its_arguments() {
        let file = "Attempts = { $missing } fehlen von { $jobs } nach { $attempts } Versuchen.";
        let german = Language::read("de", file);
        let word = Word::Attempts { attempts: 3, jobs: 2, missing: 1 };
        let text = |text: &str| Piece::Text(text.to_owned());
        let said = [
            Piece::Argument(1),
            text(" fehlen von "),
            Piece::Argument(2),
            text(" nach "),
            Piece::Argument(3),
            text(" Versuchen."),
        ];
        assert_eq!(german.pieces(word), said);
        assert_eq!(german.text(Word::Contents), "Contents", "what it lacks is said in English");
    }
}
