//! Which part of a larger work is to be done here.

use sha2::{Digest, Sha256};
use std::fmt;
use std::str::FromStr;

/// Part K of N of the work, K from 1 to N. All parts together are the whole, and no two share anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    number: u64,
    of: u64,
}

/// More machines than that share one work nowhere.
const MOST_SHARDS: u64 = 100_000;

impl Shard {
    /// The only part of a work that is not split.
    pub const WHOLE: Self = Self { number: 1, of: 1 };

    /// How many parts there are.
    pub const fn of(self) -> u64 {
        self.of
    }

    /// Whether this part holds the item of this number, such as a game or a table, counted from 0: the
    /// numbers go round the parts.
    pub const fn has_number(self, number: u64) -> bool {
        number % self.of == self.number - 1
    }

    /// Whether this part holds the item of this name, such as a photo's path below the folder that was
    /// given, with `/` between folders. The first eight bytes of the name's SHA-256, as one number with the
    /// highest byte first, modulo N, are K - 1.
    pub fn has_name(self, name: &[u8]) -> bool {
        let hash = Sha256::digest(name);
        let (head, _) = hash.split_first_chunk::<8>().expect("32 bytes");
        self.has_number(u64::from_be_bytes(*head))
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // Rust's numbers may have a plus.
        let is_plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'/');
        let numbers = text
            .split_once('/')
            .filter(|_| is_plain)
            .and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        let (number, of) =
            numbers.ok_or("expected K/N, such as 2/5 for the second of five parts")?;
        if !(1..=MOST_SHARDS).contains(&of) {
            return Err(format!("expected 1 to {MOST_SHARDS} parts, not {of}"));
        }
        if !(1..=of).contains(&number) {
            return Err(format!("parts count from 1: expected 1/{of} to {of}/{of}"));
        }
        Ok(Self { number, of })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shard(text: &str) -> Shard {
        text.parse().unwrap()
    }

    #[test]
    fn parts_are_written_as_k_of_n() {
        assert_eq!(shard("2/5").to_string(), "2/5");
        assert_eq!(shard("1/1"), Shard::WHOLE);
        for wrong in
            ["", "2", "0/5", "6/5", "1/0", "-1/5", "a/b", "1/2/3", "1/100001", "1.5/2", "+1/2"]
        {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
        assert!("0/5".parse::<Shard>().unwrap_err().contains("1/5 to 5/5"));
    }

    #[test]
    fn each_item_is_in_one_part() {
        for of in [1, 2, 3, 7, 100] {
            let parts: Vec<Shard> = (1..=of).map(|number| Shard { number, of }).collect();
            for item in 0..500u64 {
                let name = format!("kitchen/{item}.jpg");
                assert_eq!(parts.iter().filter(|part| part.has_number(item)).count(), 1);
                assert_eq!(parts.iter().filter(|part| part.has_name(name.as_bytes())).count(), 1);
            }
        }
    }

    #[test]
    fn names_are_split_as_the_manual_says() {
        // int.from_bytes(hashlib.sha256(name).digest()[:8], "big") % 5 + 1
        for (name, number) in [("table.jpg", 3), ("kitchen/1.jpg", 3), ("kitchen/2.jpg", 4)] {
            assert!(Shard { number, of: 5 }.has_name(name.as_bytes()), "{name}");
        }
    }
}
