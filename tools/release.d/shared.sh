# For the scripts that build what users get, which source it: what must be there, and what a build may not tell.
# shellcheck shell=bash

cargo_home=${CARGO_HOME:-$HOME/.cargo}
# A folder of its own: what is built for users has other flags than what is built while working.
target=$PWD/target/shipped
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
export CARGO_TARGET_DIR=$target TZ=UTC
# Files are given the time of the commit, not of the build.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH

missing=()
have() { command -v "$1" >/dev/null 2>&1; }
need() { have "$1" || missing+=("$1 is missing: $2"); } # program, what installs it

# Whether Rust builds for a system, with its standard library as it comes or compiled from the library's sources.
need_rust_for() { # triple
    local sysroot
    sysroot=$(rustc --print sysroot)
    if compgen -G "$sysroot/lib/rustlib/$1/lib/libstd-*" >/dev/null; then return; fi
    if [ -e "$sysroot/lib/rustlib/src/rust/library/std/Cargo.toml" ]; then
        export RUSTC_BOOTSTRAP=1 CARGO_UNSTABLE_BUILD_STD=std,panic_abort
    elif have rustup; then
        missing+=("Rust cannot build for $1 yet: rustup target add $1")
    else
        missing+=("Rust cannot build for $1 yet: install the sources of its standard library (Debian: the package
  rust-src, or rust-web-src beside rustc-web), or Rust from https://rustup.rs")
    fi
}

# Ends where something is missing, having named all of it; ends also where no more was asked than this.
all_is_there() { # name of the script, its argument
    if [ ${#missing[@]} -gt 0 ]; then
        printf "$1: %s\n" "${missing[@]}" >&2
        exit 1
    fi
    [ "${2-}" != --check ] || exit 0
}

# No path of this machine comes into what is built: panics and debug strings name files of crates.
no_paths() { # more flags
    local folder flags=$*
    cargo fetch --locked --quiet
    # The folder of a registry is named after its address, which differs where a mirror is used.
    for folder in "$cargo_home"/registry/src/*; do flags+=" --remap-path-prefix=$folder=crates"; done
    flags+=" --remap-path-prefix=$(rustc --print sysroot)/lib/rustlib/src/rust=rust"
    export RUSTFLAGS="$flags --remap-path-prefix=$PWD=setsight" CFLAGS="${CFLAGS-} -ffile-prefix-map=$cargo_home=crates"
    export CXXFLAGS="${CXXFLAGS-} -ffile-prefix-map=$cargo_home=crates -ffile-prefix-map=$PWD=setsight"
}
names_no_path() { # name of the script, file...
    local name=$1 file found
    shift
    for file in "$@"; do
        # Strings are taken whole, so that the message shows what names it.
        # Not $HOME, which may be /root: the bus of a desktop has an object of that name.
        found=$(strings "$file" | grep -F -e "$cargo_home" -e "$PWD" -e "$(rustc --print sysroot)" | head -3) || true
        if [ -n "$found" ]; then
            printf '%s: %s holds paths of this machine:\n%s\n' "$name" "${file##*/}" "$found" >&2
            return 1
        fi
    done
}
