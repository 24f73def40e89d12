import * as fc from "fast-check";

// In CI every property takes the same walk each time, so that red means a change and not luck; elsewhere each run is a
// new walk, and what it finds is printed with its seed.
if (process.env["CI"] === "true") {
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 20_261_121 });
}
