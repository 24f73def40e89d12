import { Argument } from "commander";

import { completeCommand, type DefineCommand } from "../command-options.ts";
import { exitCodes } from "../output/exit-codes.ts";

export const defineCompletion: DefineCommand = (command, host) => {
  command
    .addArgument(new Argument("<shell>", "the shell that completes").choices(shells))
    .examples(
      "source <(zonewarden completion bash)        # in ~/.bashrc",
      "source <(zonewarden completion zsh)         # in ~/.zshrc, after compinit",
      "zonewarden completion fish > ~/.config/fish/completions/zonewarden.fish",
      "zonewarden completion powershell | Out-String | Invoke-Expression",
    )
    .runs((shell: Shell) => {
      host.stdout.write(scripts[shell]);
      return exitCodes.done;
    });
};

const shells = ["bash", "zsh", "fish", "powershell"] as const;

type Shell = (typeof shells)[number];

/**
 * Prints candidates for the shells. The number of words comes first, because a PowerShell before 7.3 drops an empty last
 * argument. Each script inserts a candidate as data: no shell expands it.
 */
const scripts: Readonly<Record<Shell, string>> = {
  bash: String.raw`# Completion for bash. Load it with: source <(zonewarden completion bash)
_zonewarden() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("$(printf '%q' "${"$"}{line%%$'\t'*}")")
  done < <(zonewarden ${completeCommand} "$COMP_CWORD" "${"$"}{COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _zonewarden zonewarden
`,
  zsh: String.raw`#compdef zonewarden
# Completion for zsh. Load it after compinit with: source <(zonewarden completion zsh)
_zonewarden() {
  local line
  local -a values
  while IFS= read -r line; do
    values+=("${"$"}{line%%$'\t'*}")
  done < <(zonewarden ${completeCommand} "$((CURRENT - 1))" "${"$"}{(@)words[2,CURRENT]}" 2>/dev/null)
  if (( ${"$"}{#values} == 0 )); then
    _files
  else
    compadd -- "${"$"}{values[@]}"
  fi
}
compdef _zonewarden zonewarden
`,
  fish: String.raw`# Completion for fish. Load it with: zonewarden completion fish | source
function __zonewarden_complete
    set -l words (commandline -opc)
    set -e words[1]
    set -l typed (commandline -ct)
    set -l count (math (count $words) + 1)
    set -l found (zonewarden ${completeCommand} $count $words "$typed" 2>/dev/null)
    if test (count $found) -eq 0
        __fish_complete_path "$typed"
    else
        printf '%s\n' $found
    end
end
complete -c zonewarden -f -a '(__zonewarden_complete)'
`,
  powershell: `# Completion for PowerShell. Load it with: zonewarden completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName zonewarden -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.StartOffset -lt $cursorPosition } | ForEach-Object { "$_" })
    $count = $words.Count
    if ($wordToComplete -eq '') { $count += 1 }
    zonewarden ${completeCommand} $count @words 2>$null | ForEach-Object {
        $value, $description = $_ -split "\`t", 2
        $text = $value
        if ($value -notmatch '^[\\w./=-]+$') { $text = "'" + $value.Replace("'", "''") + "'" }
        if (-not $description) { $description = $value }
        [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $description)
    }
}
`,
};
