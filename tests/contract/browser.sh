#!/bin/sh
# Makes a headless browser ready for the test of the API page: Debian's chromium, where it may be
# installed. Where it may not, says so in a line and lets the test that needs it be skipped.
set -eu
for name in chromium chromium-browser google-chrome; do
    if command -v "$name" >/dev/null; then exit 0; fi
done
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "No browser here and no right to install one (root and apt-get): the test of /api/docs in a browser is skipped."
    exit 0
fi
export DEBIAN_FRONTEND=noninteractive
if ! { apt-get update -qq && apt-get install -qq -y --no-install-recommends chromium; } >/dev/null 2>&1; then
    echo "apt-get could not install chromium: the test of /api/docs in a browser is skipped."
fi
