#!/usr/bin/env bash
# Installs what the build needs and tells cargo where OpenCV lies. Safe to run twice.
set -euo pipefail
export LC_ALL=C # apt's and dnf's words are read below
[ -n "${HOME:-}" ] || { unset HOME && export HOME=~; } # what the system says of this user
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
    cat <<'HELP'
Usage: tools/setup.sh [--dry-run] [--no-onnxruntime] [--board]

Installs what the build of setsight needs: a C++ compiler, clang with libclang (reads OpenCV's
headers), OpenCV's core and imgproc, Z3, what the window opens at run time, with Xvfb for its
tests, and ffmpeg, which decodes films of most kinds and AVIF. On Debian and Ubuntu by apt, on macOS
by Homebrew, on Fedora by dnf; on other systems it lists what is missing and stops. What is there
already is left alone. Where the system does not say where OpenCV lies, .cargo/config.toml is
written (git ignores it).

Then fetches ONNX Runtime's library (20 MB, from PyPI's wheel, checked by its SHA-256) into your data
folder, where the program looks for it: networks run about twice as fast with it. Without it, or
where that fails, the engine inside the program runs them.

It says what it will do, asks nothing, and uses sudo only when not run as root (sudo itself may ask
for your password). Where sudo is missing or refuses, it prints one line for an administrator to run.
Where it stops it says what to do; run it again and it goes on from there.

  --dry-run         only say what would be done
  --no-onnxruntime  leave ONNX Runtime out
  --board           also Node with npm and Python with venv, which tools/h7/verify runs the board's
                    scripts with (it calls this itself where they are missing)
  -h, --help        this text

Exit code: 0 all is there, 1 something is missing and was named, 2 the call was wrong.
HELP
}

say() { printf 'setup: %s\n' "$*"; }
# The first line says what is wrong, further ones can be copied.
fail() {
    printf 'setup: %s\n' "$1" >&2
    shift
    [ $# -eq 0 ] || printf '%s\n' "$@" >&2
    exit 1
}
have() { command -v "$1" >/dev/null 2>&1; }
again="run tools/setup.sh again, which goes on from here"

dry_run=false
with_runtime=true
with_board=false
for argument in "$@"; do
    case $argument in
        --dry-run) dry_run=true ;;
        --no-onnxruntime) with_runtime=false ;;
        --board) with_board=true ;;
        -h | --help)
            usage
            exit 0
            ;;
        *)
            printf 'setup: %s: unknown argument; see --help\n' "$argument" >&2
            exit 2
            ;;
    esac
done

# Prints a command, then runs it unless this is a dry run.
run() {
    printf '  $ %s\n' "$*"
    $dry_run || "$@" 9>&- # without the set-up's lock: services that it starts would keep it
}

# The same, as root.
run_as_root() {
    if [ "$(id -u)" -eq 0 ]; then run "$@"; else run sudo "$@"; fi
}

# Goes no further where this user cannot become root. $1 is what an administrator can run instead.
need_root() {
    $dry_run || [ "$(id -u)" -eq 0 ] || { have sudo && sudo true; } ||
        fail "this needs root, which you cannot become by sudo; ask an administrator to run the line below, then $again" \
            "  $1"
}

# ---- Rust ---------------------------------------------------------------------------------------

rust_wanted=$(sed -n 's/^rust-version *= *"\(.*\)".*/\1/p' Cargo.toml)

# Whether version $1 is at least version $2, both like 1.92 or 1.92.0.
at_least() {
    awk -v a="$1" -v b="$2" 'BEGIN {
        split(a, x, "."); split(b, y, ".")
        for (i = 1; i <= 3; i++) { if (x[i] + 0 != y[i] + 0) exit !(x[i] + 0 > y[i] + 0) }
        exit 0
    }'
}

check_rust() {
    local found tool cargo_home=${CARGO_HOME:-$HOME/.cargo}
    local install="curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh -s -- -y"
    if ! have cargo || ! have rustc; then
        if [ -x "$cargo_home/bin/cargo" ]; then
            fail "cargo is installed but this shell does not find it; run this line, then $again:" \
                "  . \"$cargo_home/env\""
        fi
        fail "Rust is missing ($rust_wanted or newer); install it from https://rustup.rs by these lines, then $again:" \
            "  $install" "  . \"$cargo_home/env\""
    fi
    for tool in cargo rustc; do
        found=$("$tool" --version) || fail "$(command -v "$tool") does not start; do what its message says, then $again"
        found=${found#* } found=${found%%[ -]*}
        at_least "$found" "$rust_wanted" && continue
        tool=$(command -v "$tool")
        if [ -x "${tool%/*}/rustup" ]; then
            fail "Rust $found is too old, $rust_wanted or newer is needed; run this line, then $again:" \
                "  rustup update stable && rustup default stable"
        elif [ -x "$cargo_home/bin/cargo" ]; then
            fail "$tool is Rust $found, too old, and comes before rustup's; run this line, then $again:" \
                "  . \"$cargo_home/env\" && export PATH=\"$cargo_home/bin:\$PATH\""
        fi
        fail "$tool is Rust $found, $rust_wanted or newer is needed; remove its package, run these lines, then $again:" \
            "  $install" "  . \"$cargo_home/env\""
    done
    say "Rust $found is there"
}

# ---- .cargo/config.toml -------------------------------------------------------------------------

config=.cargo/config.toml
mark='# Written and renewed by tools/setup.sh; without this line it leaves the file alone.'

# Writes the settings given as lines `NAME = "value"`, unless the file is somebody's own.
write_config() {
    local wanted line name missing=""
    wanted=$(printf '%s\n' "$mark" "[env]" "$@")
    if [ -e "$config" ] && ! grep -qxF "$mark" "$config"; then
        for line in "$@"; do
            name=${line%% *}
            grep -q "^ *$name *=" "$config" || missing="$missing
  $line"
        done
        if [ -n "$missing" ]; then
            fail "$config is your own and lacks some settings; add these under [env]:$missing"
        fi
        say "$config is your own and names what is needed; left as it is"
    elif [ -e "$config" ] && [ "$(cat "$config")" = "$wanted" ]; then
        say "$config is up to date"
    else
        say "will write $config:"
        printf '%s\n' "$@" | sed 's/^/  /'
        if ! $dry_run; then
            # Renamed into place, so that a cargo that runs meanwhile never sees half a file.
            if ! { mkdir -p .cargo && printf '%s\n' "$wanted" >"$config.new.$$" && mv -f "$config.new.$$" "$config"; }; then
                rm -f "$config.new.$$"
                fail "$config could not be written; see that this folder is yours and the disk is not full, then $again"
            fi
        fi
    fi
}

# ---- Debian, Ubuntu -----------------------------------------------------------------------------

# ca-certificates: cargo fetches crates over HTTPS. Of OpenCV only two of its thirty libraries.
apt_packages="build-essential ca-certificates pkg-config clang libopencv-core-dev libopencv-imgproc-dev libz3-dev"
# What the window opens at run time (X11, Wayland, keyboard, OpenGL), and a screen for its tests.
apt_packages="$apt_packages libx11-xcb1 libxcursor1 libxi6 libxrandr2 libxkbcommon-x11-0"
apt_packages="$apt_packages libwayland-client0 libwayland-egl1 libwayland-cursor0 libxkbcommon0"
apt_packages="$apt_packages libgl1 libegl1 libgl1-mesa-dri xvfb"

apt_installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }
# Answers are taken whole before they are searched: a reader that stops early breaks the pipe.
apt_known() {
    case $(apt-cache policy "$1" 2>/dev/null) in
        *"Candidate: (none)"*) return 1 ;;
        *"Candidate: "*) return 0 ;;
        *) return 1 ;;
    esac
}

# The package that holds libclang.so of clang's version; libclang-dev, which is larger, else.
apt_libclang() {
    local version name
    version=$(apt-cache depends clang 2>/dev/null | sed -n 's/^ *Depends: clang-\([0-9][0-9]*\)$/\1/p')
    for name in "libclang1-$version" "libclang1-${version}t64"; do
        if [ -n "$version" ] && apt_known "$name"; then
            echo "$name"
            return
        fi
    done
    echo libclang-dev
}

apt_missing() {
    local name
    for name in $apt_packages "$(apt_libclang)"; do
        apt_installed "$name" || printf '%s ' "$name"
    done
    # Not linked: run for films other than Motion JPEG, and by the tests.
    have ffmpeg || printf 'ffmpeg '
    # Not for everybody: on Debian 13 they bring 379 packages. Either may come from elsewhere than apt.
    if $with_board; then
        have node && have npm || printf 'nodejs npm '
        python3 -c 'import ensurepip, venv' >/dev/null 2>&1 || printf 'python3 python3-venv '
    fi
}

# Runs apt-get as root; $apt_said is what it complained of.
apt_said=""
apt_once() {
    local code=0
    { apt_said=$(run_as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=900 \
        -o Acquire::Retries=3 --yes --no-install-recommends "$@" 2>&1 >&3) || code=$?; } 3>&1
    [ -z "$apt_said" ] || printf '%s\n' "$apt_said" >&2
    return $code
}

# The same, but waits for another apt (apt itself waits for dpkg's lock, but not for that of the lists)
# and first brings to its end what a former run left half done.
apt_get() {
    local last=$((SECONDS + 900)) configured=false completed=false
    until apt_once "$@"; do
        case $apt_said in
            *"Could not get lock"*)
                [ $SECONDS -lt $last ] || return 1
                say "another apt runs; waiting for it"
                sleep 10
                ;;
            *"dpkg was interrupted"*)
                ! $configured || return 1
                configured=true
                # It complains of packages whose others are still missing, which come next.
                run_as_root env DEBIAN_FRONTEND=noninteractive dpkg --configure -a || true
                ;;
            *"fix-broken install"*)
                ! $completed || return 1
                completed=true
                apt_once --fix-broken --no-remove install || return 1
                ;;
            *) return 1 ;;
        esac
    done
}

# Ends with what to do about the last complaint. That of a full disk may be dpkg's, which apt prints
# among all the rest.
apt_fail() {
    if df -Pk /var /usr | awk 'NR > 1 && $4 < 100000 { full = 1 } END { exit !full }'; then
        fail "the disk is full; make 3 GB of room in /var and /usr, then $again"
    fi
    case $apt_said in
        *"enough free space"*) fail "the disk is too full; make 3 GB of room in /var and /usr, then $again" ;;
        *"Could not get lock"*) fail "another apt has been at work for 15 minutes; let it end, then $again" ;;
        *"Failed to fetch"*) fail "apt could not fetch what its messages above name; see that there is network, then $again" ;;
        *) fail "apt could not $1; mend what its messages above say, then $again" ;;
    esac
}

# apt-get update counts as done even where nothing could be fetched, so the names are looked up.
apt_update() {
    local name unknown=""
    apt_get update || apt_fail "fetch the lists of packages"
    $dry_run || for name in $(apt_missing); do apt_known "$name" || unknown="$unknown $name"; done
    [ -z "$unknown" ] || apt_fail "find$unknown"
}

apt_install() {
    # The list of names is words by intent.
    # shellcheck disable=SC2086
    apt_get install $1
}

setup_apt() {
    local missing name unknown=false
    missing=$(apt_missing)
    if [ -z "$missing" ]; then
        say "all packages are there"
    else
        say "will install by apt: $missing"
        need_root "apt-get update && apt-get install --yes --no-install-recommends $missing"
        for name in $missing; do apt_known "$name" || unknown=true; done
        if $unknown; then
            say "fetching the lists of packages first, which do not name all of them"
            apt_update
            missing=$(apt_missing)
        fi
        if ! apt_install "$missing"; then
            case $apt_said in
                *"Failed to fetch"*) ;;
                *) apt_fail "install: $missing" ;;
            esac
            say "the lists of packages may be old; fetching them and trying once more"
            apt_update
            apt_install "$missing" || apt_fail "install: $missing"
        fi
        missing=$(apt_missing)
        if [ -n "$missing" ] && ! $dry_run; then apt_fail "install: $missing"; fi
    fi
    # The split packages bring no pkg-config file, so cargo is told where they lie.
    local triple
    triple=$(gcc -dumpmachine 2>/dev/null || dpkg-architecture -qDEB_HOST_MULTIARCH 2>/dev/null ||
        echo "$(uname -m)-linux-gnu")
    write_config \
        'OPENCV_LINK_LIBS = "opencv_core,opencv_imgproc"' \
        "OPENCV_LINK_PATHS = \"/usr/lib/$triple\"" \
        "OPENCV_INCLUDE_PATHS = \"/usr/include/opencv4,/usr/include/$triple/opencv4\""
}

# ---- Fedora -------------------------------------------------------------------------------------

dnf_packages="gcc-c++ clang clang-devel pkgconf-pkg-config opencv-devel z3-devel"
dnf_packages="$dnf_packages libX11-xcb libXcursor libXi libXrandr libxkbcommon-x11"
dnf_packages="$dnf_packages libwayland-client libwayland-egl libwayland-cursor libxkbcommon"
dnf_packages="$dnf_packages mesa-libGL mesa-libEGL mesa-dri-drivers xorg-x11-server-Xvfb"

setup_dnf() {
    local name missing="" wanted=$dnf_packages
    have ffmpeg || wanted="$wanted ffmpeg-free"
    if $with_board; then
        have node && have npm || wanted="$wanted nodejs nodejs-npm"
        have python3 || wanted="$wanted python3"
    fi
    have cargo || [ -x "$HOME/.cargo/bin/cargo" ] || wanted="$wanted cargo rust clippy rustfmt"
    for name in $wanted; do
        rpm -q --whatprovides "$name" >/dev/null 2>&1 || missing="$missing $name"
    done
    if [ -z "$missing" ]; then
        say "all packages are there"
        return
    fi
    say "will install by dnf:$missing"
    need_root "dnf install --assumeyes --setopt=install_weak_deps=False$missing"
    # shellcheck disable=SC2086
    run_as_root dnf install --assumeyes --setopt=install_weak_deps=False $missing ||
        fail "dnf could not install all of it; mend what its messages above say (network, room on the disk), then $again"
}

# ---- macOS --------------------------------------------------------------------------------------

setup_brew() {
    have brew || fail "Homebrew is missing; install it from https://brew.sh, then $again"
    local name folder libclang="" missing="" wanted="opencv z3 pkgconf"
    have cargo || [ -x "$HOME/.cargo/bin/cargo" ] || wanted="$wanted rust"
    have ffmpeg || wanted="$wanted ffmpeg"
    if $with_board; then
        have node && have npm || wanted="$wanted node"
        have python3 || wanted="$wanted python"
    fi
    # Apple's tools bring a libclang; Homebrew's LLVM (1.5 GB) only where they do not.
    for folder in "$(xcode-select --print-path 2>/dev/null)" /Library/Developer/CommandLineTools; do
        for name in "$folder/usr/lib" "$folder/Toolchains/XcodeDefault.xctoolchain/usr/lib"; do
            if [ -z "$libclang" ] && [ -e "$name/libclang.dylib" ]; then libclang=$name; fi
        done
    done
    if [ -z "$libclang" ]; then
        wanted="$wanted llvm"
        libclang=$(brew --prefix)/opt/llvm/lib
    fi
    for name in $wanted; do
        brew list --versions "$name" >/dev/null 2>&1 || missing="$missing $name"
    done
    if [ -z "$missing" ]; then
        say "all packages are there"
    else
        say "will install by Homebrew:$missing"
        # shellcheck disable=SC2086
        NONINTERACTIVE=1 run brew install $missing ||
            fail "Homebrew could not install all of it; mend what its messages above say (network, room on the disk), then $again"
    fi
    write_config \
        "LIBCLANG_PATH = \"$libclang\"" \
        "Z3_LIBRARY_PATH_OVERRIDE = \"$(brew --prefix)/lib\""
}

# ---- elsewhere ----------------------------------------------------------------------------------

setup_elsewhere() {
    local missing=""
    have c++ || missing="$missing
  a C++ compiler (c++)"
    have clang || missing="$missing
  clang with libclang"
    if have pkg-config; then
        pkg-config --exists opencv4 || pkg-config --exists opencv5 || missing="$missing
  OpenCV 4 or newer with its headers and pkg-config file (core and imgproc are used)"
        pkg-config --exists z3 || missing="$missing
  Z3 with its headers"
    else
        missing="$missing
  pkg-config; OpenCV 4 or newer (core and imgproc) and Z3, with their headers"
    fi
    have ffmpeg || say "ffmpeg is not there: of films only Motion JPEG in .avi can be read, and tests fail"
    if [ -n "$missing" ]; then
        fail "this system has neither apt, dnf nor Homebrew; please install what follows, then $again:$missing"
    fi
    say "all that the build needs seems to be there"
}

# -------------------------------------------------------------------------------------------------

# One set-up of this user at a time; a second waits here and then finds all done.
# In the user's own folder, where nobody else can lay something that blocks when it is opened.
lock=${XDG_CACHE_HOME:-$HOME/.cache}/setsight-setup.lock
if ! $dry_run && have flock && mkdir -p "${lock%/*}" 2>/dev/null &&
    { [ ! -e "$lock" ] || [ -f "$lock" ]; } && { exec 9>>"$lock"; } 2>/dev/null; then
    flock --nonblock 9 || { say "another set-up of yours runs; waiting for it" && flock 9; }
fi

system=$(uname -s)
if [ "$system" = Darwin ]; then
    have cargo && check_rust
    setup_brew
    have cargo || $dry_run || check_rust
elif have apt-get && have dpkg-query; then
    check_rust
    setup_apt
elif have dnf && have rpm; then
    have cargo && check_rust
    setup_dnf
    have cargo || $dry_run || check_rust
else
    check_rust
    setup_elsewhere
fi

runtime=(tools/fetch-onnxruntime)
if $dry_run; then runtime+=(--dry-run); fi
if $with_runtime && ! "${runtime[@]}"; then
    say "goes on without ONNX Runtime: the engine inside the program will run the networks, at half the speed"
fi

if $dry_run; then say "nothing was changed"; else say "ready"; fi
