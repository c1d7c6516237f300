//! What html5ever makes of HTML documents, in the events of extract/html_text.h: a second opinion
//! for tests. The rules of visibility are written once more here, from that header.
//!
//!     html_oracle          documents from standard input, events to standard output, both framed
//!     html_oracle --tree   one document from standard input, its tree in the format of html5lib
//!
//! A frame is a length (32 bits, little endian) and as many bytes. The events of a document are one
//! frame: for each its kind (a byte) and its fields, each of them a frame.

use std::io::{self, Read, Write};
use std::rc::Rc;

use html5ever::tendril::TendrilSink;
use html5ever::tokenizer::TokenizerOpts;
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{ns, parse_document, Attribute, ParseOpts, QualName};
use markup5ever_rcdom::{Handle, NodeData, RcDom};

#[derive(Clone, Copy, PartialEq)]
enum Flow {
    Inline,
    Link,
    Block,
    Line,
    Replaced,
    Invisible,
}

fn flow_of_html(name: &str) -> Flow {
    match name {
        "area" | "base" | "bgsound" | "datalist" | "head" | "link" | "meta" | "noembed"
        | "noframes" | "noscript" | "param" | "rp" | "script" | "source" | "style" | "template"
        | "title" | "track" => Flow::Invisible,
        "audio" | "canvas" | "embed" | "iframe" | "meter" | "object" | "progress" | "video" => {
            Flow::Replaced
        }
        "br" | "img" => Flow::Line,
        "a" => Flow::Link,
        "address" | "article" | "aside" | "blockquote" | "body" | "button" | "caption" | "center"
        | "col" | "colgroup" | "dd" | "details" | "dialog" | "dir" | "div" | "dl" | "dt"
        | "fieldset" | "figcaption" | "figure" | "footer" | "form" | "frame" | "frameset"
        | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "header" | "hgroup" | "hr" | "html"
        | "input" | "keygen" | "legend" | "li" | "listing" | "main" | "marquee"
        | "menu" | "multicol" | "nav" | "nextid" | "ol" | "optgroup" | "option"
        | "p" | "plaintext" | "pre" | "rt" | "rtc" | "search" | "section" | "select" | "spacer"
        | "summary" | "table" | "tbody" | "td" | "textarea" | "tfoot" | "th" | "thead" | "tr"
        | "ul" | "xmp" => Flow::Block,
        // Names of SVG and MathML make blocks in HTML too.
        "annotation-xml" | "desc" | "foreignobject" | "malignmark" | "mglyph" | "mi" | "mn"
        | "mo" | "ms" | "mtext" => Flow::Block,
        _ => Flow::Inline,
    }
}

fn flow_of_foreign(name: &str) -> Flow {
    match name.to_ascii_lowercase().as_str() {
        "title" | "desc" | "metadata" | "defs" | "style" | "script" | "annotation"
        | "annotation-xml" => Flow::Invisible,
        "tspan" => Flow::Inline,
        _ => Flow::Block,
    }
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0C')
}

fn without_comments(style: &str) -> String {
    let mut plain = String::new();
    let mut rest = style;
    while let Some(begin) = rest.find("/*") {
        plain.push_str(&rest[..begin]);
        plain.push(' ');
        rest = match rest[begin + 2..].find("*/") {
            Some(end) => &rest[begin + 2 + end + 2..],
            None => "",
        };
    }
    plain.push_str(rest);
    plain.to_ascii_lowercase()
}

/// The value of a property that counts in an inline style, of those that `is_valid` knows. Escapes
/// and strings with signs in them aren't looked at.
fn declared<'a>(style: &'a str, property: &str, is_valid: fn(&str) -> bool) -> &'a str {
    let (mut normal, mut important) = ("", "");
    for declaration in style.split(';') {
        let Some((name, value)) = declaration.split_once(':') else {
            continue;
        };
        if name.trim_matches(is_space) != property {
            continue;
        }
        let (value, flag) = value.split_once('!').unwrap_or((value, ""));
        let (value, flag) = (value.trim_matches(is_space), flag.trim_matches(is_space));
        if !is_valid(value) {
            continue;
        }
        match flag {
            "" if !declaration.contains('!') => normal = value,
            "important" => important = value,
            _ => {}
        }
    }
    if important.is_empty() {
        normal
    } else {
        important
    }
}

fn is_display(value: &str) -> bool {
    matches!(
        value,
        "none" | "block" | "inline" | "inline-block" | "contents" | "flex" | "inline-flex" | "grid"
            | "inline-grid" | "flow-root" | "list-item" | "table" | "inline-table" | "table-cell"
            | "table-row" | "table-row-group" | "table-header-group" | "table-footer-group"
            | "table-column" | "table-column-group" | "table-caption" | "-webkit-box"
            | "-webkit-inline-box" | "-webkit-flex" | "-webkit-inline-flex" | "initial"
            | "inherit" | "unset"
    )
}

fn is_visibility(value: &str) -> bool {
    matches!(value, "visible" | "hidden" | "collapse" | "inherit" | "initial" | "unset")
}

fn attribute<'a>(attributes: &'a [Attribute], name: &str) -> Option<&'a str> {
    attributes
        .iter()
        .find(|attribute| attribute.name.ns == ns!() && &*attribute.name.local == name)
        .map(|attribute| &*attribute.value)
}

fn is_html(name: &QualName) -> bool {
    name.ns == ns!(html)
}

/// Whether the element has a box: by its attributes and the standard's style sheet for browsers.
fn has_box(name: &QualName, attributes: &[Attribute]) -> bool {
    let hidden = attribute(attributes, "hidden");
    if hidden.is_some_and(|value| value.eq_ignore_ascii_case("until-found")) {
        return false;
    }
    let style = without_comments(attribute(attributes, "style").unwrap_or(""));
    match declared(&style, "display", is_display) {
        "" => {}
        "none" => return false,
        _ => return true,
    }
    if hidden.is_some() {
        return false;
    }
    if !is_html(name) {
        return true;
    }
    if &*name.local == "dialog" {
        return attribute(attributes, "open").is_some();
    }
    attribute(attributes, "popover").is_none()
}

fn flow_of(name: &QualName, attributes: &[Attribute]) -> Flow {
    let flow = if is_html(name) {
        flow_of_html(&name.local)
    } else {
        flow_of_foreign(&name.local)
    };
    if !has_box(name, attributes) {
        return Flow::Invisible;
    }
    let is_object = is_html(name) && &*name.local == "object";
    if is_object && attribute(attributes, "data").unwrap_or("").is_empty() {
        return Flow::Inline;
    }
    flow
}

/// What holds for the text in an element.
#[derive(Clone, Copy)]
struct Around {
    visible: bool,
    draws_text: bool,
}

impl Around {
    fn within(self, name: &QualName, attributes: &[Attribute]) -> Around {
        let style = without_comments(attribute(attributes, "style").unwrap_or(""));
        let visible = match declared(&style, "visibility", is_visibility) {
            "visible" | "initial" => true,
            "hidden" | "collapse" => false,
            _ => self.visible,
        };
        let draws_text = name.ns != ns!(svg)
            || match name.local.to_ascii_lowercase().as_str() {
                "text" | "foreignobject" => true,
                "tspan" | "textpath" | "a" => self.draws_text,
                _ => false,
            };
        Around { visible, draws_text }
    }
}

struct Events(Vec<u8>);

impl Events {
    fn add(&mut self, kind: u8, fields: &[&str]) {
        self.0.push(kind);
        for field in fields {
            self.0.extend_from_slice(&(field.len() as u32).to_le_bytes());
            self.0.extend_from_slice(field.as_bytes());
        }
    }
}

fn report_title(title: &Handle, events: &mut Events) {
    if let Some(first) = title.children.borrow().first() {
        if let NodeData::Text { contents } = &first.data {
            if !contents.borrow().chars().all(is_space) {
                events.add(b't', &[&contents.borrow()]);
            }
        }
    }
}

fn is_named(value: Option<&str>, name: &str) -> bool {
    value.is_some_and(|value| value.trim_matches(is_space).eq_ignore_ascii_case(name))
}

fn report_head(head: &Handle, events: &mut Events) {
    for child in head.children.borrow().iter() {
        let NodeData::Element { name, attrs, .. } = &child.data else {
            continue;
        };
        let attributes = attrs.borrow();
        let value = |name| attribute(&attributes, name).unwrap_or("");
        match &*name.local {
            "title" => report_title(child, events),
            "base" => events.add(b'h', &[value("href")]),
            "link" if is_named(attribute(&attributes, "rel"), "canonical") => {
                events.add(b'c', &[value("href")]);
            }
            "meta" => {
                if is_named(attribute(&attributes, "http-equiv"), "refresh") {
                    events.add(b'r', &[value("content")]);
                }
                if is_named(attribute(&attributes, "name"), "robots") {
                    events.add(b'o', &[value("content")]);
                }
            }
            _ => {}
        }
    }
}

/// An element whose children are being visited. No recursion: trees may be very deep.
struct Level {
    node: Handle,
    next: usize,
    flow: Flow,
    around: Around,
}

/// Reports an element, and returns how its children are to be visited, if they are.
fn enter(node: &Handle, around: Around, events: &mut Events) -> Option<Level> {
    let NodeData::Element { name, attrs, .. } = &node.data else {
        return None;
    };
    let attributes = attrs.borrow();
    if is_html(name) && &*name.local == "head" {
        report_head(node, events);
    }
    if is_html(name) && &*name.local == "title" {
        report_title(node, events);
    }
    let value = |name| attribute(&attributes, name).unwrap_or("");
    let flow = flow_of(name, &attributes);
    let around = around.within(name, &attributes);
    match flow {
        Flow::Invisible => return None,
        Flow::Replaced => {
            events.add(b'|', &[]);
            return None;
        }
        Flow::Line => {
            events.add(b'|', &[]);
            if around.visible && &*name.local == "img" {
                events.add(b'a', &[value("alt")]);
            }
            return None;
        }
        Flow::Block => {
            let tag = if is_html(name) { &*name.local } else { "" };
            events.add(b'[', &[tag, value("class"), value("id"), value("role")]);
        }
        Flow::Link if around.visible => events.add(b'(', &[value("href"), value("rel")]),
        Flow::Link | Flow::Inline => {}
    }
    Some(Level { node: node.clone(), next: 0, flow, around })
}

fn report(dom: &RcDom) -> Vec<u8> {
    let mut events = Events(Vec::new());
    let document = dom.document.children.borrow();
    let Some(root) = document.iter().find(|node| matches!(node.data, NodeData::Element { .. }))
    else {
        return events.0;
    };
    let mut around = Around { visible: true, draws_text: true };
    let mut shown = true;
    if let NodeData::Element { name, attrs, .. } = &root.data {
        let attributes = attrs.borrow();
        around = around.within(name, &attributes);
        shown = has_box(name, &attributes);
        let language = attribute(&attributes, "lang").or(attribute(&attributes, "xml:lang"));
        if let Some(language) = language {
            events.add(b'l', &[language]);
        }
    }
    events.add(b'[', &["", "", "", ""]);
    if !shown {
        // What the head says of the page counts all the same.
        for child in root.children.borrow().iter() {
            if let NodeData::Element { name, .. } = &child.data {
                if is_html(name) && &*name.local == "head" {
                    report_head(child, &mut events);
                }
            }
        }
        events.add(b']', &[]);
        return events.0;
    }
    let mut levels = vec![Level { node: root.clone(), next: 0, flow: Flow::Block, around }];
    while let Some(level) = levels.last_mut() {
        let child = level.node.children.borrow().get(level.next).cloned();
        let around = level.around;
        level.next += 1;
        let Some(child) = child else {
            match level.flow {
                Flow::Block => events.add(b']', &[]),
                Flow::Link if around.visible => events.add(b')', &[]),
                _ => {}
            }
            levels.pop();
            continue;
        };
        if let NodeData::Text { contents } = &child.data {
            if around.visible && around.draws_text {
                events.add(b'T', &[&contents.borrow()]);
            }
        } else if let Some(level) = enter(&child, around, &mut events) {
            levels.push(level);
        }
    }
    events.0
}

fn parse(html: &str) -> RcDom {
    let options = ParseOpts {
        tokenizer: TokenizerOpts { discard_bom: false, ..Default::default() },
        tree_builder: TreeBuilderOpts { scripting_enabled: false, ..Default::default() },
    };
    parse_document(RcDom::default(), options).one(html)
}

fn read_frame(input: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; 4];
    match input.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let mut bytes = vec![0; u32::from_le_bytes(length) as usize];
    input.read_exact(&mut bytes)?;
    Ok(Some(bytes))
}

fn serve() -> io::Result<()> {
    let mut input = io::BufReader::new(io::stdin().lock());
    let mut output = io::stdout().lock();
    while let Some(document) = read_frame(&mut input)? {
        let events = report(&parse(&String::from_utf8_lossy(&document)));
        let mut frame = (events.len() as u32).to_le_bytes().to_vec();
        frame.extend_from_slice(&events);
        output.write_all(&frame)?;
        output.flush()?;
    }
    Ok(())
}

fn attribute_name(name: &QualName) -> String {
    match &name.prefix {
        Some(prefix) if !prefix.is_empty() => format!("{} {}", prefix, name.local),
        _ => name.local.to_string(),
    }
}

fn print_node(node: &Handle, depth: usize) {
    let indent = "  ".repeat(depth);
    match &node.data {
        NodeData::Text { contents } => println!("| {indent}\"{}\"", contents.borrow()),
        NodeData::Comment { contents } => println!("| {indent}<!-- {contents} -->"),
        NodeData::Doctype { name, public_id, system_id } => {
            if public_id.is_empty() && system_id.is_empty() {
                println!("| {indent}<!DOCTYPE {name}>");
            } else {
                println!("| {indent}<!DOCTYPE {name} \"{public_id}\" \"{system_id}\">");
            }
        }
        NodeData::Element { name, attrs, template_contents, .. } => {
            let space = match &name.ns {
                ns if *ns == ns!(svg) => "svg ",
                ns if *ns == ns!(mathml) => "math ",
                _ => "",
            };
            println!("| {indent}<{space}{}>", name.local);
            let mut lines: Vec<String> = attrs
                .borrow()
                .iter()
                .map(|a| format!("| {indent}  {}=\"{}\"", attribute_name(&a.name), a.value))
                .collect();
            lines.sort();
            lines.iter().for_each(|line| println!("{line}"));
            if let Some(contents) = template_contents.borrow().as_ref() {
                println!("| {indent}  content");
                for child in contents.children.borrow().iter() {
                    print_node(child, depth + 2);
                }
            }
        }
        _ => {}
    }
    for child in node.children.borrow().iter() {
        if !matches!(node.data, NodeData::Document) {
            print_node(child, depth + 1);
        }
    }
}

fn print_tree() -> io::Result<()> {
    let mut html = Vec::new();
    io::stdin().read_to_end(&mut html)?;
    let dom = parse(&String::from_utf8_lossy(&html));
    let document: Rc<_> = dom.document.clone();
    for child in document.children.borrow().iter() {
        print_node(child, 0);
    }
    Ok(())
}

fn main() -> io::Result<()> {
    match std::env::args().nth(1).as_deref() {
        None => serve(),
        Some("--tree") => print_tree(),
        Some(other) => {
            eprintln!("usage: html_oracle [--tree], not {other}");
            std::process::exit(2);
        }
    }
}
