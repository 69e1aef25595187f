//! The key that lets a phone in.

use rand::TryRng;
use rand::rngs::SysRng;
use std::fmt;
use std::io;
use subtle::ConstantTimeEq;

/// Length in bytes: 128 bits cannot be guessed.
const BYTES: usize = 16;

/// A random key of 128 bits, new at each start. It stands in the fragment of the page's address,
/// which browsers send to nobody, and the page sends it in a header.
#[derive(Clone)]
pub(crate) struct Key(String);

impl Key {
    /// A new key from the system's randomness.
    ///
    /// # Errors
    /// The system gives none.
    pub(crate) fn random() -> io::Result<Self> {
        let mut bytes = [0; BYTES];
        SysRng.try_fill_bytes(&mut bytes).map_err(io::Error::other)?;
        Ok(Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// The key as it stands in the address: 32 hexadecimal digits.
    pub(crate) fn text(&self) -> &str {
        &self.0
    }

    /// Whether this is the key; takes as long for one that is nearly right as for any other.
    pub(crate) fn is(&self, said: &str) -> bool {
        self.0.as_bytes().ct_eq(said.as_bytes()).into()
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
}
