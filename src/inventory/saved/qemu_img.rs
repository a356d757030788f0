//! `qemu-img info`, as JSON and as text: format, sizes, clusters, what stands behind the image. The virtual size is that of the
//! image itself, not of the file below it.

use super::{Found, Reader, fact, json, mebibytes, scalar, value};
use crate::inventory::Fact;

pub(super) const READER: Reader = Reader { name: "qemu-img info", commands: &[], recognises, read };

fn recognises(text: &str) -> bool {
    let is_json = text.contains("\"virtual-size\"") && text.contains("\"format\"");
    is_json || (text.starts_with("image: ") && text.contains("\nvirtual size: "))
}

/// The name of the image without its folder, as part of a path.
fn stem(image: &str) -> String {
    image.rsplit(['/', '\\']).next().unwrap_or("image").to_owned()
}

fn read(text: &str, _: &str) -> Found {
    if text.starts_with("image: ") {
        return read_text(text);
    }
    let document = json(text)?;
    let of = |key: &str| document.get(key).and_then(scalar);
    let name = stem(&of("filename").unwrap_or_default());
    let mut facts: Vec<(String, Fact)> = vec![];
    let mut add =
        |path: &str, fact: Option<Fact>| facts.extend(fact.map(|fact| (format!("image.{name}.{path}"), fact)));
    add("format", of("format").map(|format| fact(&format)));
    add("virtual_size", document.get("virtual-size").and_then(serde_json::Value::as_u64).map(mebibytes));
    add("allocated", document.get("actual-size").and_then(serde_json::Value::as_u64).map(mebibytes));
    add("cluster_size", of("cluster-size").map(|size| fact(&format!("{size} B"))));
    add("backing_file", Some(fact(if of("backing-filename").is_some() { "yes" } else { "no" })));
    add("encrypted", of("encrypted").map(|flag| fact(&flag)));
    let data = document.pointer("/format-specific/data");
    let special = |key: &str| data.and_then(|data| data.get(key)).and_then(scalar);
    add("compat", special("compat").map(|compat| fact(&compat)));
    add("lazy_refcounts", special("lazy-refcounts").map(|flag| fact(&flag)));
    add("create_type", special("create-type").map(|kind| fact(&kind)));
    Ok(facts)
}

fn read_text(text: &str) -> Found {
    let own = text.split("\nChild node").next().unwrap_or(text);
    let name = stem(value(own, "image").unwrap_or_default());
    let mut facts: Vec<(String, Fact)> = vec![];
    let mut add =
        |path: &str, fact: Option<Fact>| facts.extend(fact.map(|fact| (format!("image.{name}.{path}"), fact)));
    add("format", value(own, "file format").map(fact));
    let bytes =
        value(own, "virtual size").and_then(|size| size.split_once('(')?.1.split(' ').next()?.parse::<u64>().ok());
    add("virtual_size", bytes.map(mebibytes));
    add("allocated", value(own, "disk size").map(fact));
    add("cluster_size", value(own, "cluster_size").map(|size| fact(&format!("{size} B"))));
    add("backing_file", Some(fact(if value(own, "backing file").is_some() { "yes" } else { "no" })));
    add("compat", value(own, "compat").map(fact));
    add("lazy_refcounts", value(own, "lazy refcounts").map(fact));
    Ok(facts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_is_that_of_the_image_in_both_forms() {
        let json = r#"{"children":[{"name":"file","info":{"virtual-size":9999999,"filename":"d/x.qcow2","format":"file"}}],"virtual-size":1073741824,"filename":"d/x.qcow2","cluster-size":65536,"format":"qcow2"}"#;
        let text = "image: d/x.qcow2\nfile format: qcow2\nvirtual size: 1 GiB (1073741824 bytes)\ndisk size: 8 MiB\ncluster_size: 65536\nChild node '/file':\n    virtual size: 2 GiB (2147483648 bytes)\n";
        for text in [json, text] {
            assert!(recognises(text));
            let facts = read(text, "").unwrap();
            let value = |path: &str| facts.iter().find(|(one, _)| one == path).unwrap().1.value().unwrap().to_owned();
            assert_eq!(
                (value("image.x.qcow2.virtual_size"), value("image.x.qcow2.format")),
                ("1024 MiB".to_owned(), "qcow2".to_owned())
            );
            assert_eq!(value("image.x.qcow2.cluster_size"), "65536 B");
        }
    }
}
