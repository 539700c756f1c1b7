//! Results on standard output. A reader that has gone (`| head`) ends the verb quietly; a full disk is an error: neither
//! is a panic, as `println!` would have it. Colours are left out where they are not wanted: NO_COLOR, a pipe, a file.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write};

/// Writes a line to standard output.
macro_rules! say {
    ($($words:tt)*) => { $crate::output::write(format_args!("{}\n", format_args!($($words)*))) };
}
pub(crate) use say;

/// Writes text to standard output; does not return when that cannot be done.
pub(crate) fn write(text: Arguments<'_>) {
    let written = anstream::stdout().write_fmt(text);
    match written {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::BrokenPipe => std::process::exit(0),
        Err(error) => {
            eprintln!("error: cannot write to standard output: {error}");
            std::process::exit(2);
        }
    }
}
