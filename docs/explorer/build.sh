#!/usr/bin/env bash
# Puts the explorer together with the package: `docs/explorer/build.sh [FOLDER]`, by default into target/explorer, which any
# server of static files can serve. H5KIT_NPM names a package that is built already. Exit status 3: there is no toolchain.
set -euo pipefail
cd "$(dirname "$0")/../.."
out=${1:-target/explorer}

rm -rf "$out"
mkdir -p "$out"
if [ -n "${H5KIT_NPM:-}" ]; then
    cp -r "$H5KIT_NPM" "$out/h5kit"
else
    src/wasm/build.sh "$out/h5kit"
fi
cp docs/explorer/*.html docs/explorer/*.css docs/explorer/*.js "$out/"
