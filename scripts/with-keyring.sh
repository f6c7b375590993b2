#!/usr/bin/env bash
# Runs a command with an unlocked keychain of its own, in the D-Bus session that this is run in: dbus-run-session -- bash scripts/with-keyring.sh COMMAND
set -euo pipefail
home=$(mktemp -d)
export XDG_DATA_HOME="$home/data" XDG_RUNTIME_DIR="$home/run"
mkdir -m 700 "$XDG_DATA_HOME" "$XDG_RUNTIME_DIR"
printf 'of-this-run\n' | gnome-keyring-daemon --unlock --components=secrets > /dev/null
status=0
"$@" || status=$?
# The daemon ends with its bus.
rm -rf "$home"
exit "$status"
