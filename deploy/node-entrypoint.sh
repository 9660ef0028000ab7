#!/bin/sh
# Docker gives an account that is not root the capabilities of its container only as an upper limit (the bounding set). A copy
# of setpriv with file capabilities raises those of them that the engine can use. Podman has done so already.
set -eu

setpriv=/usr/local/lib/rampart/setpriv
bounding=0x$(sed -n 's/^CapBnd:\t//p' /proc/self/status)
wanted=
[ $((bounding >> 10 & 1)) = 0 ] || wanted=$wanted,+net_bind_service
[ $((bounding >> 12 & 1)) = 0 ] || wanted=$wanted,+net_admin

# no-new-privileges makes the file capabilities ineffective: then the program starts with what it has.
if [ -n "$wanted" ] && "$setpriv" --inh-caps="${wanted#,}" --ambient-caps="${wanted#,}" true 2>/dev/null; then
  exec "$setpriv" --inh-caps="${wanted#,}" --ambient-caps="${wanted#,}" "$@"
fi
exec "$@"
