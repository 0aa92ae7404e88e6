//! The command line as its users meet it: output, files, exit codes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use assert_cmd::assert::OutputAssertExt;
use predicates::prelude::*;
use predicates::str::contains;

/// The program, in a folder of its own, free of the caller's environment.
fn patternbench(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_patternbench"));
    command
        .current_dir(folder)
        .env_remove("PATTERNBENCH_URI")
        .env_remove("COLUMNS")
        .env("NO_COLOR", "1")
        .stdin(Stdio::null());
    command
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder can be made")
}

/// A smoke run of product-list-page on the embedded server.
fn smoke_run(folder: &Path) -> Command {
    let mut command = patternbench(folder);
    command.args(["run", "product-list-page", "--profile", "smoke", "--server", "embedded"]);
    command
}

/// The only run in a results folder.
fn only_run(results: &Path) -> PathBuf {
    let runs = fs::read_dir(results).and_then(Iterator::collect::<std::io::Result<Vec<_>>>).expect("there are results");
    assert_eq!(runs.len(), 1, "one run, one folder: {runs:?}");
    runs[0].path()
}

fn json(bytes: &[u8]) -> serde_json::Value {
    serde_json::from_slice(bytes).expect("this is JSON")
}

#[test]
fn list_names_every_scenario_of_the_folder() {
    let folder = folder();
    let output = patternbench(folder.path()).args(["list", "--json"]).assert().success().get_output().stdout.clone();
    let mut names: Vec<_> =
        json(&output).as_array().unwrap().iter().map(|entry| entry["name"].as_str().unwrap().to_owned()).collect();
    names.sort();
    let mut files: Vec<_> = fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "yaml"))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    files.sort();
    assert_eq!(names, files);
}

#[test]
fn list_filters_by_pattern() {
    let folder = folder();
    patternbench(folder.path())
        .args(["list", "--pattern", "bucket"])
        .assert()
        .success()
        .stdout(contains("bucket-sensors").and(contains("product-list-page").not()));
}

#[test]
fn a_page_is_the_same_each_time_and_holds_documents_that_a_pipeline_made() {
    let folder = folder();
    let page = || {
        let show = ["show", "product-list-page", "--markdown", "--server", "embedded"];
        let output = patternbench(folder.path()).args(show).assert().success().get_output().stdout.clone();
        String::from_utf8(output).expect("Markdown is text")
    };
    let first = page();
    // Only the model's pipeline makes these fields, so the documents come from a server.
    assert!(first.contains("reviewCount: 5\nratingSum: "), "{first}");
    assert!(first.contains("{insert: \"reviews\"") || first.contains("insert: \"reviews\","), "{first}");
    assert_eq!(page(), first);
}

#[test]
fn pages_of_all_scenarios_are_written_with_a_table_of_contents() {
    let folder = folder();
    let show = ["show", "--all", "--markdown", "--no-server", "--out", "book"];
    patternbench(folder.path()).args(show).assert().success();
    let contents = fs::read_to_string(folder.path().join("book/README.md")).unwrap();
    for name in patternbench::scenario::builtin_names() {
        assert!(contents.contains(&format!("(pages/{name}.md)")), "{name}");
        let page = fs::read_to_string(folder.path().join(format!("book/pages/{name}.md"))).unwrap();
        assert!(page.contains(&format!("patternbench run {name}\n")), "{page}");
    }
    patternbench(folder.path()).args(["show", "--all"]).assert().code(2).stderr(contains("--out"));
    patternbench(folder.path()).arg("show").assert().code(2).stderr(contains("SCENARIO"));
}

#[test]
fn a_reader_that_stops_reading_is_no_error() {
    let folder = folder();
    let mut child = patternbench(folder.path())
        .args(["schema", "run"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
}

#[test]
fn a_misspelt_scenario_gets_the_nearest_name() {
    let folder = folder();
    patternbench(folder.path())
        .args(["run", "product-list-pgae"])
        .assert()
        .code(2)
        .stderr(contains("did you mean `product-list-page`?"));
}

#[test]
fn run_with_nothing_named_says_what_to_try() {
    let folder = folder();
    let tried = ["patternbench list", "patternbench run product-list-page", "patternbench new"];
    let output = patternbench(folder.path()).arg("run").assert().code(2).get_output().stderr.clone();
    let text = String::from_utf8(output).unwrap();
    for command in tried {
        assert!(text.contains(command), "{command} is missing in:\n{text}");
    }
}

#[test]
fn a_new_scenario_passes_check_as_written_and_is_not_overwritten() {
    let folder = folder();
    patternbench(folder.path()).args(["new", "my-models"]).assert().success();
    patternbench(folder.path())
        .args(["check", "my-models.yaml", "--server", "embedded"])
        .assert()
        .success()
        .stdout(contains("0 mismatches"));

    fs::write(folder.path().join("my-models.yaml"), "mine").unwrap();
    patternbench(folder.path()).args(["new", "my-models"]).assert().code(2).stderr(contains("exists already"));
    assert_eq!(fs::read_to_string(folder.path().join("my-models.yaml")).unwrap(), "mine");
}

#[test]
fn a_field_that_no_answer_holds_is_no_agreement() {
    let folder = folder();
    let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/product-list-page.yaml")).unwrap();
    let misspelt = text.replace("category.name, reviewCount, rating]", "category.name, reviewCuont, rating]");
    assert_ne!(misspelt, text);
    fs::write(folder.path().join("misspelt.yaml"), misspelt).unwrap();
    patternbench(folder.path())
        .args(["check", "misspelt.yaml", "--server", "embedded"])
        .assert()
        .code(2)
        .stderr(contains("`list_page`").and(contains("`reviewCuont`")));
}

#[test]
fn a_name_that_no_database_can_bear_is_refused() {
    let folder = folder();
    patternbench(folder.path()).args(["new", "My Models"]).assert().code(2).stderr(contains("`my-models`"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn files_that_are_no_scenarios_end_with_2_and_never_with_a_panic() {
    let folder = folder();
    let deep = format!("a: {}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let files: [(&str, Vec<u8>); 6] = [
        ("empty.yaml", vec![]),
        ("binary.yaml", vec![0xff, 0xfe, 0x00, 0x80]),
        ("huge.yaml", vec![b'a'; 2 << 20]),
        ("deep.yaml", deep.into_bytes()),
        ("broken.yaml", b"format: 1\n  title: [\n".to_vec()),
        ("list.yaml", b"- 1\n- 2\n".to_vec()),
    ];
    for (name, content) in files {
        fs::write(folder.path().join(name), content).unwrap();
        patternbench(folder.path())
            .args(["check", name, "--no-server"])
            .assert()
            .code(2)
            .stderr(contains(name).and(contains("panicked").not()));
    }
}

#[test]
fn a_closed_port_ends_with_4_and_says_what_to_do() {
    let folder = folder();
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    patternbench(folder.path())
        .args(["run", "product-list-page", "--profile", "smoke", "--uri", &format!("mongodb://127.0.0.1:{port}")])
        .assert()
        .code(4)
        .stderr(contains(format!("127.0.0.1:{port}")).and(contains("--server embedded")));
}

#[test]
fn a_smoke_run_leaves_a_record_and_a_report_that_can_be_made_again() {
    let folder = folder();
    smoke_run(folder.path())
        .args(["--label", "first"])
        .assert()
        .success()
        .stdout(contains("list_page").and(contains("not mongod's")));

    let run = only_run(&folder.path().join("results"));
    let record = json(&fs::read(run.join("run.json")).unwrap());
    assert_eq!(record["schema"], "patternbench.run/1");
    assert_eq!(record["complete"], true);
    assert_eq!(record["label"], "first");
    assert_eq!(record["scenarios"][0]["parity"]["mismatches"], 0);
    assert_eq!(record["scenarios"][0]["closing_parity"]["mismatches"], 0);

    let html = fs::read_to_string(run.join("report.html")).unwrap();
    assert!(html.contains("<svg") && !html.contains("<script"), "a report is one file without scripts");
    fs::remove_file(run.join("report.html")).unwrap();
    patternbench(folder.path()).arg("report").arg(&run).arg("--html").assert().success();
    assert_eq!(fs::read_to_string(run.join("report.html")).unwrap(), html, "made from run.json alone");
    patternbench(folder.path()).arg("report").arg(&run).assert().success().stdout(contains("list_page"));
    let narrow = patternbench(folder.path()).env("COLUMNS", "76").arg("report").arg(&run).assert().success();
    let narrow = String::from_utf8_lossy(&narrow.get_output().stdout).into_owned();
    assert!(narrow.lines().all(|line| line.chars().count() <= 76), "COLUMNS says how wide a line may be: {narrow}");
}

/// What a run's folder holds, by name.
fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the folder is there").map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = entries.map(|name| name.into_string().expect("a plain name")).collect();
    names.sort();
    names
}

#[test]
fn a_run_is_exported_for_people_and_programs_beside_its_record() {
    let folder = folder();
    smoke_run(folder.path()).arg("--quiet").assert().success();
    let run = only_run(&folder.path().join("results"));
    let exports = ["--html", "--markdown", "--csv", "--hgrm", "--hlog", "--junit"];
    let told = patternbench(folder.path()).arg("report").arg(&run).args(exports).assert().success();
    told.stdout(contains("wrote").count(exports.len()).and(contains("junit.xml")));
    let expected =
        ["hgrm", "junit.xml", "report-charts", "report.csv", "report.hlog", "report.html", "report.md", "run.json"];
    assert_eq!(names_in(&run), expected);

    let report = fs::read_to_string(run.join("report.md")).unwrap();
    for chart in names_in(&run.join("report-charts")) {
        assert!(report.contains(&format!("](report-charts/{chart})")), "{chart} is linked");
    }
    assert!(report.contains("not mongod's") && report.contains("| **list_page** | naive |"), "{report}");
    let figures = fs::read_to_string(run.join("report.csv")).unwrap();
    assert!(figures.lines().any(|line| line.contains(",page,pattern,list_page,p95,measured,")), "{figures}");
    assert!(names_in(&run.join("hgrm")).contains(&"product-list-page.default.page.list_page.response.hgrm".to_owned()));
    let results = fs::read_to_string(run.join("junit.xml")).unwrap();
    assert!(
        results.contains("<testsuite name=\"product-list-page\"") && results.contains("failures=\"0\""),
        "{results}"
    );

    let again = || patternbench(folder.path()).arg("report").arg(&run).arg("--csv=-").assert().success();
    assert_eq!(again().get_output().stdout, figures.as_bytes(), "the same bytes, and nothing else");
    let printed = patternbench(folder.path()).arg("report").arg(&run).arg("--json").assert().success();
    let printed = json(&printed.get_output().stdout);
    assert_eq!(printed["scenarios"][0]["name"], "product-list-page");
    assert_eq!(printed["scenarios"][0].get("rounds"), None);
}

#[test]
fn exports_that_cannot_go_where_they_are_sent_are_refused_before_anything_is_written() {
    let folder = folder();
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("results/sample");
    fs::copy(sample.join("run.json"), folder.path().join("run.json")).unwrap();
    fs::write(folder.path().join("file"), "mine").unwrap();
    let refused = |arguments: &[&str], why: &str| {
        let arguments = arguments.iter().copied();
        let told = patternbench(folder.path()).arg("report").args(arguments).assert().code(2);
        told.stderr(contains(why));
    };
    refused(&["run.json", "--csv=."], "that is a folder; name a file in it");
    refused(&["run.json", "--hgrm=file"], "that is a file; name a folder");
    refused(&["run.json", "--hgrm=-"], "--hgrm=FOLDER");
    refused(&["run.json", "--markdown=nowhere/report.md"], "there is no folder nowhere; make it first");
    refused(&["run.json", "--csv=-", "--markdown=-"], "cannot both go to standard output");
    refused(&["run.json", "--json", "--csv=-"], "do not go together");
    refused(&["run.json", "run.json", "--csv=all.csv"], "--csv=FILE takes one run");
    refused(&["file", "--csv"], "failed to read file");
    assert_eq!(names_in(folder.path()), ["file", "run.json"]);
    assert_eq!(fs::read_to_string(folder.path().join("file")).unwrap(), "mine");

    // What was asked for by name is there under that name, its charts beside it.
    let named = ["report", "run.json", "--markdown=my report.md", "--hgrm=distributions"];
    patternbench(folder.path()).args(named).assert().success();
    assert_eq!(names_in(folder.path()), ["distributions", "file", "my report-charts", "my report.md", "run.json"]);
    let report = fs::read_to_string(folder.path().join("my report.md")).unwrap();
    assert!(report.contains("](my%20report-charts/"), "a link holds no blank");
}

#[test]
fn the_help_of_report_names_every_column_and_every_default() {
    let folder = folder();
    let help = patternbench(folder.path()).args(["report", "--help"]).assert().success().get_output().stdout.clone();
    let help = String::from_utf8(help).unwrap();
    let columns = help.split("Columns of report.csv").nth(1).expect("columns are told");
    for (name, _) in patternbench::report::CSV_COLUMNS {
        let told = columns.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| word == name);
        assert!(told, "{name}");
    }
    for export in patternbench::report::Export::ALL {
        assert!(help.contains(export.option()) && help.contains(export.default_name()), "{export:?}");
    }
}

/// A scenario whose texts, claims and values try everything that a title can.
const HOSTILE: &str = r##"
format: 1
title: "=1+1 <script>alert(1)</script> **bold** [link](http://x.example) | ]]> @ann \u202E שלום 🙂 \e[31m"
summary: "<!-- <details> `code` $x$ ]]>\n\n# heading"
claims:
  - {operation: all, metric: documents, ratio_at_least: 0.5, source: "=cmd|'/C calc'!A0 <img src=x onerror=alert(1)>"}
dataset:
  notes: {count: 200, document: {_id: ^index, text: "<script>alert(2)</script> ``` =1+1 \u202E", LONG: "]]> 🙂"}}
models:
  naive:
    role: naive
    title: "@SUM(1) <b>naive</b>"
    collections: {notes: {from: notes}}
    operations: {read: {growth: constant, steps: [{findOne: {collection: notes, filter: {_id: ^note, text: {$ne: "</pre>```"}}}}]}}
  fancy:
    role: pattern
    title: "+1 _fancy_"
    collections: {notes: {from: notes}}
    operations: {read: {growth: constant, steps: [{findOne: {collection: notes, filter: {_id: ^note}}}]}}
workload:
  read: {weight: 1, args: {note: {^key: notes}}, returns: {fields: [text, LONG]}}
"##;

#[test]
fn a_hostile_scenario_is_measured_and_every_output_stays_what_it_is() {
    let folder = folder();
    fs::write(folder.path().join("hostile.yaml"), HOSTILE.replace("LONG", &"n".repeat(1_000))).unwrap();
    let run = ["run", "hostile.yaml", "--profile", "smoke", "--server", "embedded"];
    let told = patternbench(folder.path()).args(run).assert().success().get_output().stdout.clone();
    let told = String::from_utf8(told).unwrap();
    assert!(!told.contains(['\u{1b}', '\u{202E}']), "{told}");
    let run = only_run(&folder.path().join("results"));
    let exports = ["--html", "--markdown", "--csv", "--hgrm", "--hlog", "--junit"];
    patternbench(folder.path()).arg("report").arg(&run).args(exports).assert().success();
    let read = |name: &str| fs::read_to_string(run.join(name)).unwrap();
    for name in ["report.html", "report.md", "report.csv", "report.hlog", "junit.xml"] {
        assert!(!read(name).contains(['\u{1b}', '\u{202E}']), "{name}");
    }
    assert!(!read("report.html").contains("<script") && !read("report.html").contains("<img"));
    // A key of YAML can have no more than 1,024 characters.
    assert!(read("report.html").contains(&"n".repeat(1_000)), "the document is shown with its field's whole name");
    assert!(read("junit.xml").contains("&lt;img src=x") && !read("junit.xml").contains("]]>"));
    let figures = read("report.csv");
    assert!(figures.lines().all(|line| line.split(',').all(|cell| !cell.trim_matches('"').starts_with(['=', '@']))));
    assert!(!read("report.md").contains("<script>alert(1)"), "only fenced code holds what was sent and stored");
}

#[test]
fn the_schema_of_run_json_accepts_a_run() {
    let folder = folder();
    let schema = patternbench(folder.path()).args(["schema", "run"]).assert().success().get_output().stdout.clone();
    let validator = jsonschema::validator_for(&json(&schema)).unwrap();
    smoke_run(folder.path()).arg("--quiet").assert().success();
    let run = only_run(&folder.path().join("results"));
    let record = json(&fs::read(run.join("run.json")).unwrap());
    let errors: Vec<_> = validator.iter_errors(&record).map(|error| error.to_string()).collect();
    assert_eq!(errors, Vec::<String>::new());
}

#[test]
fn a_results_folder_that_cannot_be_written_is_found_before_measuring() {
    let folder = folder();
    fs::write(folder.path().join("results"), "a file, no folder").unwrap();
    smoke_run(folder.path()).assert().code(4).stderr(contains("results").and(contains("loaded").not()));
}

#[test]
fn options_that_contradict_a_server_of_our_own_are_refused() {
    let folder = folder();
    for option in ["--keep-data", "--reuse"] {
        smoke_run(folder.path()).arg(option).assert().code(2).stderr(contains(option));
    }
}

#[test]
fn a_server_kind_and_a_dry_run_say_what_does_not_fit() {
    let folder = folder();
    let run = |options: &[&str]| {
        patternbench(folder.path()).args(["run", "product-list-page"]).args(options).assert().code(2)
    };
    run(&["--server", "mongod="]).stderr(contains("a path is missing"));
    run(&["--server", "embedded=/bin/true"]).stderr(contains("only mongod and simulated take a path"));
    run(&["--dry-run", "--json"]).stderr(contains("--json"));
}

#[test]
fn a_dry_run_says_the_whole_plan_and_touches_nothing() {
    let folder = folder();
    let run = ["run", "product-list-page", "--dry-run", "--rate", "500", "--rounds", "6", "--restarts", "2"];
    let parts = [
        "models",
        "naive (naive)",
        "mode        open",
        "500/s, constant arrivals",
        "6 of about 1.5 s",
        "restarts    2",
        "round 12:",
        "list_page",
        "with interval",
        "reviews of naive grows by",
        "state",
        "estimate    about",
        "(calibration decides)",
    ];
    let told = patternbench(folder.path()).args(run).assert().success().get_output().stdout.clone();
    let text = String::from_utf8(told).unwrap();
    for part in parts {
        assert!(text.contains(part), "`{part}` is missing in:\n{text}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "no results folder is made for it");
}

#[test]
fn conditions_are_named_and_what_they_mean_is_in_the_help() {
    let folder = folder();
    let unknown = ["run", "product-list-page", "--fail-on", "everything"];
    patternbench(folder.path()).args(unknown).assert().code(2).stderr(contains("disturbed"));
    let help = patternbench(folder.path()).args(["run", "--help"]).assert().success();
    help.stdout(contains("Fewer than half of the rounds of naive and a pattern"));
}

/// Interrupts a run of the command once it has begun, and gives its exit code; a hang fails the test.
#[cfg(unix)]
fn interrupted(mut command: Command, begun: impl FnOnce(&mut std::process::Child)) -> Option<i32> {
    use std::time::{Duration, Instant};

    let mut process = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the program starts");
    begun(&mut process);
    Command::new("kill").args(["-INT", &process.id().to_string()]).assert().success();
    let patience = Instant::now() + Duration::from_secs(60);
    while Instant::now() < patience {
        if let Some(status) = process.try_wait().expect("a child of ours") {
            return status.code();
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    process.kill().expect("a child of ours");
    process.wait().expect("a child of ours");
    panic!("the interrupt was not heard");
}

#[cfg(unix)]
#[test]
fn an_interrupt_is_heard_while_a_large_dataset_is_hashed() {
    use std::io::BufRead;

    let folder = folder();
    let mut command = patternbench(folder.path());
    // 800 million reviews, which take many minutes.
    command.args(["run", "product-list-page", "--set", "products=40000000", "--server", "embedded"]);
    let code = interrupted(command, |process| {
        let stderr = std::io::BufReader::new(process.stderr.take().unwrap());
        assert!(stderr.lines().any(|line| line.unwrap().starts_with("product-list-page: ")), "the scenario begins");
    });
    assert_eq!(code, Some(130));
}

#[test]
fn an_unknown_parameter_gets_the_nearest_name() {
    let folder = folder();
    smoke_run(folder.path()).args(["--set", "product=5"]).assert().code(2).stderr(contains("products"));
}

#[test]
fn servers_of_their_own_are_refused_where_a_connection_string_names_one() {
    let folder = folder();
    let uri = "mongodb://127.0.0.1:1";
    patternbench(folder.path())
        .args(["run", "product-list-page", "--isolation", "process", "--uri", uri])
        .assert()
        .code(2)
        .stderr(contains("--isolation process needs servers that patternbench starts"));
    assert!(!folder.path().join("results").exists());
}

#[test]
fn help_teaches_with_examples_and_exit_codes() {
    let folder = folder();
    patternbench(folder.path())
        .arg("--help")
        .assert()
        .success()
        .stdout(contains("Examples:").and(contains("Exit codes:")));
    patternbench(folder.path())
        .args(["completions", "bash"])
        .assert()
        .success()
        .stdout(predicate::str::is_empty().not());
}
