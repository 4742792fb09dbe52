import { createFlags, type Flags } from './flags.ts';

/** Maximum width and precision, in characters; Go ignores greater ones. */
const MAX_WIDTH = 1_000_000;

/** A verb, and the text between `%` and the verb. */
export interface Directive {
  /** The verb; `undefined` when the format ends before it. */
  readonly verb: string | undefined;
  readonly flags: Flags;
  /** The index of the argument to print. */
  readonly argument: number;
  /** Whether `[n]` occurs; whether one of them is out of range. */
  readonly reordered: boolean;
  readonly badIndex: boolean;
  /** The complaint about a `*` without an integer. */
  readonly complaints: string;
  /** The position after the directive. */
  readonly end: number;
}

const FLAGS = { '#': 'sharp', '0': 'zero', '+': 'plus', '-': 'minus', ' ': 'space' } as const;

/** A format and its arguments. */
export interface Format {
  readonly text: string;
  /** For each argument, its value if it is an integer: a `*` takes the next argument. */
  readonly integers: readonly (bigint | undefined)[];
  /** The position of the last `]`, so that it is searched for only once. */
  readonly lastBracket: number;
}

export function readDirective(source: Format, start: number, next: number): Directive {
  const format = source.text;
  const reader = new DirectiveReader(source, start, next);
  const { flags } = reader;
  reader.readFlags();
  reader.readIndex();
  const width = reader.readNumber('%!(BADWIDTH)');
  if (width !== undefined) flags.width = Math.abs(width);
  if (width !== undefined && width < 0) {
    flags.minus = true;
    flags.zero = false;
  }
  // A point at the very end of the format counts as the verb.
  if (format.charAt(reader.position) === '.' && reader.position + 1 < format.length) {
    reader.position += 1;
    if (reader.afterIndex) reader.badIndex = true;
    reader.readIndex();
    const starred = format.charAt(reader.position) === '*';
    const precision = reader.readNumber('%!(BADPREC)', true);
    if (precision !== undefined && precision >= 0) flags.precision = precision;
    else if (!starred) flags.precision = 0;
  }
  if (!reader.afterIndex) reader.readIndex();
  const code = format.codePointAt(reader.position);
  const verb = code === undefined ? undefined : String.fromCodePoint(code);
  const { argument, reordered, badIndex, complaints, position } = reader;
  return { verb, flags, argument, reordered, badIndex, complaints, end: position + (verb?.length ?? 0) };
}

class DirectiveReader {
  readonly #format: string;
  readonly #integers: readonly (bigint | undefined)[];
  readonly #lastBracket: number;
  readonly flags: Flags = createFlags();
  position: number;
  argument: number;
  reordered = false;
  badIndex = false;
  /** Whether the last token was `[n]`. */
  afterIndex = false;
  complaints = '';

  constructor({ text, integers, lastBracket }: Format, position: number, argument: number) {
    this.#format = text;
    this.#integers = integers;
    this.#lastBracket = lastBracket;
    this.position = position;
    this.argument = argument;
  }

  readFlags(): void {
    for (;;) {
      const flag = FLAGS[this.#format.charAt(this.position) as keyof typeof FLAGS];
      if (flag === undefined) return;
      this.flags[flag] = true;
      this.position += 1;
    }
  }

  /** Reads `[n]`, the number of an argument from 1. */
  readIndex(): void {
    this.afterIndex = false;
    if (this.#format.charAt(this.position) !== '[') return;
    this.reordered = true;
    const close = this.position > this.#lastBracket ? -1 : this.#format.indexOf(']', this.position);
    const text = close === -1 ? '' : this.#format.slice(this.position + 1, close);
    this.position = close === -1 ? this.position + 1 : close + 1;
    const number = /^\d{1,7}$/.test(text) ? Number(text) : undefined;
    this.afterIndex = number !== undefined;
    if (number !== undefined && number >= 1 && number <= this.#integers.length) this.argument = number - 1;
    else this.badIndex = true;
  }

  /** Reads digits, or `*` for the next argument. */
  readNumber(complaint: string, isPrecision = false): number | undefined {
    if (this.#format.charAt(this.position) === '*') {
      this.position += 1;
      this.afterIndex = false;
      const value = this.#integers[this.argument];
      if (this.argument < this.#integers.length) this.argument += 1;
      const usable = value !== undefined && value <= MAX_WIDTH && value >= -MAX_WIDTH;
      if (!usable || (isPrecision && value < 0n)) this.complaints += complaint;
      return usable ? Number(value) : undefined;
    }
    const digits = /^\d*/.exec(this.#format.slice(this.position, this.position + 20))?.[0] ?? '';
    if (digits === '') return undefined;
    if (this.afterIndex && !isPrecision) this.badIndex = true;
    // Go ignores the whole directive when the number is too large.
    const absurd = digits.length > 8 || Number(digits.slice(0, -1)) > MAX_WIDTH;
    this.position = absurd ? this.#format.length : this.position + digits.length;
    return absurd ? undefined : Number(digits);
  }
}
