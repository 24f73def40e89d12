import {
  type JsonObject,
  coerceObject,
  coerceObjects,
  coerceText,
  coerceTexts,
} from "../../src/syntax/json.ts";

/** What is wrong with the production dependencies of a lock file, by the notes of dependencies.yaml, on a day (`2026-11-22`). */
export function mistakesInLicenses(
  lock: JsonObject,
  notes: JsonObject,
  today: string,
): readonly string[] {
  const packages = coerceObject(notes["packages"]);
  const allowed = coerceTexts(notes["licenses"]);
  const excepted = exceptionsOn(notes, today, "license");
  const installed = productionPackages(lock);
  return [
    ...expiredOn(notes, today),
    ...installed.flatMap(({ name, license }) => {
      const note = coerceObject(packages[name]);
      const isAllowed = allowed.includes(license) || excepted.includes(`${name} ${license}`);
      return [
        ...(name in packages ? [] : [`${name} is not in dependencies.yaml`]),
        ...(isAllowed ? [] : [`${name} has the license ${license || "(none)"}`]),
        ...(note["license"] === license || !(name in packages)
          ? []
          : [`${name} has the license ${license}, not ${coerceText(note["license"])}`]),
        ...(coerceText(note["maintained"]) === "" && name in packages
          ? [`nobody wrote who maintains ${name}`]
          : []),
      ];
    }),
    ...Object.keys(packages)
      .filter((name) => !installed.some((each) => each.name === name))
      .map((name) => `${name} is in dependencies.yaml, and is not installed`),
  ];
}

/** What `npm audit --json` found and no exception covers on a day; `undefined` where the registry gave no answer. */
export function mistakesInAudit(
  report: JsonObject,
  notes: JsonObject,
  today: string,
): readonly string[] | undefined {
  if (!("vulnerabilities" in report)) return undefined;
  const excepted = exceptionsOn(notes, today, "advisory");
  const found = Object.entries(coerceObject(report["vulnerabilities"])).flatMap(([name, entry]) =>
    coerceObjects(coerceObject(entry)["via"]).map(({ url, title, severity }) => ({
      key: `${name} ${coerceText(url).split("/").at(-1) ?? ""}`,
      text: `${name}: ${coerceText(title)} (${coerceText(severity)}, ${coerceText(url)})`,
    })),
  );
  return found.filter(({ key }) => !excepted.includes(key)).map(({ text }) => text);
}

function productionPackages(
  lock: JsonObject,
): readonly { readonly name: string; readonly license: string }[] {
  return Object.entries(coerceObject(lock["packages"])).flatMap(([at, entry]) => {
    const { dev, license } = coerceObject(entry);
    const name = at.replace(/^.*node_modules\//, "");
    return at === "" || dev === true ? [] : [{ name, license: coerceText(license) }];
  });
}

/** `PACKAGE ADVISORY` or `PACKAGE LICENSE` of the exceptions that count on a day. */
function exceptionsOn(notes: JsonObject, today: string, key: string): readonly string[] {
  return coerceObjects(notes["exceptions"])
    .filter(({ until }) => coerceText(until) >= today)
    .map((exception) => `${coerceText(exception["package"])} ${coerceText(exception[key])}`);
}

/** Exceptions that have expired, or lack what an exception needs. */
function expiredOn(notes: JsonObject, today: string): readonly string[] {
  return coerceObjects(notes["exceptions"]).flatMap((exception) => {
    const [name, reason, until] = ["package", "reason", "until"].map((key) =>
      coerceText(exception[key]),
    );
    if (!/^\d{4}-\d\d-\d\d$/.test(until ?? "")) {
      return [`the exception for ${name} has no last day`];
    }
    if (reason === "") return [`the exception for ${name} has no reason`];
    return (until ?? "") < today ? [`the exception for ${name} counted until ${until}`] : [];
  });
}
