import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import { afterAll, beforeAll, describe, it } from "vitest";

import { version } from "../../src/host/version.ts";
import { deploy } from "../deploy/paths.ts";
import { run } from "../deploy/tools.ts";
import { startEmulatorProcess } from "../support/emulator-process.ts";
import { declarationOf, namesOfFleet, seedOfFleet } from "../support/large-fleet.ts";
import { addressOf, eventually } from "../support/processes.ts";
import { plantedToken } from "../support/service.ts";
import {
  type Unpacked,
  noContainer,
  processOf,
  startContainer,
  unpack,
  writeMounted,
} from "./container.ts";
import { memoryGroup } from "./memory-group.ts";

const script = (name: string): string => path.join(deploy, "release", name);
const minutes = 60_000;
const size = 1_000;
const names = namesOfFleet(size);

/** Where the daemon finds its token in a pod. */
const tokenDirectory = "/var/run/secrets/zonewarden";

const stack = new AsyncDisposableStack();
let directory = "";
let image: Unpacked;

/** The files of the fleet, 100 zones in each. */
function filesOf(change: (text: string) => string = (text) => text): Record<string, string> {
  const files: Record<string, string> = {};
  for (let at = 0; at < size; at += 100) {
    files[`zones-${at}.yaml`] = change(declarationOf(names.slice(at, at + 100)));
  }
  return files;
}

/** `Uid` of `/proc/PID/status`, for example. */
async function statusOf(pid: number, name: string): Promise<string> {
  const text = await readFile(`/proc/${pid}/status`, "utf8");
  return new RegExp(`^${name}:\\s*(.*)$`, "m").exec(text)?.[1] ?? "";
}

async function seriesOf(address: string, pattern: RegExp): Promise<number> {
  const text = await (await fetch(`${address}/metrics`)).text();
  return text.match(pattern)?.length ?? 0;
}

describe.skipIf(noContainer)(`the image, built by buildah ${noContainer ?? ""}`, () => {
  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), "zonewarden-image-"));
    stack.defer(() => rm(directory, { recursive: true }));
    const store = path.join(directory, "store");
    const archive = path.join(directory, "image.tar");
    await run(script("bases.sh"), [store, "0"]);
    await run(script("image.sh"), [store, archive, "0", version, "0123456789abcdef"]);
    image = stack.use(await unpack(archive));
    const { stdout } = await run("du", ["-sm", image.root]);
    const megabytes = Math.round((await stat(archive)).size / 1e6);
    process.stdout.write(`image: ${parseInt(stdout, 10)} MiB, ${megabytes} MB to pull\n`);
  }, 15 * minutes);

  afterAll(() => stack.disposeAsync());

  it("has the program and what it needs, and neither a shell nor files of developers", async ({
    expect,
  }) => {
    const { stdout } = await run("find", [image.root, "-type", "f"]);
    const files = stdout.split("\n").map((file) => file.slice(image.root.length));
    expect(files).toContain("/app/dist/main.js");
    expect(files).toContain("/app/node_modules/undici/LICENSE");
    const unwanted = files.filter((file) =>
      /\/(?:ba|da)?sh$|\.map$|\.[cm]?ts$|\/app\/.*\/(?:tests?|benchmarks?|\.github)\//.test(file),
    );
    expect(unwanted).toEqual([]);
    expect(image).toMatchObject({
      user: "65532:65532",
      entrypoint: ["/nodejs/bin/node", "/app/dist/main.js"],
      command: ["run", "--config", "/etc/zonewarden/zonewarden.yaml"],
    });
  });

  it("runs as its user, writes nothing, and knows its commit", async ({ expect }) => {
    const options = { image, mounts: {}, procs: "", cwd: directory };
    const told = await startContainer(options, ...image.entrypoint, "version", "--json");
    expect(await told.exited).toBe(0);
    expect(JSON.parse(told.output())).toMatchObject({ version, commit: "0123456789abcdef" });
    // As `kubectl exec` calls it.
    const named = await startContainer(options, "/usr/local/bin/zonewarden", "version", "--json");
    expect(await named.exited).toBe(0);
    expect(named.output()).toBe(told.output());
    const [node = ""] = image.entrypoint;
    const write = "require('fs').writeFileSync('/app/a', '')";
    const wrote = await startContainer(options, node, "-e", write);
    expect(await wrote.exited).toBe(1);
    expect(wrote.output()).toContain("EROFS");
  });

  it(
    `watches ${size} zones in 256 MiB, with a plan of one zone beside it as the runbooks ask for it, and follows a changed mount`,
    async ({ expect, onTestFinished }) => {
      const group = memoryGroup(256);
      const limit = typeof group === "string" ? undefined : group;
      if (typeof group === "string") process.stdout.write(`not bounded: ${group}\n`);
      await using emulator = await startEmulatorProcess(directory, seedOfFleet(names));
      const at = (name: string): string => path.join(directory, name);
      await writeMounted(at("zones"), 1, filesOf());
      await writeMounted(at("token"), 1, { token: plantedToken });
      await writeMounted(at("config"), 1, {
        "zonewarden.yaml": `mode: enforce
api: { base_url: "${emulator.baseUrl}" }
budget: { requests: 100000 }
credentials: [{ name: main, token_file: ${tokenDirectory}/token }]
desired: { path: /zones }
server: { listen: "127.0.0.1:0" }
log: { format: json }
`,
      });
      const options = {
        image,
        mounts: {
          "/etc/zonewarden": at("config"),
          "/zones": at("zones"),
          [tokenDirectory]: at("token"),
        },
        procs: limit?.procs ?? "",
        cwd: directory,
      };
      if (limit !== undefined) onTestFinished(async () => limit[Symbol.asyncDispose]());
      const began = performance.now();
      await using daemon = await startContainer(options, ...image.entrypoint, ...image.command);
      const address = await addressOf(daemon);
      const startMs = Math.round(performance.now() - began);
      const pid = await processOf(daemon);
      expect(await statusOf(pid, "Uid")).toBe("65532\t65532\t65532\t65532");
      expect(await statusOf(pid, "CapEff")).toBe("0000000000000000");
      expect(await statusOf(pid, "NoNewPrivs")).toBe("1");
      // Process 1 of its namespace, as in a pod.
      expect(await statusOf(pid, "NSpid")).toMatch(/\t1$/);

      const seen = /^zonewarden_zone_last_success_timestamp_seconds\{[^}]*\} [1-9]/gm;
      await eventually(
        "every zone is read",
        async () => ((await seriesOf(address, seen)) === size ? true : undefined),
        120,
      );
      const config = ["--config", "/etc/zonewarden/zonewarden.yaml"];
      const plan = await startContainer(
        options,
        ...image.entrypoint,
        "plan",
        ...config,
        names[7] ?? "",
      );
      expect(await plan.exited, plan.output()).toBe(0);

      // One policy changes, by the swap of `..data` that the kubelet makes.
      await writeMounted(
        at("zones"),
        2,
        filesOf((text) =>
          text.replace(
            `host eq "shop-7.example.com" and starts_with(http.request.uri.path, "/checkout")`,
            `host eq "shop-7.example.com" and starts_with(http.request.uri.path, "/pay")`,
          ),
        ),
      );
      await eventually("the changed mount is applied", async () => {
        const zone = await (await fetch(`${address}/api/v1/zones/shop-7.example.com`)).text();
        return zone.includes('"in_sync"') && zone.includes('"verb":"update"') ? true : undefined;
      });
      const peak = await statusOf(pid, "VmHWM");
      process.stdout.write(`start: ${startMs} ms; most memory of the daemon: ${peak}\n`);
      expect(limit?.kills() ?? 0).toBe(0);
      process.kill(pid, "SIGTERM");
      expect(await daemon.exited, daemon.output().slice(-2_000)).toBe(0);
    },
    10 * minutes,
  );
});
