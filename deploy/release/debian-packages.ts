import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";

import type { JsonObject } from "../../src/syntax/json.ts";

/** A package of Debian in an image: its component of the SBOM, and its files. */
export interface DebianPackage {
  readonly component: JsonObject;
  readonly files: ReadonlySet<string>;
}

/** The packages that an image lists in `/var/lib/dpkg/status.d`, as distroless images do. */
export function debianPackagesIn(root: string): readonly DebianPackage[] {
  const directory = path.join(root, "var/lib/dpkg/status.d");
  if (!existsSync(directory)) return [];
  const names = readdirSync(directory).filter((name) => !name.endsWith(".md5sums"));
  const release = fieldsOf(readFileSync(path.join(root, "usr/lib/os-release"), "utf8"), "=");
  const distro = `${release.get("ID")}-${(release.get("VERSION_ID") ?? "").replaceAll('"', "")}`;
  return names.toSorted().map((name) => debianPackage(root, directory, name, distro));
}

function debianPackage(
  root: string,
  directory: string,
  file: string,
  distro: string,
): DebianPackage {
  const fields = fieldsOf(readFileSync(path.join(directory, file), "utf8"), ":");
  const [name = "", version = "", architecture = ""] = ["Package", "Version", "Architecture"].map(
    (field) => fields.get(field),
  );
  const sums = path.join(directory, `${file}.md5sums`);
  const lines = existsSync(sums) ? readFileSync(sums, "utf8").trim().split("\n") : [];
  const list = `/var/lib/dpkg/status.d/${file}`;
  const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${architecture}&distro=${distro}`;
  return {
    component: {
      type: "library",
      "bom-ref": purl,
      name,
      version,
      description: fields.get("Description") ?? "",
      licenses: licensesOf(root, name),
      purl,
    },
    files: new Set([list, `${list}.md5sums`, ...lines.map((line) => `/${line.slice(34)}`)]),
  };
}

/** `Name: value` lines; continued lines are left out. */
function fieldsOf(text: string, separator: string): ReadonlyMap<string, string> {
  return new Map(
    text.split("\n").flatMap((line) => {
      const at = line.indexOf(separator);
      return at < 1 || line.startsWith(" ")
        ? []
        : [[line.slice(0, at), line.slice(at + 1).trim()] as const];
    }),
  );
}

/** The names of licenses in the copyright file of a package; the file itself where it has no such names. */
function licensesOf(root: string, name: string): readonly JsonObject[] {
  const file = `/usr/share/doc/${name}/copyright`;
  const at = path.join(root, file);
  const text = existsSync(at) ? readFileSync(at, "utf8") : "";
  const names = [...text.matchAll(/^License: *(\S.*)$/gm)].map(([, license = ""]) =>
    license.trim(),
  );
  const found = names.length > 0 ? [...new Set(names)].toSorted() : [`see ${file}`];
  return found.map((license) => ({ license: { name: license } }));
}
