//! Reads the clipboard of X11: the selection CLIPBOARD of the ICCCM, in one piece or in many.

use super::{Clock, News, Refusal, Taken, Teller, take, ways};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use setsight_photo::source::MAX_FILE_BYTES;
use std::os::fd::AsFd;
use std::thread;
use x11rb::connection::Connection;
use x11rb::errors::ReplyOrIdError;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    Atom, AtomEnum, ConnectionExt, CreateWindowAux, EventMask, GetPropertyReply, Property, Window,
    WindowClass,
};
use x11rb::rust_connection::RustConnection;

/// Reads the clipboard in a thread of its own.
pub fn paste(teller: Teller) {
    thread::spawn(move || teller.tell(News::Pasted(read())));
}

fn read() -> Taken {
    let Ok(reader) = Reader::new() else { return Taken::Refused(Refusal::NotGiven) };
    // Where nobody has copied anything, nothing is offered.
    let Ok(offered) = reader.offered() else { return Taken::Nothing };
    take(&ways(&offered, false), |name| {
        let atom = reader.atom(name)?;
        reader.read(atom)
    })
}

/// A window that is never seen, to which the clipboard's owner hands its data.
struct Reader {
    connection: RustConnection,
    window: Window,
    clipboard: Atom,
    property: Atom,
    incremental: Atom,
}

impl From<x11rb::errors::ConnectionError> for Refusal {
    fn from(_: x11rb::errors::ConnectionError) -> Self {
        Self::NotGiven
    }
}

impl From<x11rb::errors::ReplyError> for Refusal {
    fn from(_: x11rb::errors::ReplyError) -> Self {
        Self::NotGiven
    }
}

impl Reader {
    fn new() -> Result<Self, ReplyOrIdError> {
        let (connection, screen) =
            x11rb::connect(None).map_err(|_| ReplyOrIdError::IdsExhausted)?;
        let window = connection.generate_id()?;
        let root = connection.setup().roots[screen].root;
        let wanted = CreateWindowAux::new().event_mask(EventMask::PROPERTY_CHANGE);
        connection.create_window(
            0,
            window,
            root,
            0,
            0,
            1,
            1,
            0,
            WindowClass::INPUT_ONLY,
            0,
            &wanted,
        )?;
        let atom = |name: &str| -> Result<Atom, ReplyOrIdError> {
            Ok(connection.intern_atom(false, name.as_bytes())?.reply()?.atom)
        };
        let clipboard = atom("CLIPBOARD")?;
        let property = atom("SETSIGHT_PASTE")?;
        let incremental = atom("INCR")?;
        Ok(Self { connection, window, clipboard, property, incremental })
    }

    fn atom(&self, name: &str) -> Result<Atom, Refusal> {
        Ok(self.connection.intern_atom(false, name.as_bytes())?.reply()?.atom)
    }

    /// The names of what can be asked for.
    fn offered(&self) -> Result<Vec<String>, Refusal> {
        let bytes = self.read(self.atom("TARGETS")?)?;
        let (atoms, _) = bytes.as_chunks();
        let atoms = atoms.iter().map(|&atom| Atom::from_ne_bytes(atom));
        let asked: Vec<_> =
            atoms.map(|atom| self.connection.get_atom_name(atom)).collect::<Result<_, _>>()?;
        let names = asked.into_iter().filter_map(|name| name.reply().ok());
        Ok(names.map(|name| String::from_utf8_lossy(&name.name).into_owned()).collect())
    }

    /// What the clipboard's owner gives as the target.
    fn read(&self, target: Atom) -> Result<Vec<u8>, Refusal> {
        let mut clock = Clock::new();
        let (connection, window, property) = (&self.connection, self.window, self.property);
        connection.delete_property(window, property)?;
        let now = x11rb::CURRENT_TIME;
        connection.convert_selection(window, self.clipboard, target, property, now)?;
        loop {
            if let Event::SelectionNotify(event) = self.next(&clock)?
                && event.target == target
            {
                if event.property == x11rb::NONE {
                    return Err(Refusal::NotGiven);
                }
                break;
            }
        }
        let whole = self.piece()?;
        if whole.type_ != self.incremental {
            return Ok(whole.value);
        }
        // The owner writes the next piece whenever the last one was taken away; one of no bytes is
        // the last.
        let mut bytes = Vec::new();
        loop {
            clock.hear();
            loop {
                if let Event::PropertyNotify(event) = self.next(&clock)?
                    && event.atom == property
                    && event.state == Property::NEW_VALUE
                {
                    break;
                }
            }
            let piece = self.piece()?;
            if piece.type_ == x11rb::NONE {
                // An earlier notice of what was taken away already.
                continue;
            }
            if piece.value.is_empty() {
                return Ok(bytes);
            }
            bytes.extend_from_slice(&piece.value);
            if bytes.len() as u64 > MAX_FILE_BYTES {
                return Err(Refusal::TooMuch);
            }
        }
    }

    /// Takes away what stands in the property.
    fn piece(&self) -> Result<GetPropertyReply, Refusal> {
        let any = AtomEnum::ANY;
        let reply =
            self.connection.get_property(true, self.window, self.property, any, 0, u32::MAX / 4)?;
        Ok(reply.reply()?)
    }

    fn next(&self, clock: &Clock) -> Result<Event, Refusal> {
        self.connection.flush()?;
        loop {
            if let Some(event) = self.connection.poll_for_event()? {
                return Ok(event);
            }
            let left = Timespec::try_from(clock.left()?).map_err(|_| Refusal::TooSlow)?;
            let mut waiting =
                [PollFd::from_borrowed_fd(self.connection.stream().as_fd(), PollFlags::IN)];
            // Interrupted or late: the clock is looked at again above.
            let _ = poll(&mut waiting, Some(&left));
        }
    }
}
