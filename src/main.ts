#!/usr/bin/env node
import { runProgram } from "./cli/program.ts";
import { thisMachine } from "./host/host.ts";

process.exitCode = await runProgram(process.argv.slice(2), thisMachine());
