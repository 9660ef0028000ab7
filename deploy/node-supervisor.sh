#!/bin/sh
# Runs the node's program, and starts it again after a crash: the container goes on, and with it the engine, which the program
# takes over. A program that fails within 10 seconds is not started again, so that the container ends and shows why.
set -u

# In seconds. The wall clock may be set back while the program runs.
uptime() {
  read -r seconds _ </proc/uptime
  echo "${seconds%.*}"
}

node=
ending=
pass_on() {
  ending=1
  [ -z "$node" ] || kill -s "$1" "$node" 2>/dev/null
}
trap 'pass_on INT' INT
trap 'pass_on TERM' TERM

while :; do
  began=$(uptime)
  "$@" &
  node=$!
  # A signal interrupts the wait.
  while :; do
    wait "$node"
    code=$?
    kill -0 "$node" 2>/dev/null || break
  done
  if [ "$code" -eq 76 ]; then
    echo "Another node has taken over; this container ends when its engine has no connection left." >&2
    while [ -z "$ending" ] && grep -qsa '[k]eeper\.sh' /proc/[0-9]*/cmdline; do sleep 1; done
    exit 0
  fi
  [ -z "$ending" ] && [ "$code" -ne 0 ] || exit "$code"
  [ $(($(uptime) - began)) -ge 10 ] || exit "$code"
  echo "The node's program ended with exit code $code and is started again; the engine goes on meanwhile." >&2
done
