//! XML as some programs print it, read into a small tree: names, attributes, texts. Entities of strangers are not resolved.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// Deeper documents are refused.
const DEPTH_MAX: usize = 64;

/// An element.
#[derive(Debug, Default)]
pub struct Element {
    /// Its name.
    pub name: String,
    /// Its attributes.
    attributes: Vec<(String, String)>,
    /// The text directly in it, trimmed.
    pub text: String,
    /// The elements in it, in order.
    pub children: Vec<Element>,
}

impl Element {
    /// The first child of this name.
    pub fn child(&self, name: &str) -> Option<&Self> {
        self.children.iter().find(|child| child.name == name)
    }

    /// All children of this name, with their places among those of the same name.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (usize, &'a Self)> {
        self.children.iter().filter(move |child| child.name == name).enumerate()
    }

    /// The text of the first child of this name; none where it is empty.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.child(name).map(|child| child.text.as_str()).filter(|text| !text.is_empty())
    }

    /// An attribute.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(one, _)| one == name).map(|(_, value)| value.as_str())
    }
}

/// Reads a document. `Err` says what is wrong with it.
pub fn parse(bytes: &[u8]) -> Result<Element, String> {
    let text = String::from_utf8_lossy(bytes);
    let mut reader = Reader::from_str(&text);
    let mut open: Vec<Element> = vec![];
    loop {
        match reader.read_event().map_err(|error| error.to_string())? {
            Event::Start(start) => {
                if open.len() >= DEPTH_MAX {
                    return Err(format!("elements are nested more than {DEPTH_MAX} deep"));
                }
                open.push(element(&start)?);
            }
            Event::Empty(start) => {
                let element = element(&start)?;
                match open.last_mut() {
                    Some(parent) => parent.children.push(element),
                    None => return Ok(element),
                }
            }
            Event::End(_) => {
                let Some(mut element) = open.pop() else { return Err("an end without a beginning".to_owned()) };
                element.text = element.text.trim().to_owned();
                match open.last_mut() {
                    Some(parent) => parent.children.push(element),
                    None => return Ok(element),
                }
            }
            Event::Text(text) => {
                if let Some(element) = open.last_mut() {
                    element.text.push_str(&text);
                }
            }
            Event::CData(text) => {
                if let Some(element) = open.last_mut() {
                    element.text.push_str(&text);
                }
            }
            Event::GeneralRef(name) => {
                if let Some(element) = open.last_mut() {
                    element.text.push_str(&entity(&name));
                }
            }
            Event::Eof => return Err("it ends before its elements do".to_owned()),
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
        }
    }
}

/// The five entities of XML and characters by number; any other stays as it is written.
fn entity(name: &str) -> String {
    let known = match name {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "amp" => Some('&'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => None,
    };
    let by_number = || {
        let digits = name.strip_prefix('#')?;
        let number = match digits.strip_prefix('x') {
            Some(digits) => u32::from_str_radix(digits, 16).ok()?,
            None => digits.parse().ok()?,
        };
        char::from_u32(number)
    };
    known.or_else(by_number).map_or_else(|| format!("&{name};"), String::from)
}

fn element(start: &BytesStart<'_>) -> Result<Element, String> {
    let mut attributes = vec![];
    for attribute in start.attributes() {
        let attribute = attribute.map_err(|error| error.to_string())?;
        attributes.push((attribute.key.as_ref().to_owned(), attribute.value.into_owned()));
    }
    Ok(Element { name: start.name().as_ref().to_owned(), attributes, ..Element::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_no_elements_and_entities_are_characters() {
        let text = "<?xml version=\"1.0\"?><!-- <a>9</a> --><r><a k=\"v\">1 &lt; 2&#33;</a><b/><a>3</a></r>";
        let root = parse(text.as_bytes()).unwrap();
        assert_eq!((root.name.as_str(), root.value("a"), root.value("b")), ("r", Some("1 < 2!"), None));
        assert_eq!(root.child("a").unwrap().attribute("k"), Some("v"));
        assert_eq!(root.all("a").map(|(number, one)| (number, one.text.as_str())).collect::<Vec<_>>()[1], (1, "3"));
    }

    #[test]
    fn what_is_cut_crossed_or_too_deep_is_refused() {
        for text in ["", "<a>", "<a><b></a></b>", "<a", "text"] {
            assert!(parse(text.as_bytes()).is_err(), "{text}");
        }
        assert!(parse("<a>".repeat(100).as_bytes()).is_err());
    }
}
