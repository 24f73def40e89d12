/**
 * A way to write a token: the text, and how many of its characters in a row show too much of the
 * token.
 */
interface Form {
  readonly text: string;
  readonly least: number;
}

/** Parts of a token that are shorter are not redacted: they can be words. */
const leastPart = 12;

/** White space, plain or escaped in JSON, and what takes no space at all. */
const spaces = /[\s\p{Cf}]|\\[nrt]/gu;

/**
 * Finds a token in texts that quote it in another form: in base64, hexadecimal or percent-encoded,
 * broken by white space, and parts of these. What shows fewer than twelve characters of the token
 * is left.
 */
export class TokenForms {
  readonly #forms: readonly Form[];
  /**
   * Matches each text with a long part of a form. One pattern is much faster than a search for each
   * block.
   */
  readonly #hint: RegExp;

  constructor(token: string) {
    this.#forms = token.length < leastPart ? [] : formsOf(token);
    const blocks = this.#forms
      .flatMap(blocksOf)
      .map((block) => block.replaceAll(/\W/g, String.raw`\$&`));
    this.#hint = new RegExp(blocks.join("|"));
  }

  /** `text` with each form of the token replaced. */
  scrub(text: string, replacement: string): string {
    if (this.#forms.length === 0 || text.length < leastPart) return text;
    const compact = text.replaceAll(spaces, "");
    if (!this.#hint.test(compact)) return text;
    const found = this.#forms.flatMap((form) => placesOf(form, compact));
    if (found.length === 0) return text;
    const ends = found.toSorted((one, other) => one.begin - other.begin);
    const at = originalPlaces(text);
    let shown = "";
    // The end of what was replaced; before the first, nothing was.
    let done = -1;
    for (const { begin, end } of ends) {
      const [from, to] = [at(begin), at(end - 1) + 1];
      if (to <= done) continue;
      shown += from > done ? `${text.slice(Math.max(done, 0), from)}${replacement}` : "";
      done = to;
    }
    return `${shown}${text.slice(Math.max(done, 0))}`;
  }
}

interface Place {
  readonly begin: number;
  readonly end: number;
}

/** Each part of a form that is long enough contains one of these whole. */
function blocksOf({ text, least }: Form): readonly string[] {
  const size = Math.floor(least / 2);
  return Array.from({ length: Math.floor(text.length / size) }, (_, n) =>
    text.slice(n * size, (n + 1) * size),
  );
}

/** The places of parts of a form that are long enough. */
function placesOf(form: Form, text: string): readonly Place[] {
  const places: Place[] = [];
  for (const [n, block] of blocksOf(form).entries()) {
    const offset = n * block.length;
    for (let at = text.indexOf(block); at !== -1; at = text.indexOf(block, at + 1)) {
      let begin = at;
      let end = at + block.length;
      const shift = offset - at;
      while (begin > 0 && begin + shift > 0 && form.text[begin + shift - 1] === text[begin - 1]) {
        begin -= 1;
      }
      while (end < text.length && form.text[end + shift] === text[end]) end += 1;
      if (end - begin >= form.least) places.push({ begin, end });
    }
  }
  return places;
}

/** Where a character of a text without white space stands in the text. */
function originalPlaces(text: string): (place: number) => number {
  const places: number[] = [];
  let at = 0;
  for (const { 0: space, index } of text.matchAll(spaces)) {
    for (; at < index; at += 1) places.push(at);
    at = index + space.length;
  }
  for (; at < text.length; at += 1) places.push(at);
  return (place) => places[place] ?? text.length;
}

function formsOf(token: string): readonly Form[] {
  const bytes = Buffer.from(token);
  const hex = bytes.toString("hex");
  const percent = hex.replaceAll(/../g, "%$&");
  const encoded = encodeURIComponent(token);
  return [token, ...(encoded === token ? [] : [encoded]), JSON.stringify(token).slice(1, -1)]
    .map((text): Form => ({ text, least: leastPart }))
    .concat(
      [hex, hex.toUpperCase()].map((text) => ({ text, least: leastPart * 2 })),
      [percent, percent.toUpperCase()].map((text) => ({ text, least: leastPart * 3 })),
      [0, 1, 2].flatMap((before) => base64Forms(bytes, before)),
    )
    .filter(({ text }, at, all) => all.findIndex((other) => other.text === text) === at);
}

/**
 * A token in base64 after so many other bytes: only the digits that depend on nothing beside it.
 */
function base64Forms(bytes: Buffer, before: number): readonly Form[] {
  const all = Buffer.concat([Buffer.alloc(before), bytes]);
  const first = Math.ceil((before * 8) / 6);
  const last = Math.floor((all.length * 8) / 6);
  return (["base64", "base64url"] as const).map((encoding) => ({
    text: all.toString(encoding).slice(first, last),
    least: (leastPart * 4) / 3,
  }));
}
