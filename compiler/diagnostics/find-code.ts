import { findNearest } from '#shared/util';
import { CODES, type DiagnosticCode } from './codes.ts';

/** The code with a number, in upper or lower case, or with a name. */
export function findCode(text: string): DiagnosticCode | undefined {
  const upper = text.toUpperCase();
  return (Object.keys(CODES) as DiagnosticCode[]).find(code => code === upper || CODES[code].name === text);
}

/** The name that was probably meant. Numbers are never suggested, since each resembles many others. */
export function suggestCodeName(text: string): string | undefined {
  if (/^lnt\d*$/i.test(text)) return undefined;
  return findNearest(
    text,
    Object.values(CODES).map(({ name }) => name),
  );
}
