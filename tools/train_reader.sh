#!/usr/bin/env bash
# Trains the shipped readers anew, of photos, of cards in doubt and of screens, and fits how they are
# joined with the other networks and the classical features:
#
#     tools/train_reader.sh CARDS OUT [--edition FOLDER=EDITION]...
#
# CARDS is a folder of labelled crops, one folder for each source; OUT gets the runs and OUT/models,
# which can be copied to models/. Begun again it goes on where it was stopped.
set -euo pipefail
if [[ $# -lt 2 || ! -d $1 ]]; then
    echo "usage: tools/train_reader.sh CARDS OUT [--edition FOLDER=EDITION]..., CARDS a folder of folders" \
        "of labelled crops" >&2
    exit 2
fi
cards=$1 out=$2
editions=("${@:3}")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
setsight=${SETSIGHT:-$here/target/debug/setsight}
if [[ ! -x $setsight ]]; then
    echo "$setsight is not there; build it first: cargo build" >&2
    exit 1
fi
mkdir -p "$out/models"

# run NAME OPTION...: a run that is done is not done again, one that was stopped goes on.
run() {
    local name=$1
    shift
    [[ -f $out/$name/reader.onnx ]] && return
    if [[ -f $out/$name/checkpoint.safetensors ]]; then set -- "$@" --resume; fi
    "$setsight" train reader --out "$out/$name" "$@"
}

drawn=(--seed 1 --drawn 26000 --keep-drawn "$out/drawn.bin" --validate-every 300)
run drawn "${drawn[@]}" --steps 4500
real=("${drawn[@]}" --start-from "$out/drawn" --cards "$cards" --learning-rate 2e-3)
run reader "${real[@]}" "${editions[@]}" --steps 1800
run second --second --seed 1 --drawn 28000 --cards "$cards" "${editions[@]}" --validate-every 500 --steps 7000
drawn_screens=(--screens --validate-every 500)
run first_screens "${drawn_screens[@]}" --seed 1 --drawn 30000 --steps 6000
run screens "${drawn_screens[@]}" --seed 2 --start-from "$out/first_screens" --drawn 24000 --steps 3500 --learning-rate 1.5e-3
run third_screens --screens --validate-every 400 --seed 3 --start-from "$out/screens" --drawn 24000 --steps 2400 --learning-rate 1.5e-3

# What reads a source while the readers are joined must not have learnt from it: the first run has
# seen no crop at all.
fuse=()
for folder in "$cards"/*/; do
    name=$(basename "$folder")
    fuse+=(--crops "$cards/$name=$out/drawn/reader.onnx")
done
cp "$out/reader/reader.onnx" "$here/models/finder.onnx" "$here/models/refiner.onnx" "$out/models/"
cp "$out/second/reader.onnx" "$out/models/second-reader.onnx"
"$setsight" train fuse --models "$out/models" "${fuse[@]}" "${editions[@]}" --tables 1000 --out "$out/models/fusion.json"
cp "$out/third_screens/reader.onnx" "$out/models/screen-reader.onnx"
"$setsight" train fuse --screens --models "$out/models" --tables 1000 --out "$out/models/screens.json"
"$setsight" export manifest "$out/models"
