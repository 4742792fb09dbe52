import { holdsKnownForm } from './known-credentials.ts';

/** Further texts that are usually credentials, although a placeholder or a word may have the same form. */
const TEXTS: readonly RegExp[] = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /\bBearer\s+[\w.~+/-]{16,}/i,
  /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/,
  /\bxox[abprs]-[\w-]{10,}/,
  /\bsk-[\w-]{20,}/,
  /:\/\/[^\s/:@]+:[^\s/@]{4,}@/,
];

/** Whether the text contains a credential, judging by its form. */
export function holdsCredential(text: string): boolean {
  return holdsKnownForm(text) || TEXTS.some(pattern => pattern.test(text));
}
