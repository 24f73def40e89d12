#!/usr/bin/env node
// No static import of code: it would be loaded before the checks and signal handlers below.

const { node } = process.versions;
const [major = 0, minor = 0] = node.split(".").map(Number);
if (major < 24 || (major === 24 && minor < 12)) {
  process.stderr.write(
    `zonewarden needs Node 24.12 or newer, and this is Node ${node}: install a newer one\n`,
  );
  process.exit(1);
}

// The kernel delivers to the first process of a container only the signals that it listens to. These listeners end the
// process where the command has none of its own, or not yet.
for (const [signal, code] of [
  ["SIGTERM", 143],
  ["SIGINT", 130],
] as const) {
  process.on(signal, () => {
    if (process.listenerCount(signal) > 1) return;
    // `process.exit` waits for a thread that opens a pipe without a writer. The default action of a signal does not.
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
    // Process 1 of a container has no default action.
    process.exit(code);
  });
}

// A daemon starts once: it would only spend memory and time on it.
if (process.argv[2] !== "run") {
  (await import("./host/compile-cache.ts")).keepCompiledCode(process.env);
}
const runProgram = (await import("./cli/program.ts")).runProgram;
const thisHost = (await import("./host/host.ts")).thisHost;
process.exitCode = await runProgram(process.argv.slice(2), thisHost());
