# Kills all that was started by the script whose mark is in $mark: what carries
# the mark in its environment, what is in a session that such a process leads,
# and what descends from either. Everything is stopped first, until a look finds
# nothing new: a stopped process forks no more. Out of reach is only what
# dropped the environment, left the session and lost its parent, all three.

# look fills the array `hit` with the process IDs.
look() {
  local f p s v grown
  local -a environ
  local -A parent=() session=() leads=()
  hit=()
  for f in /proc/[0-9]*; do
    p=${f#/proc/} s='' environ=()
    { IFS= read -r -d '' s <"$f/stat"; } 2>/dev/null
    # The name, in brackets, may hold anything; the fields follow it.
    set -- ${s##*) }
    case $1 in '' | Z | X) continue ;; esac
    parent[$p]=$2 session[$p]=$4
    { mapfile -t -d '' environ <"$f/environ"; } 2>/dev/null
    for v in "${environ[@]}"; do
      if [[ $v == "$mark" ]]; then hit[$p]=1; fi
    done
  done
  for p in "${!hit[@]}"; do
    s=${session[$p]:-0}
    # A session led by a process without the mark is not the script's.
    if ((s > 1)) && [[ ${hit[$s]} || ! ${parent[$s]} ]]; then leads[$s]=1; fi
  done
  grown=1
  while ((grown)); do
    grown=0
    for p in "${!parent[@]}"; do
      if [[ ! ${hit[$p]} ]] && [[ ${hit[${parent[$p]}]} || ${leads[${session[$p]}]} ]]; then
        hit[$p]=1 grown=1
      fi
    done
  done
  unset "hit[1]" "hit[$$]" "hit[$PPID]"
}

declare -A hit stopped
for ((i = 0; i < 20; i++)); do
  look
  new=()
  for p in "${!hit[@]}"; do
    if [[ ! ${stopped[$p]} ]]; then new+=("$p") stopped[$p]=1; fi
  done
  ((${#new[@]})) || break
  kill -STOP "${new[@]}"
done 2>/dev/null
((${#stopped[@]})) && kill -KILL "${!stopped[@]}" 2>/dev/null

# Twice nothing, because a process in the middle of an exec shows no environment.
for ((i = 0, none = 0; i < 100; i++)); do
  look
  if ((${#hit[@]})); then
    none=0
    kill -KILL "${!hit[@]}" 2>/dev/null
  elif ((++none == 2)); then
    exit 0
  fi
  sleep 0.05
done
echo "still running: ${!hit[*]}"
exit 1
