//! What commands share: formats, seeds, threads, how they end; and what to do about an error of the libraries, in the
//! words of this program's options: the libraries themselves only say what is wrong.

use anyhow::Context;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use indicatif::ProgressBar;
use setsight_desktop::Failure;
use setsight_eval::BaselineError;
use setsight_files::small_file::decode_text;
use setsight_files::whole_file::{refuse_foreign, write_atomic};
use setsight_files::{printable::print_lines, say};
use setsight_labels::convert::ConvertError;
use setsight_nets::engine::ModelsError;
use setsight_phone::{ListenError, StartError};
use setsight_photo::labels::DatasetError;
use setsight_train::{CheckpointError, TrainError};
use setsight_vision::PlanError;
use std::io::{self, IsTerminal, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::{error::Error, fs::File, ops::RangeInclusive, path::Path, time::Duration};

/// How a command prints its figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// For people
    #[default]
    Text,
    /// One line of JSON
    Json,
}

/// Where a command that prints figures is told how.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct OutputArgs {
    /// How to print the result
    #[arg(short, long, value_enum, default_value_t)]
    pub format: Format,
}

/// What games and deals are drawn from.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct SeedArgs {
    /// Seed of the first game or deal; the next ones take the seeds after it
    #[arg(long, default_value_t = SEED)]
    pub seed: u64,
}

/// The seed of a command that was given none: the same call gives the same result. Only what is asked to be
/// `--random` draws one, and says it.
pub const SEED: u64 = 1;

/// Most games whose figures are kept one by one.
pub const MOST_GAMES: u64 = 1_000_000;

/// How many at once.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct Jobs {
    /// How many to process at once; 0: one per core
    #[arg(short, long, value_name = "N", default_value_t = 0,
          value_parser = within::<u16>(0..=1024))]
    jobs: u16,
}

impl Jobs {
    /// At least one.
    pub fn count(self) -> usize {
        match self.jobs {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            jobs => usize::from(jobs),
        }
    }
}

/// Where the system gives no more threads, all is done on this one. Asked before the libraries start theirs, which
/// would panic.
pub fn settle_threads() {
    let many = 2 * std::thread::available_parallelism().map_or(1, usize::from) + 2;
    if let Err(error) = rayon::ThreadPoolBuilder::new().num_threads(many).build() {
        say!(
            "warning: the system gives no more threads ({error}); continuing with one, more slowly"
        );
        // Nobody has made it before.
        let _ = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global();
        IS_ALONE.store(true, Ordering::Relaxed);
    }
}

/// Least address space in which a photo of a phone is read, on two cores with ONNX Runtime, OpenCV and Z3.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LEAST_ADDRESS_SPACE: u64 = 224 << 20;

/// The limit of `ulimit -v`, if it is low enough to matter.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn narrow_address_space() -> Option<u64> {
    use rustix::process::{Resource, getrlimit};
    getrlimit(Resource::As).current.filter(|limit| *limit < 2 << 30)
}

/// Starts the program again with one heap for all threads where addresses are few, and for a server. glibc reserves
/// 64 to 128 MB of addresses for the heap of each thread, each heap keeps what the largest photo there took, and fewer
/// heaps can only be asked for before the first one.
pub fn settle_heaps(is_server: bool) {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        use std::os::unix::process::CommandExt;
        const HEAPS: &str = "MALLOC_ARENA_MAX";
        if (is_server || narrow_address_space().is_some())
            && std::env::var_os(HEAPS).is_none()
            && let Ok(program) = std::env::current_exe()
        {
            let mut words = std::env::args_os();
            let mut again = std::process::Command::new(program);
            again.arg0(words.next().unwrap_or_default()).args(words).env(HEAPS, "1");
            // It only returns if that fails; then the heaps may still fit.
            let _ = again.exec();
        }
    }
    #[cfg(not(all(target_os = "linux", target_env = "gnu")))]
    let _ = is_server;
}

/// Refuses to read photos where `ulimit -v` leaves no room for it: the libraries would abort.
pub fn check_address_space() -> anyhow::Result<()> {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    if let Some(limit) = narrow_address_space().filter(|limit| *limit < LEAST_ADDRESS_SPACE) {
        anyhow::bail!(
            "reading photos needs at least {} MB of address space, and `ulimit -v` allows {} MB; raise it",
            LEAST_ADDRESS_SPACE >> 20,
            limit >> 20
        );
    }
    Ok(())
}

static IS_ALONE: AtomicBool = AtomicBool::new(false);

/// Moves a bar also between messages: by a thread of its own, if there can be one.
pub fn tick(bar: &ProgressBar) {
    if !IS_ALONE.load(Ordering::Relaxed) {
        bar.enable_steady_tick(Duration::from_millis(200));
    }
}

/// Does work with so many threads for its parts, or with those that there are.
pub fn on_threads<R: Send>(count: usize, work: impl FnOnce() -> R + Send) -> R {
    match rayon::ThreadPoolBuilder::new().num_threads(count).build() {
        Ok(pool) => pool.install(work),
        Err(_) => work(),
    }
}

/// How a command ended; errors of the call itself are clap's.
pub enum Outcome {
    /// All good.
    Done,
    /// Something failed and was named on stderr.
    SomeFailed,
    /// Nothing that the call names is there, which was said on stderr.
    AllMissing,
}

/// An error and its causes in one line, with what to do; a cause that the text already names is not repeated.
pub fn error_message(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1) {
        let cause = cause.to_string();
        if !text.contains(&cause) {
            text += ": ";
            text += &cause;
        }
    }
    if let Some(advice) = error.chain().find_map(advice) {
        text += "; ";
        text += &advice;
    }
    text
}

/// An error of the caller that clap could not see: exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct BadCall(pub String);

/// Whether it is the call that is wrong: it names what is not there, or what clap could not see.
pub fn is_of_call(error: &anyhow::Error) -> bool {
    let mut causes = error.chain();
    error.is::<BadCall>()
        || causes.any(|cause| {
            matches!(cause.downcast_ref(), Some(DatasetError::Unreadable { source, .. })
                if source.kind() == io::ErrorKind::NotFound)
        })
}

/// The text of a file or, without one or with `-`, of stdin, and what to call it. `what` is a noun
/// for what is expected there, such as "file of deals".
pub fn read_input(path: Option<&Path>, limit: u64, what: &str) -> anyhow::Result<(String, String)> {
    let path = path.filter(|path| path.as_os_str() != "-");
    let (name, input): (String, Box<dyn Read>) = match path {
        Some(path) => {
            let name = path.display().to_string();
            let file = File::open(path).map_err(|error| {
                let message = format!("cannot open {name}: {error}");
                match error.kind() {
                    io::ErrorKind::NotFound => anyhow::Error::from(BadCall(message)),
                    _ => anyhow::anyhow!(message),
                }
            })?;
            (name, Box::new(file))
        }
        None => {
            if io::stdin().is_terminal() {
                say!("type a {what}; end with Ctrl-D");
            }
            ("stdin".to_owned(), Box::new(io::stdin()))
        }
    };
    let mut bytes = Vec::new();
    input.take(limit + 1).read_to_end(&mut bytes).with_context(|| format!("cannot read {name}"))?;
    if bytes.len() as u64 > limit {
        let message = format!("{name}: more than {limit} bytes; too large for a {what}");
        return Err(BadCall(message).into());
    }
    let text = decode_text(bytes).map_err(|error| BadCall(format!("{name}: {error}")))?;
    Ok((text, name))
}

/// An error in writing to a place that the call names: its own if something else would be replaced there.
pub fn unwritten(what: String, error: std::io::Error) -> anyhow::Error {
    match error.kind() {
        std::io::ErrorKind::AlreadyExists => {
            BadCall(format!("{what}: {error}; name another place")).into()
        }
        _ => anyhow::Error::new(error).context(what),
    }
}

/// Writes a file that the call names, whole; `-`, a device or a pipe is written to. A file that is there is replaced
/// if it begins with `start`, as what this program writes there does, and is not read in the same call.
pub fn put<F: AsRef<Path>>(
    file: &Path,
    start: &[u8],
    from: &[F],
    bytes: &[u8],
) -> anyhow::Result<()> {
    refuse_read(file, from)?;
    let written = if is_stdout(file) {
        let mut out = io::stdout().lock();
        out.write_all(bytes).and_then(|()| out.flush())
    } else if file.metadata().is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir()) {
        File::options().write(true).open(file).and_then(|mut out| out.write_all(bytes))
    } else {
        refuse_foreign(file, start).and_then(|()| write_atomic(file, bytes))
    };
    written.map_err(|error| unwritten(format!("{} cannot be written", file.display()), error))
}

/// Refuses to replace what the call is made from.
pub fn refuse_read<F: AsRef<Path>>(file: &Path, from: &[F]) -> Result<(), BadCall> {
    let target = file.canonicalize().ok().filter(|_| !is_stdout(file));
    let mut read = from.iter().map(AsRef::as_ref).filter(|read| read.as_os_str() != "-");
    if target.is_some() && read.any(|read| read.canonicalize().ok() == target) {
        let reason = "it is read in the same call and would be replaced; name another place";
        return Err(BadCall(format!("{} cannot be written: {reason}", file.display())));
    }
    Ok(())
}

/// Whether what is written to a path goes where stdout goes: `-`, or `/dev/stdout` by whatever name.
pub fn is_stdout(file: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::{fd::AsFd, unix::fs::MetadataExt};
        let stdout = io::stdout().as_fd().try_clone_to_owned().map(File::from);
        let stdout = stdout.and_then(|stdout| stdout.metadata());
        if let (Ok(stdout), Ok(named)) = (stdout, file.metadata())
            && (stdout.dev(), stdout.ino()) == (named.dev(), named.ino())
        {
            return true;
        }
    }
    file.as_os_str() == "-"
}

/// Prints what became of a call: on stdout, or on stderr if what it made goes there.
pub fn print_outcome(made: Option<&Path>, text: &str) -> anyhow::Result<()> {
    match made.is_some_and(is_stdout) {
        true => text.trim_end().split('\n').for_each(|line| say!("{line}")),
        false => print_lines(text).context("cannot write the result")?,
    }
    Ok(())
}

/// Reads one of some values by its name; `--help` lists all of them.
pub fn one_of<T: Copy + Send + Sync + 'static>(
    all: &'static [T],
    name_and_help: fn(T) -> (&'static str, &'static str),
) -> impl TypedValueParser<Value = T> {
    let listed = all.iter().map(move |value| {
        let (name, help) = name_and_help(*value);
        PossibleValue::new(name).help(help)
    });
    PossibleValuesParser::new(listed).map(move |name| {
        let named = all.iter().find(|value| name_and_help(**value).0 == name);
        *named.expect("one of those that are listed")
    })
}

/// Reads a whole number within bounds, which the error message names.
pub fn within<T: TryFrom<u64> + 'static>(
    range: RangeInclusive<u64>,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static {
    move |text| {
        let number = text.parse::<u64>().ok().filter(|number| range.contains(number));
        number.and_then(|number| T::try_from(number).ok()).ok_or_else(|| match range.end() {
            &u64::MAX => format!("expected a whole number, at least {}", range.start()),
            end => format!("expected a whole number, {} to {end}", range.start()),
        })
    }
}

/// What to do about this error; `None` where its message says all.
fn advice(error: &(dyn Error + 'static)) -> Option<String> {
    if let Some(error) = error.downcast_ref() {
        on_plan(error)
    } else if let Some(error) = error.downcast_ref() {
        on_models(error)
    } else if let Some(StartError::Listen(error)) = error.downcast_ref() {
        on_listening(error)
    } else if let Some(error) = error.downcast_ref() {
        on_window(error).map(str::to_owned)
    } else if let Some(ConvertError::Several { forms, .. }) = error.downcast_ref() {
        Some(format!("for instance --from-format {}", forms.split(' ').next()?))
    } else if let Some(DatasetError::NoLabels(_)) = error.downcast_ref() {
        Some(
            "correct photos in the window, or convert labels with `setsight dataset convert`"
                .into(),
        )
    } else if let Some(BaselineError::Malformed { .. }) = error.downcast_ref() {
        Some("`setsight eval --format json` prints one".into())
    } else if let Some(TrainError::Checkpoint(CheckpointError::Unwritable { .. })) =
        error.downcast_ref()
    {
        Some("then go on with --resume".into())
    } else {
        None
    }
}

fn on_window(error: &Failure) -> Option<&'static str> {
    match error {
        Failure::NoWindow(_) if cfg!(target_os = "linux") => Some(
            "on a machine without a screen start it as xvfb-run setsight app ..., over ssh log in with \
             ssh -X",
        ),
        Failure::NoWindow(_) => {
            Some("log in at the screen, or read photos in a browser by setsight serve")
        }
        Failure::NoOpenGl(_) => Some("or read photos in a browser by setsight serve"),
        Failure::NoPixels => {
            Some("or start it as xvfb-run -s \"-screen 0 1280x1024x24\" setsight app ...")
        }
        _ => None,
    }
}

fn on_plan(error: &PlanError) -> Option<String> {
    let text = match error {
        PlanError::Models(error) => return on_models(error),
        PlanError::OwnReader { .. } => "leave out --reader and --without",
        PlanError::NoOpenCv => "leave out --finder classical",
        PlanError::Chosen { .. } => "`setsight models reset` goes back to those inside the program",
    };
    Some(text.into())
}

fn on_models(error: &ModelsError) -> Option<String> {
    let text = match error {
        ModelsError::NotShipped(_) => {
            "give a folder that has it with --models DIR, or read without networks: --reader classical \
             --finder classical"
        }
        ModelsError::Unreadable { .. } => {
            "`setsight train --add PHOTOS --out DIR` writes a folder for --models"
        }
        ModelsError::Changed { .. } => "`setsight export manifest` names the files anew",
        _ => return None,
    };
    Some(text.into())
}

fn on_listening(error: &ListenError) -> Option<String> {
    match error {
        ListenError::Unknown(_) => Some("name one with --listen ADDRESS".into()),
        ListenError::PublicOnly(all) => {
            Some(format!("--listen {} serves there all the same", all.first()?))
        }
        ListenError::NoNetwork | ListenError::Elsewhere(_) | ListenError::Taken { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_named_once() {
        let error = anyhow::anyhow!("no such file").context("photo.jpg cannot be read");
        assert_eq!(error_message(&error), "photo.jpg cannot be read: no such file");
        let error = Err::<(), _>(error.context("photo.jpg (no such file)")).context("stopped");
        let error = error.unwrap_err();
        assert_eq!(
            error_message(&error),
            "stopped: photo.jpg (no such file): photo.jpg cannot be read"
        );
    }

    #[test]
    fn an_error_comes_with_the_options_that_the_library_does_not_know() {
        let error = PlanError::OwnReader { deck: "ours".into() };
        assert!(!error.to_string().contains("--"), "{error}");
        let text = error_message(&anyhow::Error::from(error).context("photo.jpg"));
        assert!(text.starts_with("photo.jpg: the deck ours has "), "{text}");
        assert!(text.ends_with("; leave out --reader and --without"), "{text}");
        let missing = ModelsError::NotShipped("models/dog.onnx".into());
        let text = error_message(&anyhow::Error::from(PlanError::Models(missing)));
        assert!(text.contains("give a folder that has it with --models DIR"), "{text}");
    }
}
