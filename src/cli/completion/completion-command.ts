import { Argument } from "commander";

import type { DefineCommand } from "../command-options.ts";
import { exitCodes } from "../output/exit-codes.ts";
import { scripts, type Shell, shells } from "./shell-scripts.ts";

export const defineCompletion: DefineCommand = (command, host, end) => {
  command
    .addArgument(new Argument("<shell>", "the shell that completes").choices(shells))
    .examples(
      "source <(zonewarden completion bash)        # in ~/.bashrc",
      "source <(zonewarden completion zsh)         # in ~/.zshrc, after compinit",
      "zonewarden completion fish > ~/.config/fish/completions/zonewarden.fish",
      "zonewarden completion powershell | Out-String | Invoke-Expression",
    )
    .action((shell: Shell) => {
      host.stdout.write(scripts[shell]);
      end(exitCodes.done);
    });
};
