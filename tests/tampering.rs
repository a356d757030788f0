//! Any change to the evidence or to a paper is found and named.

use benchpaper::os::Machine;
use benchpaper::store::{Layout, check};
use benchpaper::verify::{self, Opened};

use crate::laboratory::{ECHO, ECHO_ARGV, ECHO_NOISE, Laboratory};

/// Whether a full check of the store finds damage.
fn finds(layout: &Layout) -> bool {
    let report = check::check(&Machine, layout).unwrap();
    !report.failures.is_empty() || !report.missing.is_empty()
}

#[test]
fn every_flipped_byte_and_every_cut_of_the_record_is_found() {
    let manifest = ECHO.replace("[1, 2, 4.5]", "[1]").replace("replicates: 3", "replicates: 1").replace(ECHO_NOISE, "");
    let laboratory = Laboratory::measured("echo", &manifest);
    let layout = Layout::new(&laboratory.join("artifacts"));
    assert!(!finds(&layout));
    for name in ["journal.jsonl", "pack", "head"] {
        let path = laboratory.run_folder().join(name);
        let good = std::fs::read(&path).unwrap();
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 1;
            std::fs::write(&path, &bad).unwrap();
            assert!(finds(&layout), "byte {at} of {name}");
            if at % 7 == 0 {
                std::fs::write(&path, &good[..at]).unwrap();
                assert!(finds(&layout), "{name} cut at {at}");
            }
        }
        std::fs::write(&path, &good).unwrap();
    }
    assert!(!finds(&layout));
    std::fs::remove_file(laboratory.run_folder().join("head")).unwrap();
    let said = laboratory.expect(4, &["store", "check"]);
    assert!(said.stdout.contains("head: it is missing"), "{said:?}");
    laboratory.expect(4, &["run", "echo"]);
}

#[test]
fn a_flipped_byte_of_a_large_object_is_found_and_the_object_replaced() {
    let manifest = ECHO.replace(ECHO_ARGV, "[sh, -c, 'head -c 100000 /dev/zero > large; echo took {n} ms']");
    let laboratory = Laboratory::measured("echo", &manifest);
    let folder =
        std::fs::read_dir(laboratory.join("artifacts/objects/sha256")).unwrap().next().unwrap().unwrap().path();
    let object = std::fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    let mut bytes = std::fs::read(&object).unwrap();
    bytes[99_999] = 1;
    std::fs::write(&object, &bytes).unwrap();
    let said = laboratory.expect(4, &["store", "check"]);
    assert!(said.stdout.contains(object.file_name().unwrap().to_str().unwrap()), "{said:?}");
    laboratory.expect(4, &["store", "prune", "--yes"]);
    laboratory.write("experiments/echo/experiment.yaml", manifest.replace("replicates: 3", "replicates: 4").as_bytes());
    laboratory.expect(0, &["lock", "echo"]);
    laboratory.expect(0, &["run", "echo"]);
    laboratory.expect(0, &["store", "check"]);
    assert_eq!(std::fs::read_dir(object.parent().unwrap()).unwrap().count(), 2, "the damaged one is set aside");
}

fn pdf(laboratory: &Laboratory) -> Vec<u8> {
    laboratory.expect(0, &["render", "echo"]);
    std::fs::read(laboratory.join("reports/echo/draft/paper.pdf")).unwrap()
}

fn is_refused(bytes: &[u8]) -> bool {
    Opened::open(bytes)
        .and_then(|opened| verify::verify(&opened, None))
        .map_or(true, |report| !report.failures.is_empty())
}

#[test]
fn any_flipped_byte_of_a_pdf_is_found() {
    let laboratory = Laboratory::measured("echo", ECHO);
    let good = pdf(&laboratory);
    assert!(!is_refused(&good));
    for at in (9..good.len()).step_by(good.len() / 60) {
        let mut bad = good.clone();
        bad[at] ^= 1;
        assert!(is_refused(&bad), "byte {at}");
    }
    for end in [good.len() - 1, good.len() / 2, 100] {
        assert!(is_refused(&good[..end]), "cut at {end}");
    }
    let appended = [&good[..], b"\n1 0 obj\n<<>>\nendobj\n"].concat();
    assert!(is_refused(&appended));
}

#[test]
fn a_page_edited_while_its_attachments_were_left_alone_is_caught() {
    let laboratory = Laboratory::measured("echo", ECHO);
    let good = pdf(&laboratory);
    let (files, _) = verify::attachments(&good).unwrap();
    let input = verify::input_of(&files).unwrap();
    let mut paper = benchpaper::render::render(&input, &input.resolve().unwrap()).unwrap();
    let token = paper.document.tokens.iter().position(|token| token.name == "latency_mean/n=2/median").unwrap();
    assert_eq!(paper.document.tokens[token].text, "2.000");
    paper.document.tokens[token].text = "1.999".to_owned();
    let identity = verify::identity_of(&paper, &input);
    let edited = benchpaper::render::format::pdf::write(&paper, &identity).unwrap();
    let report = verify::verify(&Opened::open(&edited).unwrap(), None).unwrap();
    assert_eq!(report.exit_code(false), 4);
    let failures = report.failures.join("\n");
    assert!(
        failures.contains("printed is") && failures.contains("1.999") && failures.contains("made again"),
        "{failures}"
    );
    laboratory.write("edited.pdf", &edited);
    laboratory.expect(4, &["verify", "edited.pdf"]);
}

#[test]
fn results_that_the_record_does_not_give_are_caught() {
    let laboratory = Laboratory::measured("echo", ECHO);
    let good = pdf(&laboratory);
    let (files, _) = verify::attachments(&good).unwrap();
    let mut input = verify::input_of(&files).unwrap();
    input.results.cases[1].metrics[0].samples[0].value = 1_000_000.0;
    let paper = benchpaper::render::render(&input, &input.resolve().unwrap()).unwrap();
    let identity = verify::identity_of(&paper, &input);
    let forged = benchpaper::render::format::pdf::write(&paper, &identity).unwrap();
    assert!(!is_refused(&forged), "it is consistent with itself");
    laboratory.write("forged.pdf", &forged);
    let said = laboratory.expect(4, &["verify", "forged.pdf"]);
    assert!(said.stdout.contains("does not give latency_mean = 1000000"), "{said:?}");
}

#[test]
fn a_paper_without_its_evidence_is_not_called_verified() {
    let laboratory = Laboratory::measured("echo", ECHO);
    let good = pdf(&laboratory);
    let elsewhere = Laboratory::new();
    elsewhere.write("paper.pdf", &good);
    let report = elsewhere.json(3, &["verify", "paper.pdf"]);
    assert_eq!((report["rendered_again"].as_str(), report["objects"]["checked"].as_u64()), (Some("same"), Some(0)));
    assert_eq!(report["anchored"], "none");
}

#[test]
fn a_file_that_is_no_paper_is_refused_without_a_crash() {
    let laboratory = Laboratory::new();
    let nested = [b"%PDF-1.7\n1 0 obj\n".to_vec(), b"[".repeat(2_000_000)].concat();
    let cases: [&[u8]; 5] =
        [b"", b"%PDF-1.7\n", b"%PDF-1.7\nxref\ntrailer<</Root 1 0 R>>\nstartxref\n9\n%%EOF", b"PK\x03\x04", &nested];
    for (number, bytes) in cases.into_iter().enumerate() {
        let name = format!("{number}.pdf");
        laboratory.write(&name, bytes);
        laboratory.expect(4, &["verify", &name]);
        laboratory.expect(4, &["trace", &name, "--", "-1"]);
    }
    laboratory.expect(2, &["verify", "absent.pdf"]);
}

/// Three runs, one after the other, and a paper of them.
fn three_runs() -> (Laboratory, Vec<std::path::PathBuf>) {
    let laboratory = Laboratory::measured("echo", ECHO);
    for replicates in [4, 5] {
        let more = ECHO.replace("replicates: 3", &format!("replicates: {replicates}"));
        laboratory.write("experiments/echo/experiment.yaml", more.as_bytes());
        laboratory.expect(0, &["lock", "echo"]);
        laboratory.expect(0, &["run", "echo"]);
    }
    let results = laboratory.json(0, &["results", "echo"]);
    let folder = |run: &serde_json::Value| laboratory.join("artifacts/runs").join(run["run"].as_str().unwrap());
    let folders = results["runs"].as_array().unwrap().iter().map(folder).collect();
    (laboratory, folders)
}

#[test]
fn a_run_that_is_gone_is_missed_by_every_reader() {
    let (laboratory, runs) = three_runs();
    std::fs::rename(&runs[0], laboratory.join("elsewhere")).unwrap();
    laboratory.expect(3, &["store", "check"]);
    for arguments in [&["results", "echo"][..], &["run", "echo"], &["render", "echo"]] {
        let said = laboratory.expect(3, arguments);
        assert!(said.stderr.contains("is missing, though run"), "{said:?}");
    }
    let said = laboratory.expect(4, &["store", "prune", "--yes"]);
    assert!(said.stderr.contains("nothing is removed"), "{said:?}");
    std::fs::rename(laboratory.join("elsewhere"), &runs[0]).unwrap();
    laboratory.expect(0, &["store", "check"]);
}

#[test]
fn a_paper_that_leaves_out_a_run_is_caught() {
    let (laboratory, _) = three_runs();
    let good = pdf(&laboratory);
    laboratory.expect(0, &["verify", "reports/echo/draft"]);
    let (files, _) = verify::attachments(&good).unwrap();
    let mut input = verify::input_of(&files).unwrap();
    input.results.runs.remove(0);
    laboratory.write("fewer.pdf", &forge(&input));
    let said = laboratory.expect(4, &["verify", "fewer.pdf"]);
    assert!(said.stdout.contains("the paper leaves out run"), "{said:?}");
}

/// The PDF that some inputs make.
fn forge(input: &benchpaper::render::Input) -> Vec<u8> {
    let paper = benchpaper::render::render(input, &input.resolve().unwrap()).unwrap();
    let identity = verify::identity_of(&paper, input);
    benchpaper::render::format::pdf::write(&paper, &identity).unwrap()
}

#[test]
fn values_read_by_other_rules_or_against_an_earlier_journal_are_caught() {
    let laboratory = Laboratory::measured("echo", ECHO);
    let (files, _) = verify::attachments(&pdf(&laboratory)).unwrap();
    let good = verify::input_of(&files).unwrap();
    let journal = std::fs::read_to_string(laboratory.run_folder().join("journal.jsonl")).unwrap();
    let first: serde_json::Value = serde_json::from_str(journal.lines().nth(1).unwrap()).unwrap();
    let mut earlier = good.clone();
    earlier.results.runs[0].chain = first["chain"].as_str().unwrap().to_owned();
    earlier.results.runs[0].length = journal.lines().take(2).map(|line| line.len() as u64 + 1).sum();
    earlier.results.cases[1].metrics[0].samples[0].value = 5.0e6;
    let mut other = good.clone();
    let mut settings = other.results.cases[1].case.settings.stored().clone();
    settings["read"][0]["place"]["regex"] = "(ms)".into();
    other.results.cases[1].case.settings = settings.into();
    for (name, input) in [("earlier.pdf", &earlier), ("other.pdf", &other)] {
        laboratory.write(name, &forge(input));
        laboratory.expect(4, &["verify", name]);
    }
}

#[test]
fn prune_follows_no_link_and_removes_nothing_it_did_not_make() {
    let laboratory = Laboratory::measured("echo", ECHO);
    laboratory.write("precious/ab/file.txt", b"x");
    std::fs::create_dir_all(laboratory.join("artifacts/objects")).unwrap();
    std::os::unix::fs::symlink(laboratory.join("precious"), laboratory.join("artifacts/objects/sha256")).unwrap();
    laboratory.expect(4, &["store", "prune", "--yes"]);
    assert_eq!(laboratory.read("precious/ab/file.txt"), "x");
    std::fs::remove_file(laboratory.join("artifacts/objects/sha256")).unwrap();
    laboratory.write("artifacts/objects/sha256/ab/notes.txt", b"mine");
    laboratory.expect(4, &["store", "prune", "--yes"]);
    assert_eq!(laboratory.read("artifacts/objects/sha256/ab/notes.txt"), "mine");
}

#[test]
fn a_figure_that_was_changed_beside_the_paper_is_caught() {
    let laboratory = Laboratory::measured("echo", ECHO);
    pdf(&laboratory);
    laboratory.write("reports/echo/draft/figures/latency_mean.svg", b"<svg/>");
    let said = laboratory.expect(4, &["verify", "reports/echo/draft"]);
    assert!(said.stdout.contains("figures/latency_mean.svg differs"), "{said:?}");
}
