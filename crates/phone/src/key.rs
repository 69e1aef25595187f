//! The key that lets a phone in.

use rand::{TryRng, rngs::SysRng};
use std::{
    fmt, io,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};
use subtle::ConstantTimeEq;

/// Length in bytes: 128 bits cannot be guessed.
const BYTES: usize = 16;
/// Characters of the code: 40 bits.
const CODE_CHARS: usize = 8;
/// Digits and letters that nobody takes for each other (Crockford's base 32).
const CODE_ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// One guess at the code is looked at in this time, whoever makes it: all of them take 3,400 years.
const GUESS_PAUSE: Duration = Duration::from_millis(100);

/// A random key of 128 bits, new at each start. It stands in the fragment of the page's address,
/// which browsers send to nobody, and the page sends it in a header. With it comes a code, short enough
/// to be typed, for which the page gets the key.
pub(crate) struct Key {
    key: String,
    code: String,
    guessed: Mutex<Option<Instant>>,
}

impl Key {
    /// A new key from the system's randomness.
    pub(crate) fn random() -> io::Result<Self> {
        let mut bytes = [0; BYTES + CODE_CHARS];
        SysRng.try_fill_bytes(&mut bytes).map_err(io::Error::other)?;
        let (key, code) = bytes.split_at(BYTES);
        let key = key.iter().map(|byte| format!("{byte:02x}")).collect();
        let code = code.iter().map(|byte| char::from(CODE_ALPHABET[usize::from(byte % 32)]));
        Ok(Self { key, code: code.collect(), guessed: Mutex::default() })
    }

    /// The key as it stands in the address: 32 hexadecimal digits.
    pub(crate) fn text(&self) -> &str {
        &self.key
    }

    /// The code, as it is typed.
    pub(crate) fn code(&self) -> &str {
        &self.code
    }

    /// Whether this is the key; takes as long for one that is nearly right as for any other.
    pub(crate) fn is(&self, said: &str) -> bool {
        self.key.as_bytes().ct_eq(said.as_bytes()).into()
    }

    /// Whether this is the code. One that comes too soon after another guess is not, even if it is right:
    /// else whoever guesses could do so without pauses.
    pub(crate) fn is_code(&self, said: &str) -> bool {
        if said.len() != CODE_CHARS {
            return false;
        }
        let mut guessed = self.guessed.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if guessed.is_some_and(|before| now.duration_since(before) < GUESS_PAUSE) {
            return false;
        }
        *guessed = Some(now);
        self.code.as_bytes().ct_eq(said.as_bytes()).into()
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_key_is_the_key() {
        let (key, other) = (Key::random().unwrap(), Key::random().unwrap());
        assert!(key.is(key.text()) && key.text().len() == 2 * BYTES);
        assert!(!key.is(other.text()) && !key.is("") && !key.is(&key.text()[1..]));
        assert!(!key.is(&key.text().to_uppercase()) || key.text().chars().all(char::is_numeric));
        assert_eq!(format!("{key:?}"), "Key(..)", "it is not to get into a log");
    }

    #[test]
    fn the_code_is_looked_at_once_in_a_while() {
        let key = Key::random().unwrap();
        assert!(key.code().len() == CODE_CHARS && key.code() != Key::random().unwrap().code());
        assert!(!key.is_code("") && !key.is_code(key.text()), "no guess at a code");
        assert!(key.is_code(key.code()));
        assert!(!key.is_code(key.code()), "too soon");
        std::thread::sleep(GUESS_PAUSE);
        assert!(!key.is_code("00000000"));
        assert!(!key.is_code(key.code()), "too soon after somebody's guess");
        std::thread::sleep(GUESS_PAUSE);
        assert!(key.is_code(key.code()));
        assert!(!key.is(key.code()), "it opens nothing by itself");
    }
}
