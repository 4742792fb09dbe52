/** Finds what looks like a credential in what a tool answered: answers are committed. */
import type { Path } from '../../source/source-document.ts';

/** Names of members that hold nothing but credentials. */
const NAMES =
  /^(?:pass(?:word|wd|phrase)|secret|(?:client|api|app|consumer|shared)[-_]?secret|(?:access|refresh|id|api|auth|bearer|session)?[-_]?token|api[-_]?key|access[-_]?key(?:[-_]?id)?|private[-_]?key|authorization|(?:set[-_]?)?cookie)$/i;

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

/** A token that pages are turned by, or that stands for nothing yet. */
const LEAST_LENGTH = 8;

/** Where the first one is; undefined when there is none. Texts that are JSON are looked into. */
export function seemingSecret(value: unknown, path: Path = []): Path | undefined {
  if (typeof value === 'string') return isSecret(value, path) || hidesSecret(value) ? path : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const found = seemingSecret(member, [...path, Array.isArray(value) ? Number(name) : name]);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isSecret(text: string, path: Path): boolean {
  const name = path.at(-1);
  if (typeof name === 'string' && NAMES.test(name) && text.length >= LEAST_LENGTH) return true;
  return TEXTS.some(pattern => pattern.test(text));
}

function hidesSecret(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    return seemingSecret(JSON.parse(text)) !== undefined;
  } catch {
    return false;
  }
}
