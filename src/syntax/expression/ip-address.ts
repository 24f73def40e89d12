/** An IP address as a number. */
export interface IpAddress {
  readonly version: 4 | 6;
  readonly value: bigint;
}

/** Addresses of one version from the first to the last, both included. */
export interface IpRange {
  readonly version: 4 | 6;
  readonly first: bigint;
  readonly last: bigint;
}

/** Parses an IPv4 or IPv6 address; `undefined` if `text` is none. */
export function parseIpAddress(text: string): IpAddress | undefined {
  const value = text.includes(":") ? parseIpv6(text) : parseIpv4(text);
  return value === undefined ? undefined : { version: text.includes(":") ? 6 : 4, value };
}

/**
 * An IPv4 address in full, where `text` may have fewer than four numbers, or leading zeros: the
 * engine reads `10.1` in a set as 10.1.0.0. Every other text is returned as it is.
 */
export function withoutShortForm(text: string): string {
  if (!/^[0-9]+(?:\.[0-9]+){0,3}$/.test(text)) return text;
  const numbers = text.split(".").map((number) => number.replace(/^0+(?=.)/, ""));
  return [...numbers, "0", "0", "0"].slice(0, 4).join(".");
}

/**
 * The addresses that share their first `prefix` bits with `address`; `undefined` if it has fewer
 * bits.
 */
export function networkOf(address: IpAddress, prefix: number): IpRange | undefined {
  const bits = address.version === 4 ? 32 : 128;
  if (prefix > bits) return undefined;
  const size = 1n << BigInt(bits - prefix);
  const first = address.value - (address.value % size);
  return { version: address.version, first, last: first + size - 1n };
}

/** The address as text. */
export function textOfAddress({ version, value }: IpAddress): string {
  const bits = version === 4 ? 8n : 16n;
  const count = version === 4 ? 4n : 8n;
  const parts = Array.from({ length: Number(count) }, (_, index) => {
    const part = BigInt.asUintN(Number(bits), value >> (bits * (count - 1n - BigInt(index))));
    return part.toString(version === 4 ? 10 : 16);
  });
  if (version === 4) return parts.join(".");
  const text = parts.join(":");
  const [longest] = [...text.matchAll(/\b0(?::0)+\b/g)].toSorted(([a], [b]) => b.length - a.length);
  if (longest === undefined) return text;
  const before = text.slice(0, longest.index).replace(/:$/, "");
  const after = text.slice(longest.index + longest[0].length).replace(/^:/, "");
  return `${before}::${after}`;
}

/** Four decimal octets; a leading zero is invalid because it can mean octal. */
const ipv4Pattern = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

function parseIpv4(text: string): bigint | undefined {
  if (!ipv4Pattern.test(text)) return undefined;
  return joined(text.split("."), 8n, 10);
}

function parseIpv6(text: string): bigint | undefined {
  if (text.length > 45) return undefined;
  const halves = withHexTail(text)
    .split("::")
    .map((half) => (half === "" ? [] : half.split(":")));
  const [before = [], after = []] = halves;
  const missing = 8 - before.length - after.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1 || halves.length > 2) return undefined;
  const groups = [...before, ...Array.from({ length: missing }, () => "0"), ...after];
  return groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))
    ? joined(groups, 16n, 16)
    : undefined;
}

/** Replaces an IPv4 address at the end by two groups. */
function withHexTail(text: string): string {
  const last = text.slice(text.lastIndexOf(":") + 1);
  const ipv4 = parseIpv4(last);
  if (ipv4 === undefined) return text;
  return `${text.slice(0, -last.length)}${(ipv4 >> 16n).toString(16)}:${(ipv4 & 0xffffn).toString(16)}`;
}

function joined(parts: readonly string[], bits: bigint, radix: number): bigint {
  return parts.reduce((value, part) => (value << bits) + BigInt(parseInt(part, radix)), 0n);
}
