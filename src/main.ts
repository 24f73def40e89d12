#!/usr/bin/env node
import { thisMachine } from "./cli/machine.ts";
import { runProgram } from "./cli/program.ts";

process.exitCode = await runProgram(process.argv.slice(2), thisMachine());
