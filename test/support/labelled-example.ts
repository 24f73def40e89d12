import { type Example, type ExampleOptions, exampleWithEmulator } from "./example.ts";

/** The example, whose entries have labels. The profile and an entry with match bring others. */
export async function labelledExample(options: ExampleOptions = {}): Promise<Example> {
  const example = await exampleWithEmulator(options);
  await example.place.write(
    "zones/labels.yaml",
    `profiles: { brand: { labels: { team: brands } } }
zones:
  - { match: { name: "*.example.com", plan: "*" }, labels: { tier: gold } }
  - { match: { name: "www.*" }, profiles: [brand] }
`,
  );
  for (const name of ["shop", "sites"]) {
    const text = await example.place.read(`zones/${name}.yaml`);
    await example.place.write(
      `zones/${name}.yaml`,
      text.replaceAll(
        /- name: (\S+)/g,
        (entry, zone) =>
          `${entry}\n    layers: true\n    labels: { team: ${zone === "shop.example.com" ? "payments" : "content"} }`,
      ),
    );
  }
  return example;
}
