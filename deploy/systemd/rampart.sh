#!/bin/sh
# /usr/local/bin/rampart: the command line with the settings and under the account of the service on this machine. That is
# management's where management is installed, else the node's; RAMPART_PROGRAM=node says it where both are. Run it as root.
set -eu

program=${RAMPART_PROGRAM:-}
[ -n "$program" ] || { [ -e /opt/rampart/management ] && program=management || program=node; }
case $program in
  management) account=rampart folder=RAMPART_DATA_DIR rights= ;;
  node)
    account=rampart-node folder=RAMPART_NODE_DATA_DIR
    rights="--setenv=XRAY_EXECUTABLE_PATH=/opt/rampart/node/engine/xray --property=AmbientCapabilities=CAP_NET_BIND_SERVICE"
    ;;
  *) echo "RAMPART_PROGRAM is management or node, not $program" >&2; exit 2 ;;
esac

# With --pipe the command has the files of the caller, so `rampart backup - > FILE` works; passwords are asked on a terminal.
streams=--pipe
if [ -t 0 ] && [ -t 1 ]; then streams=--pty; fi

# shellcheck disable=SC2086 # `rights` has several options, or none.
exec systemd-run --quiet --collect --wait "$streams" --uid="$account" --gid="$account" \
  --property=EnvironmentFile="/etc/rampart/$program.env" --property=UMask=0077 --property=WorkingDirectory="-$PWD" \
  --setenv="$folder=/var/lib/rampart-$program" $rights \
  -- /usr/bin/node "/opt/rampart/$program/rampart.cjs" "$@"
