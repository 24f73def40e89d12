import { Command, CommanderError, Option } from "commander";

import { withoutSecrets } from "../syntax/without-secrets.ts";
import { acceptOption, configOption, example, formatOption, type Add } from "./command-parts.ts";
import type { EmulateFlags } from "./emulate.ts";
import { exitCodeHelp, exitCodes, type ExitCode } from "./exit-codes.ts";
import { addImport } from "./import-command.ts";
import { addInventory, addSuggest } from "./inventory-commands.ts";
import type { Machine } from "./machine.ts";
import { addRulesets } from "./rulesets-commands.ts";
import { version } from "./version.ts";

/** Runs one command line and gives the exit code. What is not foreseen ends here, as one line and not as a stack. */
export async function runProgram(args: readonly string[], machine: Machine): Promise<number> {
  let code: ExitCode = exitCodes.done;
  const program = createProgram(machine, (result) => {
    code = result;
  });
  try {
    await program.parseAsync(args, { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.failed;
    return unforeseen(error, machine);
  }
}

function unforeseen(error: unknown, machine: Machine): number {
  const isSpoken = error instanceof Error;
  const trace = machine.env["ZONEWARDEN_TRACE"] === "1" && isSpoken ? `\n${error.stack ?? ""}` : "";
  const said = `${isSpoken ? error.message : String(error)}${trace}`;
  machine.stderr.write(
    `zonewarden: ${withoutSecrets(said)}\n` +
      (trace === "" ? "Set ZONEWARDEN_TRACE=1 to see where this came from.\n" : ""),
  );
  return exitCodes.failed;
}

/** The whole command line; each command's code is loaded when it is called. */
export function createProgram(machine: Machine, end: (code: ExitCode) => void): Command {
  const program = new Command("zonewarden")
    .description(
      "Keeps the protection of web zones as declared in YAML: Page Shield settings,\ncontent security policies and managed WAF rulesets.",
    )
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    // Behind a command --version is a mistake, not a question about the program.
    .enablePositionalOptions()
    .configureOutput({
      writeOut: (text) => machine.stdout.write(text),
      writeErr: (text) => machine.stderr.write(text),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .exitOverride()
    .showHelpAfterError("(add --help for what can be said here)")
    .addHelpText("after", `\n${exitCodeHelp}\n\n${startHelp}`);
  addRun(program, machine, end);
  addValidate(program, machine, end);
  addPlan(program, machine, end);
  addApply(program, machine, end);
  addHistory(program, machine, end);
  addImport(program, machine, end);
  addInventory(program, machine, end);
  addSuggest(program, machine, end);
  addRulesets(program, machine, end);
  addEmulate(program, machine, end);
  addSchema(program, machine, end);
  return program;
}

const startHelp = `Examples:
  $ zonewarden import --out zones              write down what is live, to begin with
  $ zonewarden emulate                         a service to try things on, without an account
  $ zonewarden validate                        are the files in order?
  $ zonewarden plan                            what would be changed? (writes nothing)
  $ zonewarden apply                           change it once
  $ zonewarden run                             keep it so`;

const addRun: Add = (program, machine, end) => {
  program
    .command("run")
    .description("keep every zone as declared: on a schedule, and on each change of the files")
    .addOption(configOption())
    .addHelpText("after", example("zonewarden run --config /etc/zonewarden/zonewarden.yaml"))
    .action(async (options: { readonly config: string }) => {
      const { run } = await import("./run.ts");
      end(await run(options, machine));
    });
};

const addValidate: Add = (program, machine, end) => {
  program
    .command("validate")
    .description("check the files; needs neither network nor token")
    .argument("[path]", "directory or file with zone documents, instead of the configured one")
    .addOption(configOption())
    .addOption(formatOption("text", "json", "sarif", "annotations"))
    .option("--show <zone>", "print a zone as merged, and where each value was set")
    .addHelpText(
      "after",
      example(
        "zonewarden validate",
        "zonewarden validate zones/",
        "zonewarden validate --show shop.example.com",
        "zonewarden validate --format sarif > zonewarden.sarif",
      ),
    )
    .action(async (path: string | undefined, options: ValidateFlags) => {
      const { validate } = await import("./validate.ts");
      end(await validate({ ...options, path, show: options.show }, machine));
    });
};

interface ValidateFlags {
  readonly config: string;
  readonly format: "text" | "json" | "sarif" | "annotations";
  readonly show?: string;
}

const addPlan: Add = (program, machine, end) => {
  program
    .command("plan")
    .description("say what would be changed; writes nothing")
    .argument("[zones...]", "only these zones (names, * stands for anything)")
    .addOption(configOption())
    .addOption(formatOption("text", "json", "markdown"))
    .option("-o, --out <file>", "save the plan, to be carried out exactly as it is")
    .option(
      "--impact",
      "tell what it does to the scripts, connections and rules that are really there",
    )
    .addHelpText(
      "after",
      example(
        "zonewarden plan",
        "zonewarden plan '*.example.com'",
        "zonewarden plan shop.example.com --impact",
        "zonewarden plan --out plan.json && zonewarden apply --plan plan.json",
        "zonewarden plan --format json | jq .summary",
        "zonewarden plan --format markdown > comment.md",
      ),
    )
    .action(async (zones: readonly string[], options: PlanFlags) => {
      const { planCommand } = await import("./plan.ts");
      const { out, impact = false } = options;
      end(await planCommand({ ...options, zones, out, impact }, machine));
    });
};

interface PlanFlags {
  readonly config: string;
  readonly format: "text" | "json" | "markdown";
  readonly out?: string;
  readonly impact?: boolean;
}

const addApply: Add = (program, machine, end) => {
  program
    .command("apply")
    .description("change once what differs from the files")
    .argument("[zones...]", "only these zones (names, * stands for anything)")
    .addOption(configOption())
    .addOption(formatOption("text", "json", "markdown"))
    .addOption(acceptOption())
    .option("--plan <file>", "carry out what plan --out has saved, and nothing else")
    .option("--check", "let the service judge the writes of rulesets, and store nothing")
    .addHelpText(
      "after",
      example(
        "zonewarden apply",
        "zonewarden apply shop.example.com",
        "zonewarden apply --accept 3f2a91c07be4 shop.example.com",
        "zonewarden apply --plan plan.json",
      ),
    )
    .action(async (zones: readonly string[], options: ApplyFlags, command: Command) => {
      const { plan, accept = [], check = false } = options;
      if (plan === undefined && check) {
        const { checkCommand } = await import("./check.ts");
        end(await checkCommand({ ...options, zones, accept }, machine));
        return;
      }
      if (plan === undefined) {
        const { applyCommand } = await import("./apply.ts");
        end(await applyCommand({ ...options, zones, accept }, machine));
        return;
      }
      if (zones.length > 0 || accept.length > 0 || check) {
        command.error(
          "error: --plan carries out a whole saved plan: name neither zones nor --accept nor --check",
        );
      }
      const { applyPlan } = await import("./apply-plan.ts");
      end(await applyPlan({ ...options, plan }, machine));
    });
};

interface ApplyFlags {
  readonly config: string;
  readonly format: "text" | "json" | "markdown";
  readonly accept?: readonly string[];
  readonly plan?: string;
  readonly check?: boolean;
}

const addHistory: Add = (program, machine, end) => {
  program
    .command("history")
    .description("print what runs changed or found, and how long zones drifted")
    .argument("[zone]", "only this zone (a name, * stands for anything)")
    .addOption(configOption())
    .addOption(formatOption("text", "json"))
    .option("--since <when>", "a moment, or how long ago: 2026-03-01, 24h, 30d")
    .option("--until <when>", "likewise; without it: now")
    .addHelpText(
      "after",
      example(
        "zonewarden history",
        "zonewarden history shop.example.com --since 24h",
        "zonewarden history --since 2026-03-01 --until 2026-04-01 --format json | jq .drift",
      ),
    )
    .action(async (zone: string | undefined, options: HistoryOptions) => {
      const { history } = await import("./history.ts");
      end(await history({ ...options, zone, since: options.since, until: options.until }, machine));
    });
};

interface HistoryOptions {
  readonly config: string;
  readonly format: "text" | "json";
  readonly since?: string;
  readonly until?: string;
}

const addEmulate: Add = (program, machine, end) => {
  program
    .command("emulate")
    .description("serve the whole API on this machine, with synthetic data and no account")
    .addOption(new Option("-l, --listen <address>", "host and port").default("127.0.0.1:8787"))
    .option("--seed <file>", "zones, policies, rulesets and tokens to begin with (YAML)")
    .option("--state <file>", "keep the state in a file, through restarts")
    .option("--generate <what>", "make zones up: zones=1000,policies=3,scripts=50,seed=1")
    .addOption(
      new Option(
        "--dialect <dialect>",
        "answers as the published schema or the specification has them",
      )
        .choices(["published", "specification"])
        .default("published"),
    )
    .option("--operations", "print the operations that are served, and end")
    .addHelpText(
      "after",
      example(
        "zonewarden emulate",
        "zonewarden emulate --seed config.example/emulator.yaml",
        "zonewarden emulate --generate zones=1000,policies=3 --state /tmp/emulator.json",
        "curl -H 'Authorization: Bearer emulator-token' http://127.0.0.1:8787/client/v4/zones",
      ),
    )
    .action(async (options: EmulateFlags) => {
      const { emulate } = await import("./emulate.ts");
      end(await emulate(options, machine));
    });
};

const addSchema: Add = (program, machine, end) => {
  program
    .command("schema")
    .description("print a JSON Schema, for editors and for other programs")
    .argument("[name]", "which one; without it, their names are printed")
    .addHelpText(
      "after",
      example("zonewarden schema", "zonewarden schema zones > zones.schema.json"),
    )
    .action(async (name: string | undefined) => {
      const { schema } = await import("./schema.ts");
      end(await schema(name, machine));
    });
};
