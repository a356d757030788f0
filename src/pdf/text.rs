//! The text of the pages, glyph by glyph, in the order it is drawn.
//!
//! What a glyph says comes from the file's own tables, so text alone proves nothing about what is seen: it is compared
//! with the text of the same paper rendered again, besides the bytes.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hayro_interpret::font::Glyph;
use hayro_interpret::hayro_cmap::BfString;
use hayro_interpret::hayro_syntax::Pdf;
use hayro_interpret::hayro_syntax::content::TypedIter;
use hayro_interpret::hayro_syntax::content::ops::TypedInstruction;
use hayro_interpret::hayro_syntax::object::{Dict, Name, Object, String as PdfString};
use hayro_interpret::hayro_syntax::page::Resources;
use hayro_interpret::{
    BlendMode, ClipPath, Context, Device, GlyphDrawMode, Image, InterpreterCache, InterpreterSettings, Paint,
    PathDrawMode, SoftMask, interpret_page,
};
use kurbo::{Affine, BezPath, Point, Rect};

use super::attachments::text_of;
use super::structure::decode;
use super::{PdfError, STREAM_LIMIT_BYTES, TOTAL_LIMIT_BYTES, refuse};

/// The most drawing operations of a file.
const OPERATIONS_MAX: u64 = 20_000_000;
const FORM_DEPTH_MAX: usize = 16;

/// A piece of marked content and the text that stands for it.
type Mark = (Vec<u8>, Option<String>);

/// What a page's operations hold before they are drawn.
#[derive(Default)]
struct Content {
    operations: u64,
    bytes: usize,
    marks: VecDeque<Mark>,
}

struct Placed {
    text: String,
    start: Point,
    end: Point,
    size: f64,
}

/// The lines of every page.
pub(super) fn read(pdf: &Pdf, findings: &mut Vec<String>) -> Result<Vec<Vec<String>>, PdfError> {
    let missing = Arc::new(AtomicUsize::new(0));
    let (fonts, maps) = (Arc::clone(&missing), Arc::clone(&missing));
    let settings = InterpreterSettings {
        font_resolver: Arc::new(move |_| {
            fonts.fetch_add(1, Ordering::Relaxed);
            None
        }),
        cmap_resolver: Arc::new(move |_| {
            maps.fetch_add(1, Ordering::Relaxed);
            None
        }),
        warning_sink: Arc::new(|_| {}),
        render_annotations: false,
    };
    let cache = InterpreterCache::new();
    let mut operations = 0;
    let mut pages = vec![];
    for (number, page) in pdf.pages().iter().enumerate() {
        let mut content = Content { operations, ..Content::default() };
        walk(page.typed_operations(), page.resources(), 0, &mut content)?;
        operations = content.operations;
        let (width, height) = page.render_dimensions();
        let area = Rect::new(0.0, 0.0, f64::from(width), f64::from(height));
        let mut context = Context::new(Affine::IDENTITY, area, &cache, pdf.xref(), settings.clone());
        let mut extract = Extract { placed: vec![], marks: content.marks, open: vec![], is_lost: false };
        interpret_page(page, &mut context, &mut extract);
        if extract.is_lost || !extract.marks.is_empty() {
            findings.push(format!("the marked content of page {} is not in order", number + 1));
        }
        pages.push(lines(&extract.placed));
    }
    if missing.load(Ordering::Relaxed) > 0 {
        findings.push("it uses a font that is not embedded".to_owned());
    }
    Ok(pages)
}

/// Goes through the operations in drawing order: bounds them, and notes the text of marked content, which the
/// interpreter does not pass on.
fn walk(
    mut operations: TypedIter<'_>,
    resources: &Resources<'_>,
    depth: usize,
    content: &mut Content,
) -> Result<(), PdfError> {
    if depth > FORM_DEPTH_MAX {
        return refuse("its drawings are nested too deep");
    }
    while let Some(operation) = operations.next() {
        content.operations += 1;
        if content.operations > OPERATIONS_MAX {
            return refuse("it has too many drawing operations");
        }
        match operation {
            TypedInstruction::BeginMarkedContent(mark) => content.marks.push_back((mark.0.to_vec(), None)),
            TypedInstruction::BeginMarkedContentWithProperties(mark) => {
                let text = match &mark.1 {
                    Object::Dict(dict) => actual_text(dict),
                    Object::Name(name) => {
                        resources.properties.get::<Dict<'_>>(name).and_then(|dict| actual_text(&dict))
                    }
                    _ => None,
                };
                content.marks.push_back((mark.0.to_vec(), text));
            }
            TypedInstruction::XObject(object) => {
                let Some(form) = resources.get_x_object(object.0) else { continue };
                let dict = form.dict();
                let is_form = dict.get::<Name<'_>>("Subtype").is_some_and(|name| &name[..] == b"Form");
                if !is_form || dict.get::<[f32; 4]>("BBox").is_none() {
                    continue;
                }
                let bytes = decode(&form, STREAM_LIMIT_BYTES)?;
                content.bytes += bytes.len();
                if content.bytes > TOTAL_LIMIT_BYTES {
                    return refuse("its drawings hold too much");
                }
                let inner =
                    Resources::from_parent(dict.get::<Dict<'_>>("Resources").unwrap_or_default(), resources.clone());
                walk(TypedIter::new(&bytes), &inner, depth + 1, content)?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn actual_text(dict: &Dict<'_>) -> Option<String> {
    dict.get::<PdfString<'_>>("ActualText").map(|text| text_of(text.as_bytes()))
}

struct Extract {
    placed: Vec<Placed>,
    marks: VecDeque<Mark>,
    /// Open marked content: its text, and whether that was placed already.
    open: Vec<(Option<String>, bool)>,
    is_lost: bool,
}

impl<'a> Device<'a> for Extract {
    fn set_soft_mask(&mut self, _: Option<SoftMask<'a>>) {}
    fn set_blend_mode(&mut self, _: BlendMode) {}
    fn draw_path(&mut self, _: &BezPath, _: Affine, _: &Paint<'a>, _: &PathDrawMode) {}
    fn push_clip_path(&mut self, _: &ClipPath) {}
    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'a>>, _: BlendMode) {}
    fn draw_image(&mut self, _: Image<'a, '_>, _: Affine) {}
    fn pop_clip_path(&mut self) {}
    fn pop_transparency_group(&mut self) {}

    fn begin_marked_content(&mut self, tag: &[u8], _: Option<i32>) {
        match self.marks.pop_front() {
            Some((noted, text)) => {
                self.is_lost |= noted != tag;
                self.open.push((text, false));
            }
            None => {
                self.is_lost = true;
                self.open.push((None, false));
            }
        }
    }

    fn end_marked_content(&mut self) {
        self.open.pop();
    }

    fn draw_glyph(
        &mut self,
        glyph: &Glyph<'a>,
        transform: Affine,
        glyph_transform: Affine,
        _: &Paint<'a>,
        _: &GlyphDrawMode,
    ) {
        let whole = transform * glyph_transform;
        let advance = match glyph {
            Glyph::Outline(outline) => f64::from(outline.advance_width().unwrap_or(0.0)),
            Glyph::Type3(_) => 0.0,
        };
        let text = match self.open.iter_mut().find(|(text, _)| text.is_some()) {
            Some((Some(text), is_placed)) => {
                if std::mem::replace(is_placed, true) {
                    String::new()
                } else {
                    text.clone()
                }
            }
            _ => match glyph.as_unicode() {
                Some(BfString::Char(one)) => one.to_string(),
                Some(BfString::String(text)) => text,
                None => "\u{fffd}".to_owned(),
            },
        };
        let parts = whole.as_coeffs();
        self.placed.push(Placed {
            text,
            start: whole * Point::new(0.0, 0.0),
            end: whole * Point::new(advance, 0.0),
            size: 1000.0 * parts[2].hypot(parts[3]),
        });
    }
}

/// Lines of words, by where glyphs stand.
fn lines(glyphs: &[Placed]) -> Vec<String> {
    let mut lines = vec![];
    let mut line = String::new();
    let mut before: Option<&Placed> = None;
    for glyph in glyphs {
        if let Some(before) = before {
            let size = before.size.max(glyph.size).max(0.01);
            let (right, down) = (glyph.start.x - before.end.x, (glyph.start.y - before.end.y).abs());
            if down > 0.5 * size || right < -size || right > 4.0 * size {
                lines.push(std::mem::take(&mut line));
            } else if right > 0.18 * size {
                line.push(' ');
            }
        }
        line.push_str(&glyph.text);
        before = Some(glyph);
    }
    lines.push(line);
    lines
        .iter()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .filter(|line| !line.is_empty())
        .collect()
}
