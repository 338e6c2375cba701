#!/usr/bin/env bash
# What the program does, on the data that comes with it. Called by `./dev demo`.
#
# usage: demo.sh PROGRAM      at the top of the repository; writes into demo-output/
set -euo pipefail

program=$(realpath "$1")
output=demo-output
sentence="the astronomer saw the dog in the park with a telescope"
forest=$output/forest.jsonl

bold='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then bold=$'\033[1m' plain=$'\033[0m'; fi

heading() { printf '\n%s%s%s\n' "$bold" "$1" "$plain"; }

# coppice ARGUMENT...: shows the command, then what it prints; its talk on stderr too, in order.
coppice() {
  local word line='$ coppice'
  for word in "$@"; do
    case $word in *' '*) line+=" \"$word\"" ;; *) line+=" $word" ;; esac
  done
  printf '%s\n' "$line"
  "$program" "$@" 2>&1
}

mkdir -p "$output"
rm -f "$forest" "$output/forest.svg" "$output/recipes.cop"

printf '%s\n' "${bold}Who has the telescope?${plain} A small grammar reads one sentence in several ways."

heading "1. All readings at once, packed in one forest"
coppice forest parse --grammar data/grammars/telescope.cfg --sentence "$sentence" -o "$forest"

heading "2. How many are they?"
coppice forest count "$forest"

heading "3. The readings, likeliest first"
coppice forest kbest -k 5 "$forest"

heading "4. The likeliest one as a tree"
coppice forest kbest -k 1 --draw "$forest"

heading "5. How uncertain is the grammar? (0 for one reading; ln 5 = 1.61 for five equal ones)"
coppice forest entropy "$forest"

heading "6. How many noun phrases has the sentence? Four for sure; more where a phrase belongs to a noun"
coppice forest expect --value NP "$forest"

heading "7. The forest, drawn: the likeliest reading in green, the strength of lines is probability"
coppice forest draw --posteriors --best --title "Who has the telescope?" -o "$output/forest.svg" "$forest"


printf '\n%s\n' "${bold}What is a clove?${plain} A tagger learns to read ingredient lines of recipes."

heading "8. Train it: 2000 lines, seconds"
coppice train tag -t data/recipes/train.conll -d data/recipes/dev.conll --columns form,_,label -o "$output/recipes.cop"

heading "9. Score it on lines that it has not seen"
coppice eval -m "$output/recipes.cop" --gold data/recipes/test.conll --columns form,_,label

heading "10. Cloves of garlic are a unit, cloves in a pinch of ground cloves are a food: why?"
coppice explain -m "$output/recipes.cop" --text "2 cloves garlic" --token 2 --against B-FOOD --top 6
coppice explain -m "$output/recipes.cop" --text "1 pinch ground cloves" --token 4 --top 6

printf '\n%s\n' "The drawing is $output/forest.svg: open it in a browser, e.g. xdg-open $output/forest.svg"
