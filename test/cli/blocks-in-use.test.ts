import { describe, it } from "vitest";

import { control, exampleWithEmulator, writesSeenBy, type Example } from "../support/example.ts";

const shop = "shop.example.com";

/** A checkout that begins to block, and forgets the payment's script. */
function forgetful({ place }: Example, more = ""): Promise<void> {
  return place.write(
    "zones/shop.yaml",
    `zones:
  - name: ${shop}
    page_shield:
      policies:
        items:
          - key: checkout
            description: Scripts of the checkout
            action: allow
            expression: http.host eq "${shop}" and starts_with(http.request.uri.path, "/checkout")
            value: script-src 'self' cdn.example.net
${more}`,
  );
}

const acknowledged = "            acknowledge: [pay.example.net]\n";

describe("a policy that would block scripts in use", () => {
  it("is held, by plan and by apply, and nothing is written", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    await forgetful(example);
    for (const command of ["plan", "apply"]) {
      const { code, stdout } = await example.place.run(command, shop);
      expect(code).toBe(4);
      expect(stdout.replaceAll(/\s+/g, " ")).toContain(
        "held by blocks_in_use: policy/checkout would block 1 script that was seen within 168 h (impact.fresh): https://pay.example.net/v3/pay.js on https://shop.example.com/checkout/pay;",
      );
    }
    expect(writesSeenBy(example.emulator)).toEqual([]);
  });

  it("is applied where the file acknowledges the script", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    await forgetful(example, acknowledged);
    const { code } = await example.place.run("apply", shop);
    expect(code).toBe(0);
    expect(writesSeenBy(example.emulator).some((write) => write.startsWith("PUT"))).toBe(true);
    expect((await example.place.run("plan", shop)).code).toBe(0);
  });

  it("is not held in a step that only reports", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    await forgetful(example, "            promote: { from: log, after: 7d, when: time_only }\n");
    const { code, stdout } = await example.place.run("plan", shop);
    expect(stdout).not.toContain("blocks_in_use");
    expect(stdout.replaceAll(/\s+/g, " ")).toContain(
      "the step of policy/checkout is not known: it stays at log",
    );
    expect(code).toBe(2);
  });

  it("is applied where the plan is released", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    await forgetful(example);
    const { stdout } = await example.place.run("plan", shop);
    const hash = /--accept\s+([0-9a-f]{64})/.exec(stdout)?.[1] ?? "";
    expect((await example.place.run("apply", shop, "--accept", hash)).code).toBe(0);
  });

  it("is applied where no browser loaded the script recently", async ({ expect }) => {
    await using example = await exampleWithEmulator({ config: "impact: { fresh: 30m }" });
    await forgetful(example);
    expect((await example.place.run("plan", shop)).code).toBe(2);
  });

  it.for([
    { status: 403, code: 2, says: "the scripts on record could not be read (API_FORBIDDEN)" },
    { status: 500, code: 7, says: "API_SERVER" },
  ])(
    "is planned without the inventory only where reading it is forbidden: $status",
    async (situation, { expect }) => {
      await using example = await exampleWithEmulator();
      await forgetful(example);
      const { status } = situation;
      await control(example, "faults", { fault: "status", status, path: "*/scripts" });
      const { code, stdout } = await example.place.run("plan", shop);
      expect(stdout.replaceAll(/\s+/g, " ")).toContain(situation.says);
      expect(code).toBe(situation.code);
    },
  );

  it("has its list of sources checked", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    await forgetful(example, '            acknowledge: ["a.example; img-src *"]\n');
    const { code, stderr } = await example.place.run("plan", shop);
    expect(code).toBe(3);
    expect(stderr).toContain("acknowledge");
  });
});
