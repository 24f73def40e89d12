#!/usr/bin/env node
import { runProgram } from "./cli/program.ts";
import { thisHost } from "./host/host.ts";

process.exitCode = await runProgram(process.argv.slice(2), thisHost());
