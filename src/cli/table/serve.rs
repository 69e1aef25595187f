//! `setsight serve`: a page on which a phone is the camera.

mod archive;
mod teller;

use super::{live::summary, photos::ReadingArgs};
use crate::cli::common::{BadCall, Outcome, told};
use crate::cli::{stop, terminal};
use archive::ResultArchive;
use setsight_phone::{Code, Listen, Options, Server, ServerEvent};
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{collections::HashMap, io, path::PathBuf, sync::atomic::Ordering, thread};
use teller::Teller;

/// How often it is looked whether the command is to end.
const PAUSE: Duration = Duration::from_millis(100);
/// How often it is looked whether this computer has come into another network.
const NETWORK_PAUSE: Duration = Duration::from_secs(2);

/// Arguments of `serve`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  setsight serve\n  setsight serve --keep found\n  \
                        setsight serve --listen 192.168.1.20:8780\n\n\
                        Enter shows the code again, Ctrl-C ends it.")]
pub struct Args {
    /// Keep the photos in this folder, and what lies on them, as `scan --out` writes it
    ///
    /// Without it nothing is kept. The photos go to the folder photos in it. Live pictures are never
    /// kept.
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// Listen on this address alone [default: all private ones of this computer]
    ///
    /// Such as 192.168.1.20 or [fd00::2]:8780. Without a port it is 8780, or the next one that is free. A
    /// public address is listened on only if it is named here.
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    listen: Option<Listen>,
    #[command(flatten)]
    reading: ReadingArgs,
}

fn address(text: &str) -> Result<Listen, String> {
    if let Ok(address) = text.parse::<SocketAddr>() {
        return Ok(Listen::At(address.ip(), Some(address.port()).filter(|&port| port > 0)));
    }
    let ip = text.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    let ip = ip.map_err(|_| "expected an address such as 192.168.1.20, with :PORT if need be")?;
    Ok(Listen::At(ip, None))
}

/// Serves the page until Ctrl-C.
pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let stop = stop::asked();
    let pipeline = Arc::new(args.reading.pipeline()?);
    let archive = args.keep.as_deref().map(ResultArchive::create).transpose()?.map(Mutex::new);
    let handler =
        Arc::new(EventHandler { archive, told: Mutex::default(), teller: Teller::start()? });
    let hears = Arc::clone(&handler);
    let on_event = Box::new(move |event: ServerEvent<'_>| hears.tell(event));
    let listen = args.listen.unwrap_or(Listen::Private);
    let mut server = Server::start(&Options::at(listen), Box::new(pipeline), on_event)
        .map_err(|error| BadCall(told(&error.into())))?;
    tell_addresses(&server, &handler.teller);
    let mut looked = Instant::now();
    while !stop.load(Ordering::Relaxed) {
        thread::sleep(PAUSE);
        if teller::enter_was_pressed() {
            handler.teller.draw(code_of(&server));
        }
        if looked.elapsed() >= NETWORK_PAUSE {
            looked = Instant::now();
            if server.follow_network() {
                handler.teller.say("This computer's network has changed.".to_owned());
                handler.teller.draw(code_of(&server));
            }
        }
    }
    server.stop();
    setsight_live::end_children();
    let failed = handler.finish()?;
    Ok(if failed { Outcome::SomeFailed } else { Outcome::Done })
}

/// The code to scan, the addresses, and what is typed instead.
fn code_of(server: &Server) -> String {
    let addresses = server.addresses();
    let colors = terminal::shows_colors(&io::stderr());
    let code = addresses.first().and_then(|first| Code::of(first));
    let code = code.map(|code| code.text(colors) + "\n").unwrap_or_default();
    let open = "Scan this code with a phone on the same network, or open there:\n  ";
    let typed = addresses.first().and_then(|first| first.split_once("/#")).map_or("", |(at, _)| at);
    code + open + &addresses.join("\n  ") + &format!("\nor type {typed} and then {}", server.code())
}

/// What may be in a phone's way, what it will warn of, and last the code to scan and the addresses, so
/// that a terminal of 24 lines shows these together.
fn tell_addresses(server: &Server, teller: &Teller) {
    teller.say(format!(
        "If a phone cannot open the page: let setsight through this computer's firewall (TCP), and use no \
         guest Wi-Fi, which keeps devices apart; a hotspot of the phone often works.\n\
         For live pictures the page asks for HTTPS; this certificate is the computer's own, SHA-256\n  {}",
        server.fingerprint()
    ));
    if let Some(reason) = server.certificate_not_kept() {
        teller.say(format!(
            "warning: the certificate cannot be kept ({reason}); phones will ask again next time"
        ));
    }
    teller.draw(code_of(server));
    let enter = if teller::enter_is_heard() { "Enter shows the code again, " } else { "" };
    teller.say(format!("Whoever has the address can use this page; {enter}Ctrl-C ends it."));
}

/// Tells on the terminal what phones do, and keeps their photos.
struct EventHandler {
    archive: Option<Mutex<ResultArchive>>,
    /// What was told last of each phone's live pictures.
    told: Mutex<HashMap<u32, String>>,
    teller: Teller,
}

impl EventHandler {
    fn tell(&self, event: ServerEvent<'_>) {
        let say = |text: String| self.teller.say(text);
        match event {
            ServerEvent::Came { phone } => say(format!("phone {phone} is here")),
            ServerEvent::Left { phone, reason } => {
                self.told.lock().unwrap_or_else(PoisonError::into_inner).remove(&phone);
                let reason = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
                say(format!("phone {phone}: its live pictures have ended{reason}"));
            }
            ServerEvent::NotRead { phone, reason } => {
                say(format!("phone {phone}: the photo {reason}"))
            }
            ServerEvent::Photo { phone, bytes, reading, times } => {
                self.teller.result(format!("phone {phone}, photo: {}", reading.table.summary()));
                if let Some(archive) = &self.archive {
                    let mut archive = archive.lock().unwrap_or_else(PoisonError::into_inner);
                    if let Err(error) = archive.keep(bytes, reading, times) {
                        say(told(&error));
                    }
                }
            }
            // The first view says what there is to say.
            ServerEvent::Live { .. } => {}
            ServerEvent::View { phone, view } => {
                let text = summary(view);
                let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
                if told.get(&phone) != Some(&text) {
                    self.teller.result(format!("phone {phone}, live: {text}"));
                    told.insert(phone, text);
                }
            }
        }
    }

    /// Finishes the folder of what was kept; whether something could not be kept.
    fn finish(&self) -> anyhow::Result<bool> {
        let Some(archive) = &self.archive else { return Ok(false) };
        let mut archive = archive.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = archive.finish()? {
            self.teller.say(kept);
        }
        Ok(archive.failed)
    }
}
