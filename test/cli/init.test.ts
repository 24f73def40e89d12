import { symlink } from "node:fs/promises";
import path from "node:path";

import { describe, it } from "vitest";
import { parse } from "yaml";

import { nodeNamedFiles } from "../../src/host/named-files.ts";
import {
  emptyRepository,
  everything,
  filesOf,
  workflow,
  zoneFiles,
} from "../support/empty-repository.ts";
import { writesSeenBy } from "../support/example.ts";
import { logged } from "../support/log-lines.ts";
import { freePort } from "../support/processes.ts";
import { stop } from "../support/running.ts";

/** One of each kind that it writes beside its configuration. */
const writtenBeside = [
  ".github/CODEOWNERS",
  workflow,
  "zones/profiles/page-shield.yaml",
  "zones/shop.example.com.yaml",
];

const byYes = ["init", "--yes", "--owners", "@acme/security,@jane"];

describe("init --yes", () => {
  it("writes everything, plans nothing to change, sends only GETs, and says what is next", async ({
    expect,
  }) => {
    await using example = await emptyRepository();
    const { place, emulator, address } = example;
    const { code, stdout, stderr } = await place.run(...byYes, "--emulator", address);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const files = await filesOf(place);
    expect(Object.keys(files)).toEqual(everything);
    expect(stdout).toContain("No changes. 4 of 4 zones in sync.");
    expect(stdout).toMatch(
      /\nNext:\n {2}1\. Read the files and commit them: git add zonewarden\.yaml zones \.github && git commit/,
    );
    expect(stdout).not.toContain("zonewarden emulate");
    expect(files[".github/CODEOWNERS"]?.split("\n").slice(1)).toEqual([
      "/zonewarden.yaml @acme/security @jane",
      "/zones/ @acme/security @jane",
      "/.github/ @acme/security @jane",
      "",
    ]);
    expect(writesSeenBy(emulator)).toEqual([]);
    expect(await place.run("doctor")).toMatchObject({ code: 0 });
    expect(await place.run("plan")).toMatchObject({ code: 0, stderr: "" });
    expect((await place.run("plan")).stdout).toContain("No changes.");
  });

  it("writes what the flags ask for", async ({ expect }) => {
    await using example = await emptyRepository();
    const { place, address } = example;
    const flags = [
      "--no-workflow",
      "--layout",
      "files",
      "--out",
      "conf/zones",
      "-c",
      "conf/zw.yaml",
    ];
    const { code, stderr } = await place.run(
      "init",
      "shop.*",
      "--yes",
      "--emulator",
      address,
      ...flags,
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const files = await filesOf(place);
    expect(Object.keys(files)).toEqual(["conf/zones/shop.example.com.yaml", "conf/zw.yaml"]);
    expect(await place.run("plan", "-c", "conf/zw.yaml")).toMatchObject({ code: 0 });
  });

  it.for(writtenBeside)("refuses to overwrite %s, and writes nothing", async (file, { expect }) => {
    await using example = await emptyRepository();
    const { place, address } = example;
    await place.write(file, "# mine\n");
    const { code, stdout, stderr } = await place.run(...byYes, "--emulator", address);
    if (file === ".github/CODEOWNERS") {
      // Its lines are printed, to be added by hand.
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toContain("/zones/ @acme/security @jane\n");
    } else {
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toContain(`init: these files exist, so nothing was written: ${file}\n`);
      expect(await filesOf(place)).toEqual({ [file]: "# mine\n" });
    }
    expect(await place.read(file)).toBe("# mine\n");
  });

  it("does not declare a zone that a file declares already, and writes nothing", async ({
    expect,
  }) => {
    await using example = await emptyRepository();
    const { place, address } = example;
    await place.write("zones/mine.yaml", "zones: [{ name: shop.example.com }]\n");
    const { code, stderr } = await place.run(...byYes, "--emulator", address);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        "init: nothing was written: other files declare these zones; delete that, or write elsewhere: shop.example.com (zones/mine.yaml)\n",
    });
    expect(Object.keys(await filesOf(place))).toEqual(["zones/mine.yaml"]);
  });

  it("does not write through a link that leads nowhere", async ({ expect }) => {
    await using example = await emptyRepository();
    const { place, address } = example;
    await symlink("/nonexistent/target", path.join(place.directory, "zonewarden.yaml"));
    expect(await place.run(...byYes, "--emulator", address)).toMatchObject({ code: 3, stdout: "" });
    expect(await filesOf(place)).toEqual({});
  });

  it("does not replace a file that appears while it works", async ({ expect }) => {
    const namedFiles = { ...nodeNamedFiles, exists: () => Promise.resolve(false) };
    await using example = await emptyRepository(undefined, { namedFiles });
    const { place, address } = example;
    await place.write("zones/shop.example.com.yaml", "# mine\n");
    const { code, stderr } = await place.run(...byYes, "--emulator", address);
    expect(code).toBe(1);
    expect(stderr).toMatch(/init: zones\/shop\.example\.com\.yaml: cannot be written: it exists; /);
    expect(await place.read("zones/shop.example.com.yaml")).toBe("# mine\n");
  });

  it.for([
    { args: ["--owners", "security team"], says: "Write users, teams or addresses" },
    { args: ["--owners", "@a\n* @b c"], says: "Write users, teams or addresses" },
    { args: ["--out", "../zones"], says: "Use a directory below" },
    { args: ["--out", "/zones"], says: "Use a directory below" },
    { args: ["--out", "a b"], says: "Use a directory below" },
    { args: ["--layout", "profile"], says: "Allowed choices are files, profiles" },
    { args: ["nobody.example"], says: "the service lists no zone that matches nobody.example" },
  ])("writes nothing with $args", async ({ args, says }, { expect }) => {
    await using example = await emptyRepository();
    const { place, address } = example;
    const { code, stderr } = await place.run("init", "--yes", "--emulator", address, ...args);
    expect(code).toBe(1);
    expect(stderr).toContain(says);
    expect(await filesOf(place)).toEqual({});
  });

  it("writes nothing without a token, and says how to go on", async ({ expect }) => {
    await using example = await emptyRepository();
    const { place } = example;
    const { code, stdout, stderr } = await place.run("init", "--yes");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("export ZONEWARDEN_API_TOKEN, or add --token-file FILE");
    expect(stderr).toContain("zonewarden init --emulator");
    expect(await filesOf(place)).toEqual({});
  });

  it("uses the service, the credentials and the directory of a configuration that is there", async ({
    expect,
  }) => {
    await using example = await emptyRepository();
    const { place, emulator, address } = example;
    const config = `mode: observe
api: { base_url: "${emulator.baseUrl}" }
credentials: [{ name: all, token_file: token }]
desired: { path: declared }
`;
    await place.write("zonewarden.yaml", config);
    await place.write("token", "emulator-token\n");
    const { code, stdout, stderr } = await place.run("init", "--yes", "--no-workflow");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const names = zoneFiles.map((file) => file.replace("zones/", "declared/"));
    expect(Object.keys(await filesOf(place))).toEqual([...names, "token", "zonewarden.yaml"]);
    expect(await place.read("zonewarden.yaml")).toBe(config);
    expect(stdout).toContain("git add declared && git commit");
    await place.remove("declared");
    const again = ["init", "--yes", "--no-workflow", "--emulator", address, "--out", "declared"];
    expect(await place.run(...again)).toMatchObject({ code: 0 });
  });

  it.for([
    { flag: "--out", value: "elsewhere" },
    { flag: "--emulator", value: "127.0.0.1:1" },
  ])(
    "does not follow $flag against a configuration that is there",
    async ({ flag, value }, { expect }) => {
      await using example = await emptyRepository();
      const { place, emulator } = example;
      await place.write(
        "zonewarden.yaml",
        `mode: observe\napi: { base_url: "${emulator.baseUrl}" }\n`,
      );
      const { code, stderr } = await place.run("init", "--yes", flag, value);
      expect(code).toBe(1);
      expect(stderr).toBe(
        `init: ${flag} ${value}: the configuration says otherwise: change or remove zonewarden.yaml, or leave out the flag\n`,
      );
      expect(emulator.journal()).toEqual([]);
      expect(Object.keys(await filesOf(place))).toEqual(["zonewarden.yaml"]);
    },
  );

  it("starts no emulator of its own where none listens", async ({ expect }) => {
    await using example = await emptyRepository();
    const { place } = example;
    const address = `127.0.0.1:${await freePort()}`;
    expect(await place.run("init", "--yes", "--emulator", address)).toEqual({
      code: 1,
      stdout: "",
      stderr: `init: no emulator listens on ${address}; start one in another terminal: zonewarden emulate --listen ${address}\n`,
    });
    expect(await filesOf(place)).toEqual({});
  });

  it.for([{ config: "zonewarden.yaml" }, { config: "conf/zw.yaml" }])(
    "ends with steps that work with $config",
    async ({ config }, { expect }) => {
      await using example = await emptyRepository();
      const { place, address } = example;
      const { stdout } = await place.run(...byYes, "--emulator", address, "--config", config);
      const steps = stdout.slice(stdout.indexOf("\nNext:"));
      const typed =
        steps.match(/zonewarden (?:doctor|plan|apply|run)(?: --config [\w./]+)?/g) ?? [];
      expect(typed.length).toBe(4);
      for (const command of typed) {
        const [, name = "", ...args] = command.split(" ");
        if (name === "run") {
          await place.write(
            config,
            `${await place.read(config)}server: { listen: "127.0.0.1:0" }\n`,
          );
          const daemon = place.start(name, ...args);
          await logged(daemon, "revision applied");
          expect(await stop(daemon)).toBe(0);
        } else {
          expect(await place.run(name, ...args), command).toMatchObject({ code: 0 });
        }
      }
    },
  );

  it("leaves the files of GitHub out below the root of the repository", async ({ expect }) => {
    await using example = await emptyRepository();
    const { place, address } = example;
    await place.write("part/here", "");
    const directory = path.join(place.directory, "part");
    await using inside = await emptyRepository(undefined, { directory });
    await inside.place.remove(".git");
    const { code, stderr } = await inside.place.run(...byYes, "--emulator", address);
    expect(code).toBe(0);
    expect(stderr).toContain("no workflow and no CODEOWNERS are written");
    expect(Object.keys(await filesOf(place))).toEqual(
      [...zoneFiles, "zonewarden.yaml"]
        .map((name) => `part/${name}`)
        .concat("part/here")
        .toSorted(),
    );
  });
});

describe("init in a pipe without --yes", () => {
  it("says what to do, and writes nothing", async ({ expect }) => {
    await using example = await emptyRepository();
    const { code, stdout, stderr } = await example.place.run("init", "--emulator");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("zonewarden init --yes");
    expect(await filesOf(example.place)).toEqual({});
  });
});

describe("the files of init", () => {
  it("hold no token, wherever it came from", async ({ expect }) => {
    const token = "emulator-token";
    await using example = await emptyRepository(["n", "*", "n", "y", ""], {
      env: { ZONEWARDEN_API_TOKEN: token },
    });
    const { place, emulator } = example;
    await place.write(
      "zonewarden.yaml",
      `mode: observe\napi: { base_url: "${emulator.baseUrl}" }\n`,
    );
    const { code, stdout, stderr } = await place.run("init");
    expect(code).toBe(0);
    const texts = [...Object.values(await filesOf(place)), stdout, stderr];
    expect(texts.filter((text) => text.includes(token))).toEqual([]);
  });

  it("are a workflow that is safe for forks: no token but in a job that forks do not start", async ({
    expect,
  }) => {
    await using example = await emptyRepository();
    const { place, address } = example;
    await place.run(...byYes, "--emulator", address);
    const text = await place.read(workflow);
    expect(parse(text)).toMatchObject({
      on: "pull_request",
      permissions: { contents: "read" },
      jobs: {
        validate: { steps: [{ with: { "persist-credentials": false } }, expect.anything()] },
        plan: {
          if: "github.event.pull_request.head.repo.full_name == github.repository",
          permissions: { contents: "read", "pull-requests": "write" },
        },
      },
    });
    const jobs = text.slice(text.indexOf("  validate:"), text.indexOf("  plan:"));
    expect(jobs).not.toContain("secrets.");
    expect(text).not.toMatch(/^\s*(?:- )?run:/m);
  });
});

/** The answers of somebody who wants all zones, profiles, a workflow and an owner. */
const answers = ["conf/..", "zones", "*", "maybe", "y", "", "@acme/security"];

describe("init on a terminal", () => {
  it("asks, asks again after a wrong answer, and writes what was answered", async ({ expect }) => {
    await using example = await emptyRepository(answers);
    const { place, asked, address } = example;
    const { code, stdout, stderr } = await place.run("init", "--emulator", address);
    expect(code).toBe(0);
    expect(stderr).toContain("Use a directory below");
    expect(asked).toEqual([
      "Directory for the zone files [zones]: ",
      "Directory for the zone files [zones]: ",
      expect.stringContaining("The token sees 4 zones (blog.example.com, "),
      "Put what several zones have into profiles? [y]: ",
      "Put what several zones have into profiles? [y]: ",
      `Write ${workflow}, which checks pull requests on GitHub? [y]: `,
      "Who must approve changes on GitHub? @user or @org/team; empty for nobody: ",
    ]);
    expect(Object.keys(await filesOf(place))).toEqual(everything);
    expect(stdout).toContain("No changes. 4 of 4 zones in sync.");
  });

  it("writes nothing where the input ends, at whichever question", async ({ expect }) => {
    for (let count = 0; count < answers.length; count += 1) {
      await using example = await emptyRepository(answers.slice(0, count));
      const { place, address } = example;
      const { code, stderr } = await place.run("init", "--emulator", address);
      expect(code).toBe(1);
      expect(stderr).toMatch(/^(?:(?:Use|Answer) .*\n)*init: stopped; nothing was written\n$/);
      expect(await filesOf(place)).toEqual({});
    }
  });

  it("keeps a configuration that exists, and uses it with the token of a file", async ({
    expect,
  }) => {
    await using example = await emptyRepository(["n", "shop.*", "n", "n", ""]);
    const { place, emulator } = example;
    const config = `mode: observe\napi: { base_url: "${emulator.baseUrl}" }\ndesired: { path: declared }\n`;
    await place.write("zonewarden.yaml", config);
    await place.write("token", "emulator-token\n");
    const { code, stdout } = await place.run("init", "--token-file", "token");
    expect(code).toBe(0);
    expect(stdout).toContain('export ZONEWARDEN_API_TOKEN="$(cat token)"');
    expect(stdout).toContain("add token to .gitignore");
    const files = await filesOf(place);
    expect(Object.keys(files)).toEqual([
      "declared/shop.example.com.yaml",
      "token",
      "zonewarden.yaml",
    ]);
    expect(files["zonewarden.yaml"]).toBe(config);
  });

  it.for([
    { name: "keeps", typed: "n" },
    { name: "overwrites", typed: "y" },
  ])("$name files that exist, as answered", async ({ typed }, { expect }) => {
    await using example = await emptyRepository([
      typed,
      ...(typed === "y" ? ["zones"] : []),
      "*",
      "y",
      "y",
      "",
      typed,
      typed,
    ]);
    const { place, asked, emulator, address } = example;
    const config = `mode: observe\napi: { emulator: { listen: "${new URL(emulator.url).host}" } }\n`;
    const mine = {
      [workflow]: "# mine\n",
      "zones/shop.example.com.yaml": "zones: []\n",
      "zonewarden.yaml": config,
    };
    for (const [file, text] of Object.entries(mine)) await place.write(file, text);
    const { code } = await place.run("init", "--emulator", address);
    expect(code).toBe(0);
    expect(asked.filter((each) => each.includes("Overwrite"))).toEqual([
      "zonewarden.yaml exists. Overwrite it? [n]: ",
      "1 zone file exists: zones/shop.example.com.yaml. Overwrite? [n]: ",
      `${workflow} exists. Overwrite it? [n]: `,
    ]);
    const files = await filesOf(place);
    expect(Object.keys(files)).toEqual([workflow, ...zoneFiles, "zonewarden.yaml"]);
    const kept = Object.entries(mine).filter(([file, text]) => files[file] === text);
    expect(kept.map(([file]) => file)).toEqual(typed === "n" ? Object.keys(mine) : []);
  });

  it("writes nothing where the service does not answer", async ({ expect }) => {
    await using example = await emptyRepository(["n"], {
      env: { ZONEWARDEN_API_TOKEN: "emulator-token" },
    });
    const { place, emulator } = example;
    const config = `mode: observe\napi: { base_url: "${emulator.baseUrl}" }\n`;
    await place.write("zonewarden.yaml", config);
    await emulator[Symbol.asyncDispose]();
    expect(await place.run("init")).toMatchObject({ code: 7, stdout: "" });
    expect(await filesOf(place)).toEqual({ "zonewarden.yaml": config });
  });
});
