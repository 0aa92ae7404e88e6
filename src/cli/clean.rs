//! `patternbench clean`.

use std::fmt::Write;

use super::args::CleanArgs;
use super::connect;
use super::exit::{Exit, Failure};
use super::output;
use crate::guard::{self, Found, Standing};
use crate::record;

/// Lists the databases that bear patternbench's marker, then drops those that no run owns any more.
///
/// # Errors
/// The server cannot be reached, or must not be touched.
pub(super) async fn run(args: &CleanArgs) -> Result<Exit, Failure> {
    let server = connect::open(&args.server, None).await?;
    if server.is_ours() {
        output::print(
            "nothing to clean: a server that patternbench starts takes its data with it; name yours with --uri\n",
        )?;
        return Ok(Exit::Done);
    }
    let client = server.client(1).await?;
    let survey = guard::orphans(&client).await?;
    let run = format!("clean-{}", record::Stamp::now().compact());
    let mut dropped = 0_u32;
    for found in &survey.found {
        output::print(&format!("{found}\n"))?;
        if is_to_go(found, args.kept) {
            guard::remove(&client, found, &run).await?;
            dropped += 1;
        }
    }
    output::print(&closing(dropped, survey.found.len(), &survey.unmarked, args.kept))?;
    server.stop().await;
    Ok(Exit::Done)
}

const fn is_to_go(found: &Found, kept: bool) -> bool {
    match found.standing {
        Standing::Orphan => true,
        Standing::Kept => kept,
        Standing::Live => false,
    }
}

fn closing(dropped: u32, found: usize, unmarked: &[String], kept: bool) -> String {
    let mut text = match (found, dropped) {
        (0, _) => "nothing to clean\n".to_owned(),
        (_, 0) => "nothing was dropped\n".to_owned(),
        (_, 1) => "dropped 1 database\n".to_owned(),
        (_, count) => format!("dropped {count} databases\n"),
    };
    if !kept && found > dropped as usize {
        text.push_str("kept data stay; `patternbench clean --kept` drops them too\n");
    }
    for name in unmarked {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name} bears no marker of patternbench and was left alone");
    }
    text
}
