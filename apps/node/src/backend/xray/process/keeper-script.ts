/**
 * The keeper: a small program between node and engine, so that the engine outlives the node. It is the engine's parent,
 * and the engine ends with it (`setpriv --pdeathsig`). It ends the engine when no node has been heard for a time, so
 * that no engine is left alone. Bash is used because it reads with a time limit and takes little memory.
 *
 * Arguments: the folder of the run, the seconds without a node, and the command of the engine. Files of the folder:
 * `keeper`, a FIFO in which a node writes a line each second, or the name of a signal for the engine; `output` and `errors`,
 * FIFOs with what the engine writes to stdout and stderr; `ended`, the exit code; `last-output` and `last-errors`, what it
 * wrote last while no node read it.
 */
export const KEEPER_SCRIPT = `
folder=$1 patience=$2
shift 2
mkfifo -m 600 "$folder/keeper" "$folder/output" "$folder/errors" || exit
exec 3<>"$folder/keeper" || exit
# The engine's output is open for reading too, so that no reader has to be there when it writes.
"$@" <&0 1<>"$folder/output" 2<>"$folder/errors" 3>&- &
engine=$!
umask 077
start_time() {
  local stat fields
  read -r stat 2>/dev/null <"/proc/$engine/stat" || return
  fields=(\${stat##*) })
  [[ \${fields[0]} == Z ]] || started=\${fields[19]}
}
started=
start_time
began=$started
printf '%s %s\\n' "$engine" "$began"
exec 0</dev/null 1>/dev/null 2>/dev/null
silence=0 readers=()
while started= && start_time && [[ $started == "$began" ]]; do
  if read -t 1 -r -u 3 word; then
    silence=0
    if ((\${#readers[@]})); then kill "\${readers[@]}"; readers=(); fi
    case $word in SIGTERM | SIGKILL) kill -s "$word" "$engine" ;; esac
    continue
  fi
  silence=$((silence + 1))
  # A full pipe would hold up an engine that crashes, so somebody must read it.
  if ((silence == 3)); then
    # Whoever opens a FIFO without a writer waits for one, and the engine may have ended.
    exec 4<>"$folder/output" 5<>"$folder/errors" 6<"$folder/output" 7<"$folder/errors" 4>&- 5>&-
    tail -c 131072 <&6 >"$folder/last-output" &
    readers=($!)
    tail -c 131072 <&7 >"$folder/last-errors" &
    readers+=($!)
    exec 6<&- 7<&-
  fi
  if ((silence == patience)); then
    rm -f "$folder/record"
    kill -s SIGTERM "$engine"
  fi
  if ((silence >= patience + 3)); then kill -s SIGKILL "$engine"; fi
done
wait "$engine"
code=$?
for ((tries = 0; tries < 50; tries++)); do
  ((\${#readers[@]})) && kill -0 "\${readers[@]}" || break
  read -t 0.1 -r -u 3 word
done
((\${#readers[@]} == 0)) || kill "\${readers[@]}"
printf '%s\\n' "$code" >"$folder/ended"
`;
