const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 24 || (major === 24 && minor < 12)) {
  throw new Error(
    `the tests need the project's own Node (24.12 or newer), but ran on ${process.versions.node}: use npm run unit, or npx vitest`,
  );
}
