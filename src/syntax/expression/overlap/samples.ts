import type { FieldValue } from "../evaluate-expression.ts";
import { expressionFields } from "../expression-fields.ts";
import { type ExpressionNode, nodesOf } from "../expression-tree.ts";
import { networkOf, parseIpAddress } from "../ip-address.ts";
import type { Conjunction } from "./conjunctions.ts";
import { type SampleRequest, aliasOf, isIndependent } from "./sample-request.ts";
import { sampleTexts } from "./sample-texts.ts";

/** Changes of a request, of which one is chosen. */
type Choice = readonly Partial<SampleRequest>[];

/** Values of one part of a request that are tried. */
const maxValues = 10;

/** Requests that can fulfil all conditions of a conjunction, the most likely first. */
export function samplesFor(conjunction: Conjunction): Generator<SampleRequest> {
  const nodes = conjunction.flatMap(({ condition }) => nodesOf(condition));
  const fields = new Set(nodes.flatMap((node) => (node.kind === "field" ? [node.name] : [])));
  const urls = urlsFor(conjunction, fields);
  const choices: Choice[] = [
    [...urls.flatMap(({ host }) => host ?? []), ...hostsFor(conjunction, fields)]
      .filter(isHost)
      .slice(0, maxValues)
      .map((host) => ({ host })),
    [...urls.flatMap(({ path = "" }) => withSlash(path)), ...pathsFor(conjunction, fields)]
      .filter(isPath)
      .slice(0, maxValues)
      .map((path) => ({ path })),
    methodsFor(conjunction, fields).map((method) => ({ method })),
  ];
  if (fields.has("ssl") || urls.length > 0) choices.push([{ ssl: true }, { ssl: false }]);
  if (fields.has(queryField) || urls.length > 0) {
    const queries = [
      ...urls.flatMap(({ query }) => query ?? []),
      ...sampleTexts(queryField, conjunction),
    ];
    choices.push(queries.filter(isQuery).map((query) => ({ query })));
  }
  return productOf(base, [...choices, ...freeChoices(conjunction, fields, nodes)]);
}

const queryField = "http.request.uri.query";

const base: SampleRequest = {
  host: "www.example.com",
  path: "/",
  query: "",
  method: "GET",
  ssl: true,
  fields: new Map(),
};

/** Every combination of one change of each choice. */
function* productOf(
  request: SampleRequest,
  [first, ...rest]: readonly Choice[],
): Generator<SampleRequest> {
  if (first === undefined) {
    yield request;
    return;
  }
  for (const change of first) {
    const fields =
      change.fields === undefined ? request.fields : new Map([...request.fields, ...change.fields]);
    yield* productOf({ ...request, ...change, fields }, rest);
  }
}

function hostsFor(conjunction: Conjunction, fields: ReadonlySet<string>): readonly string[] {
  if (!fields.has("http.host")) return [base.host];
  const texts = sampleTexts("http.host", conjunction);
  return texts.flatMap((text) => [text, `${text}.example.com`]);
}

function isHost(text: string): boolean {
  return (
    text.length <= 253 && /^[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?$/.test(text) && !text.includes("..")
  );
}

function pathsFor(conjunction: Conjunction, fields: ReadonlySet<string>): readonly string[] {
  const names = ["http.request.uri.path", "raw.http.request.uri.path"];
  const texts = names
    .filter((name) => fields.has(name))
    .map((name) => sampleTexts(name, conjunction));
  const paths = (texts[0] ?? [base.path]).flatMap((text) =>
    text.startsWith("/") ? [text] : [`/${text}`, `/a/${text}`],
  );
  const extensions = fields.has(extensionField) ? sampleTexts(extensionField, conjunction) : [];
  const withExtension = extensions.flatMap((extension) =>
    paths.map((path) => `${path}${path.endsWith("/") ? "a" : ""}.${extension}`),
  );
  return [...withExtension, ...paths];
}

const extensionField = "http.request.uri.path.extension";

function withSlash(path: string): string {
  return path.startsWith("/") ? path : `/${path}`;
}

function isPath(text: string): boolean {
  return /^\/[!-"$->@-~]*$/.test(text);
}

function isQuery(text: string): boolean {
  return /^[!-"$-~]*$/.test(text);
}

function methodsFor(conjunction: Conjunction, fields: ReadonlySet<string>): readonly string[] {
  if (!fields.has("http.request.method")) return [base.method];
  const given = sampleTexts("http.request.method", conjunction);
  return [...given, "GET", "POST", "PUT", "DELETE", "HEAD"].filter((text) => /^[A-Z]+$/.test(text));
}

/** The parts of texts for the fields that hold a whole URL, or a path with its query. */
function urlsFor(conjunction: Conjunction, fields: ReadonlySet<string>): readonly UrlParts[] {
  const names = ["http.request.full_uri", "raw.http.request.full_uri", "http.request.uri"];
  return [...names, "raw.http.request.uri"]
    .filter((name) => fields.has(name))
    .flatMap((name) => sampleTexts(name, conjunction))
    .map((text) => urlPattern.exec(text)?.groups ?? {});
}

/** Host, path and query; without those that the text does not have. */
type UrlParts = Readonly<Record<string, string | undefined>>;

const urlPattern = /^(?:https?:\/\/(?<host>[^/?]*))?(?<path>\/?[^?]*)(?:\?(?<query>.*))?$/;

/** Values of the fields that depend on no others. */
function freeChoices(
  conjunction: Conjunction,
  fields: ReadonlySet<string>,
  nodes: readonly ExpressionNode[],
): readonly Choice[] {
  const names = [...fields].filter((name) => isIndependent(name));
  return names.map((name) => {
    const values = valuesFor(name, conjunction, nodes).slice(0, maxValues);
    return values.map((value) => ({ fields: new Map([[aliasOf(name), value]]) }));
  });
}

function valuesFor(
  name: string,
  conjunction: Conjunction,
  nodes: readonly ExpressionNode[],
): readonly FieldValue[] {
  const type = expressionFields.get(name);
  if (type === "Boolean") return [true, false];
  if (type === "String") return sampleTexts(name, conjunction);
  if (type === "Integer") {
    const numbers = nodes.flatMap((node) => (node.kind === "integer" ? [node.value] : []));
    return [...new Set(numbers.flatMap((number) => [number, number + 1n, number - 1n])), 0n];
  }
  return type === "IP" ? addressesIn(nodes) : [];
}

/** The ends of all networks, and the address after each. */
function addressesIn(nodes: readonly ExpressionNode[]): readonly FieldValue[] {
  const addresses = nodes.filter((node) => node.kind === "address");
  const samples = addresses.flatMap((node) => {
    const address = parseIpAddress(node.address);
    const network =
      address && networkOf(address, node.prefix ?? (address.version === 4 ? 32 : 128));
    if (network === undefined) return [];
    const { version, first, last } = network;
    const ends = last < lastAddress[version] ? [first, last, last + 1n] : [first, last];
    return ends.map((value) => ({ version, value }));
  });
  return [...samples, { version: 4, value: 0xc0000201n }];
}

const lastAddress = { 4: 2n ** 32n - 1n, 6: 2n ** 128n - 1n };
