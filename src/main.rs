//! The `patternbench` command: parses arguments, calls the library, turns the error into an exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    patternbench::cli::main()
}
