# Kills every process that a step of any earlier command left running: what has
# the variable named in $name in its environment, but for this script's own.
own=${!name}
look() {
  local f p v
  local -a environ
  hit=()
  for f in /proc/[0-9]*; do
    p=${f#/proc/} environ=()
    { mapfile -t -d '' environ <"$f/environ"; } 2>/dev/null
    for v in "${environ[@]}"; do
      if [[ $v == "$name="* && $v != "$name=$own" && $p != 1 ]]; then hit+=("$p"); fi
    done
  done
}
for ((i = 0, none = 0; i < 50; i++)); do
  look
  if ((${#hit[@]})); then
    none=0
    kill -KILL "${hit[@]}" 2>/dev/null
  elif ((++none == 2)); then
    exit 0
  fi
  sleep 0.05
done
echo "still running: ${hit[*]}" >&2
exit 1
