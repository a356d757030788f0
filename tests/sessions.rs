//! Factors that are hard to change: visited in sessions, compared by them.

use crate::laboratory::{ECHO, ECHO_ARGV, ECHO_NOISE, Laboratory};

/// Two arms in sessions, each with two levels that are easy to change; what is printed differs by arm.
fn manifest(design: &str) -> String {
    ECHO.replace(ECHO_ARGV, "[sh, -c, \"echo took {arm}{n}.$(date +%N | cut -c1-3) ms\"]")
        .replace("{n: [1, 2, 4.5]}", "{arm: [1, 2], n: [1, 2]}")
        .replace("workloads:", "arms: {1: {set: {}}, 2: {set: {}}}\nworkloads:")
        .replace(ECHO_NOISE, "")
        .replace("replicates: 3", design)
        .replace("treatment: [n]", "treatment: [arm]")
}

const SESSIONS: &str = "replicates: 2, whole_plot: arm, sessions: [1, 2, 2, 1, 1, 2, 2, 1]";

#[test]
fn what_is_hard_to_change_is_visited_in_sessions_and_compared_by_them() {
    let laboratory = Laboratory::measured("echo", &manifest(SESSIONS));
    let plan = laboratory.json(0, &["plan", "echo"]);
    assert_eq!((&plan["power"]["analysis"], &plan["power"]["replicates"]), (&"sessions".into(), &4.into()), "{plan:#}");
    let jobs = plan["jobs"].as_array().unwrap();
    let of: Vec<(u64, &str)> =
        jobs.iter().map(|job| (job["session"].as_u64().unwrap(), &job["case"].as_str().unwrap()[..5])).collect();
    assert!(of.is_sorted_by_key(|(session, _)| *session), "session by session: {of:?}");
    let arms: Vec<&str> = (1..=8).map(|number| of.iter().find(|(session, _)| *session == number).unwrap().1).collect();
    assert_eq!(arms, ["arm=1", "arm=2", "arm=2", "arm=1", "arm=1", "arm=2", "arm=2", "arm=1"]);
    assert!((1..=8).all(|number| of.iter().filter(|(session, _)| *session == number).count() == 4));
    // four sessions of two jobs are four values, not eight
    let said = laboratory.expect(0, &["plan", "echo", "--why"]);
    assert!(said.stdout.contains("(sessions): 2 comparisons a metric, 4 sessions of each level"), "{said:?}");
    laboratory.commit();
    laboratory.expect(0, &["publish", "echo"]);
    let paper = laboratory.read("reports/echo/1.0.0/paper.md");
    assert!(
        paper
            .contains("The factor arm is hard to change: its levels were visited in sessions, 1, 2, 2, 1, 1, 2, 2, 1.")
    );
    assert!(paper.contains("compared as sessions") && paper.contains("dealt out to 4 sessions"), "{paper}");
    assert!(!paper.contains("Replicates are blocks"), "{paper}");
    let row = paper.lines().find(|line| line.starts_with("| 1 | 1 | ")).unwrap();
    assert!(row.starts_with("| 1 | 1 | 4 |"), "n counts sessions: {row}");
    // 2 ÷ C(8, 4), over two comparisons whose equivalence nobody asked for
    assert!(paper.contains("0.0571"), "{paper}");
    laboratory.expect(0, &["verify", "reports/echo/1.0.0/paper.pdf"]);
}

#[test]
fn sessions_of_the_host_need_a_boot_each() {
    let text = manifest("replicates: 1, replicate_unit: host-boot, whole_plot: arm, sessions: [1, 2, 2, 1]");
    let laboratory = Laboratory::with("echo", &text);
    laboratory.expect(0, &["lock", "echo"]);
    let said = laboratory.expect(3, &["run", "echo"]);
    assert!(said.stdout.contains("2 ok, 0 not ok"), "one session of two jobs: {said:?}");
    assert!(said.stderr.contains("next is session 2 of 4: boot the host for arm = 2, then run again"), "{said:?}");
    let said = laboratory.expect(3, &["run", "echo"]);
    assert!(said.stderr.contains("session 2 needs the host booted anew"), "{said:?}");
    let why = laboratory.expect(0, &["plan", "echo", "--why"]);
    assert_eq!(why.stdout.matches("waits: the host is booted anew for its session").count(), 4, "{why:?}");
}

#[test]
fn an_order_that_was_written_afterwards_is_not_taken_for_the_one_that_was_run() {
    // sessions: what was measured in one does not answer for another
    let early = "replicates: 1, whole_plot: arm, sessions: [1, 1, 2, 2]";
    let laboratory = Laboratory::measured("echo", &manifest(early));
    let later = early.replace("[1, 1, 2, 2]", "[1, 2, 2, 1]");
    laboratory.write("experiments/echo/experiment.yaml", manifest(&later).as_bytes());
    laboratory.expect(0, &["lock", "echo"]);
    let plan = laboratory.json(0, &["plan", "echo"]);
    assert_eq!(plan["to_run"], 6, "the first session alone is what it was: {plan:#}");
    // the order of jobs within a run: said, for keys do not tell
    let laboratory = Laboratory::measured("echo", &manifest("replicates: 4"));
    laboratory.commit();
    laboratory.expect(0, &["render", "echo"]);
    assert!(!laboratory.read("reports/echo/draft/paper.md").contains("in another order"));
    let other = manifest("replicates: 4").replace("seed: 7", "seed: 8");
    laboratory.write("experiments/echo/experiment.yaml", other.as_bytes());
    laboratory.expect(0, &["lock", "echo"]);
    laboratory.expect(0, &["render", "echo"]);
    let paper = laboratory.read("reports/echo/draft/paper.md");
    assert!(paper.contains("its jobs were run in another order than that which the manifest gives now"), "{paper}");
}

#[test]
fn a_person_is_told_to_set_up_each_session_anew() {
    let text = manifest("replicates: 1, whole_plot: arm, sessions: [1, 2, 2, 1]")
        .replace("1: {set: {}}, 2: {set: {}}", "1: {steps: [Boot into one.]}, 2: {steps: [Boot into two.]}")
        .replace("workloads:", "execution: manual\nworkloads:");
    let laboratory = Laboratory::with("echo", &text);
    laboratory.expect(0, &["lock", "echo"]);
    let sheet = laboratory.expect(0, &["plan", "echo", "--runsheet"]).stdout;
    for session in 1..=4 {
        assert!(sheet.contains(&format!("Session {session}: set up anew")), "{sheet}");
    }
    let steps = [sheet.matches("Boot into one.").count(), sheet.matches("Boot into two.").count()];
    assert_eq!(steps, [2, 2], "also where the arm stays what it was: {sheet}");
}

#[test]
fn sessions_that_can_not_be_are_refused_where_they_are_written() {
    let checked = |design: &str| Laboratory::with("echo", &manifest(design)).expect(0, &["check", "echo"]).stderr;
    let said = checked("replicates: 2, whole_plot: arm, sessions: [1, 1, 2, 2]");
    assert!(said.contains("all sessions of `1` come before those of `2`"), "{said}");
    assert!(said.contains("sessions follow one another without anything that is repeated"), "{said}");
    let said = checked("replicates: 2, replicate_unit: host-boot, whole_plot: arm, sessions: [1, 2, 2, 1]");
    assert!(!said.contains("warning"), "{said}");
    for (design, wanted) in [
        ("replicates: 2, whole_plot: arn, sessions: [1, 2]", &["no factor is called `arn`", "Did you mean `arm`?"][..]),
        ("replicates: 2, whole_plot: arm", &["the levels of `arm` have sessions: 1 0, 2 0"]),
        ("replicates: 2, whole_plot: arm, sessions: [1, 2, 2]", &["have sessions: 1 1, 2 2", "as often as any other"]),
        ("replicates: 2, whole_plot: arm, sessions: [1, 3]", &["the factor `arm` has no level `3`"]),
        ("replicates: 2, sessions: [1, 2]", &["sessions without a `whole_plot`"]),
    ] {
        let laboratory = Laboratory::with("echo", &manifest(design));
        let said = laboratory.expect(2, &["check", "echo"]);
        assert!(wanted.iter().all(|text| said.stderr.contains(text)), "{design}: {said:?}");
    }
}
