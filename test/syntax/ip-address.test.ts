import { isIP } from "node:net";

import * as fc from "fast-check";
import { describe, it } from "vitest";

import {
  networkOf,
  addressesLike,
  parseIpAddress,
  textOfAddress,
} from "../../src/syntax/expression/ip-address.ts";
import { cases } from "../support/properties.ts";

/** The number of the first IPv6 address. */
const ip6 = 2n ** 32n;

describe("an address", () => {
  it("is valid exactly if it is for Node", ({ expect }) => {
    const characters = fc.constantFrom(
      "0",
      "1",
      "25",
      "255",
      "256",
      ".",
      ":",
      "::",
      "f",
      "abcd",
      "g",
      "/",
    );
    const word = fc.array(characters, { maxLength: 12 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(fc.oneof(word, fc.ipV4(), fc.ipV6()), (text) => {
        const address = parseIpAddress(text);
        const version = address === undefined ? 0 : addressesLike(address)[0] === 0n ? 4 : 6;
        expect(version).toBe(isIP(text));
      }),
      cases(1_000),
    );
  });

  it.for(["1.2.3.4::", "1.2.3.4::5", "::1.2.3.4:5", "::01.2.3.4"])(
    "is not %s",
    (text, { expect }) => {
      expect(parseIpAddress(text)).toBeUndefined();
    },
  );

  it.for([
    ["10.0.0.1", 0x0a000001n],
    ["::1", ip6 + 1n],
    ["::ffff:192.0.2.1", ip6 + 0xffffc0000201n],
    ["0000:0000:0000:0000:0000:ffff:192.168.200.201", ip6 + 0xffffc0a8c8c9n],
    ["2001:db8::", ip6 + (0x20010db8n << 96n)],
  ] as const)("%s is parsed", ([text, address], { expect }) => {
    expect(parseIpAddress(text)).toBe(address);
  });
});

describe("a network", () => {
  it.for([
    ["10.1.2.3", 8, 0x0a000000n, 0x0affffffn],
    ["10.1.2.3", 32, 0x0a010203n, 0x0a010203n],
    ["10.1.2.3", 0, 0n, 0xffffffffn],
    ["::1", 127, ip6, ip6 + 1n],
  ] as const)("of %s/%s has the right ends", ([text, prefix, first, last], { expect }) => {
    const address = parseIpAddress(text);
    expect(address === undefined ? [] : networkOf(address, prefix)).toEqual([first, last]);
  });

  it("has no more bits than the address", ({ expect }) => {
    expect(networkOf(0n, 33)).toBeUndefined();
    expect(networkOf(ip6, 129)).toBeUndefined();
  });
});

describe("an address as text", () => {
  it.for([
    "0.0.0.0",
    "10.1.2.255",
    "::",
    "::1",
    "1::",
    "2001:db8::",
    "2001:db8:1:2:3:4:5:6",
    "2001:db8:0:1:2:3:4:5",
    // The zeros of 10 are not among those that are left out.
    "10::1:2:3:4",
    "10::100:0:0:1",
    "1:0:0:2::3",
    "1::2:0:0:3",
    "0:1:2:3:4:5:6:0",
    "::1:0:0:0",
    "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
  ])("is as short as it can be: %s", (text, { expect }) => {
    const address = parseIpAddress(text);
    expect(address === undefined ? "" : textOfAddress(address)).toBe(text);
  });

  it("is read as the same address", ({ expect }) => {
    const group = fc.constantFrom(0n, 0n, 0x10n, 0x100n, 1n, 0xffffn);
    const groups = fc.array(group, { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(groups, (parts) => {
        const address = ip6 + parts.reduce<bigint>((value, part) => (value << 16n) + part, 0n);
        expect(parseIpAddress(textOfAddress(address))).toEqual(address);
      }),
      cases(500),
    );
  });
});
