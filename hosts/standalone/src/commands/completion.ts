import type { Shell } from '@tandem/companion/shell';
import type { Command } from 'commander';
import { completeWords } from '../completeWords.js';
import { print } from '../output.js';

/** `tandem completion SHELL`: prints the script that a shell sources. */
export function completion(shell: Shell): void {
  process.stdout.write(shellScripts[shell]);
}

/** `tandem complete -- WORD… =CURRENT`: called by those scripts. */
export async function complete(program: Command, words: readonly string[]): Promise<void> {
  const current = (words.at(-1) ?? '').replace(/^=/, '');
  const { candidates, others } = await completeWords(program, words.slice(0, -1), current);
  for (const { value, description = '' } of candidates) print(`${value}\t${description}`);
  print(`:${others}`);
}

/**
 * What a shell sources to complete `tandem`. Every script calls `tandem complete -- WORD… =CURRENT`, which prints candidates,
 * each with a tab and a description, and a last line with what the shell may offer. The current word has a `=` before it
 * because some shells drop an empty argument. No script evaluates the typed text.
 */
const shellScripts: Readonly<Record<Shell, string>> = {
  // COMP_WORDS also splits at "=" and ":". Bash 3.2 of macOS has no compopt and offers files.
  bash: `_tandem() {
  local current=\${COMP_WORDS[COMP_CWORD]} line others=none
  [[ $current == = ]] && current=
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :*) others=\${line#:} ;;
      *) line=\${line%%$'\\t'*}; [[ $line == "$current"* ]] && COMPREPLY+=("$line") ;;
    esac
  done < <(tandem complete -- "\${COMP_WORDS[@]:1:COMP_CWORD-1}" "=$current" 2>/dev/null)
  case $others in
    files) ;;
    folders) compopt +o bashdefault +o default -o dirnames 2>/dev/null ;;
    *) compopt +o bashdefault +o default 2>/dev/null ;;
  esac
}
complete -o bashdefault -o default -F _tandem tandem
`,
  zsh: `#compdef tandem
_tandem() {
  local line others=none
  local -a candidates
  for line in "\${(@f)$(tandem complete -- "\${(@)words[2,CURRENT-1]}" "=$words[CURRENT]" 2>/dev/null)}"; do
    case $line in
      :*) others=\${line#:} ;;
      ?*) candidates+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}") ;;
    esac
  done
  (( $#candidates )) && _describe tandem candidates
  case $others in
    files) _files ;;
    folders) _files -/ ;;
  esac
}
if [[ $funcstack[1] == _tandem ]]; then _tandem "$@"; else compdef _tandem tandem; fi
`,
  fish: `function __tandem_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in (tandem complete -- $words[2..-1] "=$current" 2>/dev/null)
        switch $line
            case ':files'
                __fish_complete_path $current
            case ':folders'
                __fish_complete_directories $current
            case ':*'
            case '*'
                echo $line
        end
    end
end
complete -c tandem -f -a '(__tandem_complete)'
`,
  // PowerShell completes files if nothing is returned.
  powershell: `Register-ArgumentCompleter -Native -CommandName tandem -ScriptBlock {
    param($current, $ast, $position)
    $words = @($ast.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $position } | ForEach-Object { $_.ToString() })
    foreach ($line in (& tandem complete '--' @words "=$current" 2>$null)) {
        if ($line.StartsWith(':')) { continue }
        $value, $description = $line.Split("\`t", 2)
        if (-not $value.StartsWith($current)) { continue }
        if (-not $description) { $description = $value }
        [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $description)
    }
}
`,
};
