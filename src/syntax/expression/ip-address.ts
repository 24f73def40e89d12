/** Whole numbers from the first to the last, both included. */
export type NumberSpan = readonly [first: bigint, last: bigint];

const ip4Count = 2n ** 32n;

/** All addresses as numbers: those of IPv4 from 0, those of IPv6 after them. */
export const everyAddress: NumberSpan = [0n, ip4Count + 2n ** 128n - 1n];

/** All addresses of the version that an address has. */
export function addressesLike(address: bigint): NumberSpan {
  return address < ip4Count ? [0n, ip4Count - 1n] : [ip4Count, everyAddress[1]];
}

/** The number of an IPv4 or IPv6 address; `undefined` if `text` is none. */
export function parseIpAddress(text: string): bigint | undefined {
  if (!text.includes(":")) return parseIpv4(text);
  const value = parseIpv6(text);
  return value === undefined ? undefined : ip4Count + value;
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
 * The addresses that share their first `prefix` bits with `address`: all bits without one;
 * `undefined` if it has fewer bits.
 */
export function networkOf(address: bigint, prefix?: number): NumberSpan | undefined {
  const [start] = addressesLike(address);
  const bits = start === 0n ? 32 : 128;
  if (prefix !== undefined && prefix > bits) return undefined;
  const size = 1n << BigInt(bits - (prefix ?? bits));
  const first = address - ((address - start) % size);
  return [first, first + size - 1n];
}

/** The addresses of a network as text, `10.0.0.0/8`; `undefined` if it is none. */
export function networkIn(text: string): NumberSpan | undefined {
  const [, written = "", prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const address = parseIpAddress(written);
  if (address === undefined) return undefined;
  const network = networkOf(address, prefix === undefined ? undefined : Number(prefix));
  return network?.[0] === address ? network : undefined;
}

export function textOfAddress(address: bigint): string {
  const [start] = addressesLike(address);
  const [count, bits, radix] = start === 0n ? [4, 8, 10] : [8, 16, 16];
  const parts = Array.from({ length: count }, (_, index) =>
    BigInt.asUintN(bits, (address - start) >> BigInt(bits * (count - 1 - index))).toString(radix),
  );
  if (start === 0n) return parts.join(".");
  return new URL(`http://[${parts.join(":")}]`).hostname.slice(1, -1);
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
