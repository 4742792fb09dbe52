import { holdsKnownForm } from './known-credentials.ts';

/** Other texts that nothing but a credential looks like; it may be one that opens nothing, or a word of the same form. */
const TEXTS: readonly RegExp[] = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /\bBearer\s+[\w.~+/-]{16,}/i,
  /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/,
  /\bxox[abprs]-[\w-]{10,}/,
  /\bsk-[\w-]{20,}/,
  /:\/\/[^\s/:@]+:[^\s/@]{4,}@/,
];

/** Does the text hold a credential, by its form alone? */
export function holdsCredential(text: string): boolean {
  return holdsKnownForm(text) || TEXTS.some(pattern => pattern.test(text));
}
