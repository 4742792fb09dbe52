/** Finds what looks like a credential in what a tool answered: answers are committed. */
import { holdsCredential } from '../../source/credential-text.ts';
import type { Path } from '../../source/source-document.ts';

/** Names of members that hold nothing but credentials. */
const NAMES =
  /^(?:pass(?:word|wd|phrase)|secret|(?:client|api|app|consumer|shared)[-_]?secret|(?:access|refresh|id|api|auth|bearer|session)?[-_]?token|api[-_]?key|access[-_]?key(?:[-_]?id)?|private[-_]?key|authorization|(?:set[-_]?)?cookie)$/i;

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
  return holdsCredential(text);
}

function hidesSecret(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    return seemingSecret(JSON.parse(text)) !== undefined;
  } catch {
    return false;
  }
}
