import { Document } from "yaml";
import { stringifyString, type StringifyContext } from "yaml/util";

/** Keys and words are repeated thousands of times. */
const known = { block: new Map<string, string>(), flow: new Map<string, string>() };

/**
 * The text of a string on one line: plain where every reader of YAML takes it for the same string,
 * else in double quotes; in single quotes if it has double quotes and no single ones.
 *
 * @param place `flow`: between brackets, where more texts need quotes
 */
export function stringText(value: string, place: "block" | "flow"): string {
  const text = known[place].get(value) ?? writtenString(value, place === "flow");
  known[place].set(value, text);
  return text;
}

const document = new Document(null, {
  // Quotes texts like `yes` and `012`, which YAML 1.1 tools read as other values.
  compat: "yaml-1.1",
});

/** Whether a text without quotes is another value than a string, such as a number. */
export function isNoString(plain: string): boolean {
  return document.schema.tags.some(
    (tag) =>
      tag.default === true && tag.tag !== "tag:yaml.org,2002:str" && tag.test?.test(plain) === true,
  );
}

const context: StringifyContext = {
  actualString: true,
  anchors: new Set(),
  doc: document,
  flowCollectionPadding: "",
  // A key is on one line.
  implicitKey: true,
  indent: "  ",
  indentStep: "  ",
  inFlow: false,
  options: {
    blockQuote: false,
    commentString: (text) => text,
    defaultKeyType: null,
    defaultStringType: "PLAIN",
    directives: null,
    doubleQuotedAsJSON: false,
    doubleQuotedMinMultiLineLength: 40,
    falseStr: "false",
    flowCollectionPadding: false,
    indentSeq: true,
    lineWidth: 0,
    minContentWidth: 0,
    nullStr: "null",
    simpleKeys: false,
    singleQuote: null,
    trailingComma: false,
    trueStr: "true",
    verifyAliasOrder: true,
  },
};

function writtenString(value: string, inFlow: boolean): string {
  // Output streams escape these characters, which only double quotes allow.
  const type = /[\p{Cc}\p{Cf}]/u.test(value) ? "QUOTE_DOUBLE" : "PLAIN";
  return stringifyString({ value, type }, { ...context, inFlow });
}
