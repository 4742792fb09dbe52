/** Plain scalars that readers of YAML 1.1, such as many programs in Go and Python, and of YAML 1.2 take for different values. */
import { parse } from 'yaml';

/**
 * Every text with two readings, and few others: words for booleans, and numbers that start with a zero, or hold `_` or `:`.
 * Left out is what most readers of YAML 1.1 take for text as well, whatever their version says: dates, and `y` and `n`.
 */
const MAY_DIFFER =
  /^(?:yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF|[-+]?0(?:[0-7_]+|o[0-7_]+|b[01_]+|x[\da-fA-F_]+)|[-+]?\d[\d_]*(?::[0-5]?\d)+(?:\.[\d_]*)?|[-+]?(?=[\d.]*_)[\d.][\d_.eE+-]*)$/;

/** A text with more characters is not repeated in messages: it may be a number that serves as a password. */
const MAX_SHOWN = 10;

export interface TwoReadings {
  readonly message: string;
  readonly help: string;
}

/** Is a plain scalar, on one line, to be looked at by `twoReadings`? */
export function mayHaveTwoReadings(text: string): boolean {
  return MAY_DIFFER.test(text);
}

/** How both versions read a plain scalar, or undefined when they agree. */
export function twoReadings(text: string): TwoReadings | undefined {
  if (!mayHaveTwoReadings(text)) return undefined;
  const older = scalar(text, '1.1');
  const newer = scalar(text, '1.2');
  if (older === undefined || newer === undefined || Object.is(older, newer)) return undefined;
  if (text.length > MAX_SHOWN) return HIDDEN;
  return {
    message: `readers of YAML 1.1 take this for ${shown(older)}, readers of YAML 1.2, such as Lintel, for ${shown(newer)}`,
    help: suggestText(text, older, newer),
  };
}

/** For values that are not to be shown. */
export const HIDDEN: TwoReadings = {
  message: 'readers of YAML 1.1 take this for another value than readers of YAML 1.2, such as Lintel',
  help: 'Quote it if it is text, such as "0644", or write what both read alike, such as 420 or true',
};

type Scalar = string | number | boolean;

function scalar(text: string, version: '1.1' | '1.2'): Scalar | undefined {
  const value: unknown = parse(text, { version, logLevel: 'silent' });
  // The forms of YAML 1.1 let a mere "." or "-." pass for a number, which no reader takes it for.
  if (Number.isNaN(value)) return undefined;
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
}

function shown(value: Scalar): string {
  switch (typeof value) {
    case 'string':
      return `the text "${value}"`;
    case 'number':
      return `the number ${value}`;
    case 'boolean':
      return `the boolean ${value}`;
  }
}

function suggestText(text: string, older: Scalar, newer: Scalar): string {
  if (typeof older === 'number' && typeof newer === 'number')
    return `Write ${older} or ${newer} for the number that is meant, or "${text}" in quotes for the text`;
  const value = typeof older === 'string' ? newer : older;
  return `Write ${value} for the ${typeof value}, or "${text}" in quotes for the text`;
}
