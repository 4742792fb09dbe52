/**
 * Matches URIs against RFC 6570 templates, to find the backend of a URI that no list contains. It only decides whether a template could have
 * produced a URI; it does not extract values.
 *
 * Templates come from backends and URIs from clients, so the matcher must not backtrack as JavaScript's regular expressions do. It takes the
 * parts of a template one by one, and computes all positions in the URI where the parts so far can end. It counts its steps, and stops at the
 * limit.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6570
 */

/** Longest URI that is matched against templates, in characters; a longer one must be listed. */
export const MAX_URI_LENGTH = 8_192;

/** Templates longer than this are refused: they come from backends. Characters. */
const MAX_TEMPLATE_LENGTH = 2048;

/** Parts of a template with variable length; templates with more are refused. Most variables are one part. */
const MAX_OPEN_PARTS = 32;

/** The characters that end an expansion. */
const STOPS = {
  none: computeStops(''),
  fragment: computeStops('#'),
  query: computeStops('?#'),
  segment: computeStops('/?#'),
  /** Unreserved and percent-encoded characters (section 3.2.2), and characters that many servers do not encode. */
  value: computeStops('/?#&,;='),
} as const;

/** The possible expansions of an expression, in parts; each may be empty. */
const EXPANSIONS: { readonly [operator: string]: (variables: readonly string[]) => OpenPart[] } = {
  '': variables => variables.map((_, index) => new OpenPart(index === 0 ? undefined : ',', STOPS.value)),
  '+': () => [new OpenPart(undefined, STOPS.none)],
  '#': () => [new OpenPart('#', STOPS.none)],
  '.': variables => variables.map(() => new OpenPart('.', STOPS.value)),
  '/': variables => variables.map(variable => new OpenPart('/', variable.endsWith('*') ? STOPS.query : STOPS.value)),
  ';': () => [new OpenPart(';', STOPS.segment)],
  '?': () => [new OpenPart('?', STOPS.fragment)],
  '&': () => [new OpenPart('&', STOPS.fragment)],
};

/** The template, or undefined when it does not follow RFC 6570 or is too large. */
export function readUriTemplate(template: string): UriTemplate | undefined {
  if (template.length > MAX_TEMPLATE_LENGTH) return undefined;
  const first = readLiteral(template, 0);
  const parts: UriTemplatePart[] = [];
  let openParts = 0;
  let at = first.length;
  while (at < template.length) {
    const close = template.indexOf('}', at);
    const expansion = template[at] === '{' && close !== -1 ? expand(template.slice(at + 1, close)) : undefined;
    if (expansion === undefined) return undefined;
    openParts += expansion.length;
    if (openParts > MAX_OPEN_PARTS) return undefined;
    const literal = readLiteral(template, close + 1);
    parts.push(...expansion);
    if (literal !== '') parts.push(new Literal(literal));
    at = close + 1 + literal.length;
  }
  return new UriTemplate(template, first, parts);
}

/** A template as its literal prefix and the parts after it. */
export class UriTemplate {
  /** The template in the backend's spelling. */
  readonly text: string;
  /** The common prefix of the template's URIs. */
  readonly prefix: string;
  readonly parts: readonly UriTemplatePart[];

  constructor(text: string, prefix: string, parts: readonly UriTemplatePart[]) {
    this.text = text;
    this.prefix = prefix;
    this.parts = parts;
  }

  /** Whether the template could have produced a URI. */
  matches(uri: string): boolean {
    return uri.startsWith(this.prefix) && this.fits(uri, { left: Number.POSITIVE_INFINITY });
  }

  /**
   * Whether the template could have produced a URI with its prefix.
   *
   * @param steps the remaining steps; without any the template does not match
   */
  fits(uri: string, steps: Steps): boolean {
    let reached: Positions = [this.prefix.length, this.prefix.length];
    steps.left--;
    for (const part of this.parts) {
      if (steps.left < 0) return false;
      reached = part.from(reached, uri, steps);
      if (reached.length === 0) return false;
    }
    return steps.left >= 0 && reached.at(-1) === uri.length;
  }
}

/** The remaining steps; a step checks a character of a URI, or a part of a template. */
export interface Steps {
  left: number;
}

/**
 * The positions of a text (0 is before its first character) where the match so far can end: the first and the last position of each consecutive
 * run, ascending.
 */
type Positions = readonly number[];

interface UriTemplatePart {
  /** The positions in `text` where the part can end when it begins at one of these positions. */
  from(positions: Positions, text: string, steps: Steps): Positions;
}

/** Any number of characters up to a stop character, after an opening character if the part has one; or nothing. */
class OpenPart implements UriTemplatePart {
  readonly #opening: number | undefined;
  readonly #stops: Uint8Array;

  constructor(opening: string | undefined, stops: Uint8Array) {
    this.#opening = opening?.charCodeAt(0);
    this.#stops = stops;
  }

  from(positions: Positions, text: string, steps: Steps): Positions {
    const reached: number[] = [];
    /** The last position that the match has reached so far. */
    let end = -1;
    for (let row = 0; row < positions.length; row += 2) {
      const first = positions[row] as number;
      const last = positions[row + 1] as number;
      steps.left--;
      // A start within the reached positions reaches no further: no stop character occurs before their end.
      if (last < end) continue;
      if (row === 0) {
        reached.push(first);
      } else if (first > end + 1) {
        reached.push(end, first);
      }
      end = this.#opens(first, last, text, steps) ? this.#stop(last, text, steps) : last;
    }
    reached.push(end);
    return reached;
  }

  /** Whether the part can begin between these positions and extend beyond `last`. */
  #opens(first: number, last: number, text: string, steps: Steps): boolean {
    if (last === text.length) return false;
    if (this.#opening === undefined) return this.#stops[text.charCodeAt(last)] !== 1;
    for (let at = last; at >= first; at--) {
      steps.left--;
      const code = text.charCodeAt(at);
      if (code === this.#opening) return true;
      if (this.#stops[code] === 1) return false;
    }
    return false;
  }

  /** The position of the stop for the character after `last`. */
  #stop(last: number, text: string, steps: Steps): number {
    let at = last + 1;
    while (at < text.length && this.#stops[text.charCodeAt(at)] !== 1) at++;
    steps.left -= at - last;
    return at;
  }
}

/** Literal text of a URI. */
class Literal implements UriTemplatePart {
  readonly #text: string;
  readonly #borders: Uint16Array;

  constructor(text: string) {
    this.#text = text;
    this.#borders = computeBorders(text);
  }

  /**
   * It checks each character once (Knuth, Morris, Pratt), because a text of many equal characters matches the beginning of the literal
   * everywhere.
   */
  from(positions: Positions, text: string, steps: Steps): Positions {
    const ends: number[] = [];
    const { length } = this.#text;
    let matched = 0;
    let at = 0;
    for (let row = 0; row < positions.length; row += 2) {
      const first = positions[row] as number;
      // A literal that begins at the last of these positions ends here.
      const limit = Math.min((positions[row + 1] as number) + length, text.length);
      steps.left--;
      if (first > at) {
        at = first;
        matched = 0;
      }
      for (steps.left -= limit - at; at < limit; ) {
        matched = findLongerMatch(this.#text, this.#borders, matched, text.charCodeAt(at++));
        if (matched === length && at - length >= first) addPosition(ends, at);
      }
    }
    return ends;
  }
}

function addPosition(positions: number[], position: number): void {
  if (positions.at(-1) === position - 1) positions[positions.length - 1] = position;
  else positions.push(position, position);
}

/**
 * Length of the beginning of `literal` that a text ends with, when `matched` characters of the literal come before the character with this code.
 */
function findLongerMatch(literal: string, borders: Uint16Array, matched: number, code: number): number {
  let length = matched;
  // After its end the literal's character code is NaN, which equals none.
  while (length > 0 && literal.charCodeAt(length) !== code) length = borders[length - 1] as number;
  return literal.charCodeAt(length) === code ? length + 1 : 0;
}

/** For each beginning of a text, the length of the longest shorter beginning that it ends with. */
function computeBorders(text: string): Uint16Array {
  const borders = new Uint16Array(text.length);
  for (let at = 1; at < text.length; at++) {
    borders[at] = findLongerMatch(text, borders, borders[at - 1] as number, text.charCodeAt(at));
  }
  return borders;
}

/** The text from `start` to the next brace. */
function readLiteral(template: string, start: number): string {
  let end = start;
  while (end < template.length && template[end] !== '{' && template[end] !== '}') end++;
  return template.slice(start, end);
}

function expand(expression: string): OpenPart[] | undefined {
  const parts = /^([+#./;?&]?)((?:[\w.%]+(?:\*|:[1-9]\d{0,3})?)(?:,[\w.%]+(?:\*|:[1-9]\d{0,3})?)*)$/.exec(expression);
  if (parts === null) return undefined;
  const [, operator = '', variables = ''] = parts;
  return EXPANSIONS[operator]?.(variables.split(','));
}

function computeStops(characters: string): Uint8Array {
  const stops = new Uint8Array(128);
  for (const character of characters) stops[character.charCodeAt(0)] = 1;
  return stops;
}
