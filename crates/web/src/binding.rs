//! What JavaScript calls. Errors are thrown as words.

use wasm_bindgen::prelude::wasm_bindgen;

/// See [`crate::Reader`].
#[wasm_bindgen]
pub struct Reader(crate::Reader);

#[wasm_bindgen]
impl Reader {
    /// Loads the networks.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Result<Self, String> {
        Ok(Self(crate::Reader::new()?))
    }

    /// A photo's line of JSON.
    pub fn read(&mut self, bytes: &[u8]) -> Result<String, String> {
        Ok(self.0.read(bytes)?)
    }

    /// That photo as a JPEG, if its file is none that every browser shows.
    pub fn take_picture(&mut self) -> Option<Vec<u8>> {
        self.0.take_picture()
    }

    /// The line of JSON of a picture that the browser has decoded.
    pub fn read_pixels(&mut self, width: u32, height: u32, rgba: &[u8]) -> Result<String, String> {
        Ok(self.0.read_pixels(width, height, rgba)?)
    }
}

/// See [`crate::Follower`].
#[wasm_bindgen]
pub struct Follower(crate::Follower);

#[wasm_bindgen]
impl Follower {
    /// Loads the networks.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Result<Self, String> {
        Ok(Self(crate::Follower::new()?))
    }

    /// A live picture's line of JSON.
    pub fn follow(
        &mut self,
        width: u32,
        height: u32,
        rgba: &[u8],
        time_ms: f64,
    ) -> Result<String, String> {
        Ok(self.0.follow(width, height, rgba, time_ms)?)
    }

    /// Begins a new game.
    pub fn new_game(&mut self) {
        self.0.new_game();
    }
}
