#!/bin/sh
# Draws the pictures of the README and the guide from the demo session. Needs no display.
set -eu
cd "$(dirname "$0")/.."
demo=$(ls fixtures/demo/*.jsonl)
shot() { ravenglass screenshot "$demo" -o "docs/pictures/$1.png" --force --view "$2" --theme "$3" --size "$4" --call "$5"; }
shot main-dark manifest dark 1600x1000 300
shot main-light manifest light 1600x1000 300
shot window-light window light 1280x800 300
shot trace-dark trace dark 1280x800 221
shot archive-light archive light 1280x800 357
