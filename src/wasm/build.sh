#!/usr/bin/env bash
# Builds the npm package `h5kit`: `src/wasm/build.sh [FOLDER]`, by default into target/npm/h5kit.
#
# It needs a Rust toolchain for WebAssembly: the target wasm32-unknown-unknown of rustup (fetched where that is possible), or
# what ../shared/tools/wasm/build-wasm.sh sets up where that is beside the checkout. Exit status 3: there is neither.
# Without `wasm-bindgen` of the right version on the path, src/wasm/bindgen is built in its place.
set -euo pipefail
cd "$(dirname "$0")/../.."
out=${1:-target/npm/h5kit}
work=${WASM_CARGO_TARGET_DIR:-$PWD/target/wasm}
triple=wasm32-unknown-unknown
shared=${H5KIT_WASM_TOOLS:-../shared/tools/wasm/build-wasm.sh}
# Features of the core beside its own: `wasm-panic` for the tests of panics.
more=${H5KIT_WASM_FEATURES:-}
# Bytes of the core with gzip, which no change may exceed.
budget=206000

has_target() {
    local libraries
    libraries=$(rustc --print target-libdir --target $triple 2>/dev/null) && [ -d "$libraries" ]
}

if has_target || { command -v rustup >/dev/null && timeout 120 rustup target add $triple >/dev/null 2>&1 && has_target; }; then
    wasm_cargo() {
        CARGO_TARGET_DIR=$work CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS="-Ctarget-feature=+simd128" cargo "$@"
    }
elif [ -f "$shared" ]; then
    shared=$(realpath "$shared")
    wasm_cargo() { WASM_SIMD=1 WASM_CARGO_TARGET_DIR=$work bash "$shared" cargo "$@"; }
else
    echo "there is no toolchain for $triple: \`rustup target add $triple\`" >&2
    exit 3
fi

# A module of some features: its name, then them.
module() {
    wasm_cargo rustc --quiet --lib --crate-type cdylib --profile wasm --target $triple --no-default-features --features "$2"
    cp "$work/$triple/wasm/h5kit.wasm" "$work/$1.wasm"
    bindgen "$work/$1.wasm" "$out/wasm" "$1"
}

version=$(sed -n 's/^wasm-bindgen = .*"=\([0-9.]*\)".*/\1/p' Cargo.toml)
if [ "$(wasm-bindgen --version 2>/dev/null)" = "wasm-bindgen $version" ]; then
    bindgen() { wasm-bindgen --target web --experimental-reset-state-function --remove-name-section --out-dir "$2" --out-name "$3" "$1"; }
else
    CARGO_TARGET_DIR=$work/bindgen cargo build --quiet --manifest-path src/wasm/bindgen/Cargo.toml
    bindgen() { "$work/bindgen/debug/h5kit-bindgen" "$@"; }
fi

rm -rf "$out"
mkdir -p "$out/wasm"
module h5kit "wasm,deflate,lzf${more:+,$more}"
module h5kit_tables wasm-tables,deflate,lzf
module h5kit_codecs wasm-codecs,lz4,zstd,bzip2,lzo,bitshuffle,blosc,blosc2,zfp,jpeg
cp src/wasm/js/*.js src/wasm/js/*.d.ts README.md LICENSE-APACHE LICENSE-MIT "$out/"
crate=$(sed -n '0,/^version = /s/^version = "\(.*\)"/\1/p' Cargo.toml)
sed "s/\"version\": \".*\"/\"version\": \"$crate\"/" src/wasm/js/package.json >"$out/package.json"

gzipped() { gzip -9 -c "$@" | wc -c; }
core=$(gzipped "$out/wasm/h5kit_bg.wasm")
echo "$out: the core is $core bytes with gzip, its scripts $(cat "$out"/*.js "$out/wasm/h5kit.js" | gzip -9 | wc -c)," \
    "with AnnData and H5Col $(gzipped "$out/wasm/h5kit_tables_bg.wasm"), the codecs $(gzipped "$out/wasm/h5kit_codecs_bg.wasm")"
if [ "$core" -gt "$budget" ]; then
    echo "the core has more than $budget bytes" >&2
    exit 1
fi
