# Interrupts what carries the mark in its environment, as Ctrl-C would: first
# what the script started, so that it can go on and say something, then, after a
# while, whatever is left, with TERM. A `sudo` in between hands both on.

# look fills the array `hit` with the process IDs.
look() {
  local f p v
  local -a environ
  hit=()
  for f in /proc/[0-9]*; do
    p=${f#/proc/} environ=()
    { mapfile -t -d '' environ <"$f/environ"; } 2>/dev/null
    for v in "${environ[@]}"; do
      if [[ $v == "$mark" ]]; then hit+=("$p"); fi
    done
  done
}

for signal in INT INT TERM; do
  look
  ((${#hit[@]})) || exit 0
  kill -s "$signal" "${hit[@]}" 2>/dev/null
  for ((i = 0; i < 10; i++)); do
    look
    ((${#hit[@]})) || exit 0
    sleep 0.1
  done
done
exit 0
