/** Finds plain scalars whose values differ between YAML 1.1, which many programs in Go and Python use, and YAML 1.2. */
import { parse } from 'yaml';

/**
 * Matches every text with two readings, and few others: Boolean words, and numbers with a leading zero, `_` or `:`. Dates, `y` and `n` are
 * excluded, because most YAML 1.1 readers treat them as strings, despite the specification.
 */
const MAY_DIFFER =
  /^(?:yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF|[-+]?0(?:[0-7_]+|o[0-7_]+|b[01_]+|x[\da-fA-F_]+)|[-+]?\d[\d_]*(?::[0-5]?\d)+(?:\.[\d_]*)?|[-+]?(?=[\d.]*_)[\d.][\d_.eE+-]*)$/;

/** A longer text is not repeated in messages: it may be a numeric password. */
const MAX_SHOWN = 10;

export interface TwoReadings {
  readonly message: string;
  readonly help: string;
}

/** Whether a single-line plain scalar needs `findTwoReadings`. */
export function mayHaveTwoReadings(text: string): boolean {
  return MAY_DIFFER.test(text);
}

/** The values of a plain scalar in both versions, or undefined when they agree. */
export function findTwoReadings(text: string): TwoReadings | undefined {
  if (!mayHaveTwoReadings(text)) return undefined;
  const older = parseScalar(text, '1.1');
  const newer = parseScalar(text, '1.2');
  if (older === undefined || newer === undefined || Object.is(older, newer)) return undefined;
  if (text.length > MAX_SHOWN) return HIDDEN;
  return {
    message: `readers of YAML 1.1 take this for ${formatScalar(older)}, readers of YAML 1.2, such as Lintel, for ${formatScalar(newer)}`,
    help: suggestText(text, older, newer),
  };
}

/** The result for values that must not be shown. */
export const HIDDEN: TwoReadings = {
  message: 'readers of YAML 1.1 take this for another value than readers of YAML 1.2, such as Lintel',
  help: 'Quote it if it is text, such as "0644", or write what both read alike, such as 420 or true',
};

type Scalar = string | number | boolean;

function parseScalar(text: string, version: '1.1' | '1.2'): Scalar | undefined {
  const value: unknown = parse(text, { version, logLevel: 'silent' });
  // The YAML 1.1 specification allows "." or "-" as a number, but no reader does.
  if (Number.isNaN(value)) return undefined;
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
}

function formatScalar(value: Scalar): string {
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
