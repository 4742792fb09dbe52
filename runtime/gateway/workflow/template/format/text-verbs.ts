import { encodeText } from '../byte-text.ts';
import { type Flags, pad, truncate } from './flags.ts';
import { canBackquote, quote } from './quote.ts';

/** A string by a verb, or `undefined` when the verb is not one for strings. */
export function formatText(text: string, verb: string, flags: Flags): string | undefined {
  switch (verb) {
    case 'v':
      return flags.goSyntax ? quoteText(text, flags) : pad(truncate(text, flags), flags);
    case 's':
      return pad(truncate(text, flags), flags);
    case 'q':
      return quoteText(text, flags);
    case 'x':
    case 'X':
      return pad(formatInHex(text, verb, flags), flags);
    default:
      return undefined;
  }
}

function quoteText(text: string, flags: Flags): string {
  const cut = truncate(text, flags);
  return pad(flags.sharp && canBackquote(cut) ? `\`${cut}\`` : quote(cut, flags.plus), flags);
}

/** The bytes in hexadecimal; if a space separates them, each byte has its own prefix. */
function formatInHex(text: string, verb: string, { precision, sharp, space }: Flags): string {
  const bytes = Array.from(encodeText(text).subarray(0, precision), byte => byte.toString(16).padStart(2, '0'));
  if (bytes.length === 0) return '';
  const pieces = verb === 'X' ? bytes.map(byte => byte.toUpperCase()) : bytes;
  const prefix = sharp ? `0${verb}` : '';
  return prefix + pieces.join(space ? ` ${prefix}` : '');
}
