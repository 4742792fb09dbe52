/** Finds text that looks like a credential in tool answers, because answers are committed. */
import { holdsCredential } from '../../source/credential-text.ts';
import { isSecretName } from '../../source/secret-name.ts';
import type { Path } from '../../source/source-document.ts';

/** Shorter texts are not considered. */
const LEAST_LENGTH = 8;

/** The path of the first such text; undefined when there is none. JSON inside of strings is searched as well. */
export function findPossibleSecret(value: unknown, path: Path = []): Path | undefined {
  if (typeof value === 'string') return isSecret(value, path) || hidesSecret(value) ? path : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const found = findPossibleSecret(member, [...path, Array.isArray(value) ? Number(name) : name]);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isSecret(text: string, path: Path): boolean {
  const name = path.at(-1);
  if (typeof name === 'string' && isSecretName(name) && text.length >= LEAST_LENGTH) return true;
  return holdsCredential(text);
}

function hidesSecret(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    return findPossibleSecret(JSON.parse(text)) !== undefined;
  } catch {
    return false;
  }
}
