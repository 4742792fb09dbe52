/** Texts that nothing but a credential looks like. */
const TEXTS: readonly RegExp[] = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /\bBearer\s+[\w.~+/-]{16,}/i,
  /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/,
  /\bgh[pousr]_\w{20,}/,
  /\bgithub_pat_\w{20,}/,
  /\bglpat-[\w-]{16,}/,
  /\bxox[abprs]-[\w-]{10,}/,
  /\bsk-[\w-]{20,}/,
  /\bA(?:KIA|SIA)[A-Z\d]{16}\b/,
  /:\/\/[^\s/:@]+:[^\s/@]{4,}@/,
];

/** Does the text hold a credential, by its form alone? */
export function holdsCredential(text: string): boolean {
  return TEXTS.some(pattern => pattern.test(text));
}
