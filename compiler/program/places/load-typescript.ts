import { createRequire } from 'node:module';

/** The compiler's API, as far as trees are read. */
export type TypeScript = typeof import('typescript');

/** @param near a file of the program, whose own version knows its syntax; Lintel's own is the second choice */
export function loadTypeScript(near: string): TypeScript | undefined {
  for (const from of [near, import.meta.url]) {
    try {
      const loaded = createRequire(from)('typescript') as Partial<TypeScript>;
      // TypeScript 7 has no such function: its compiler is no JavaScript.
      if (typeof loaded.createSourceFile === 'function') return loaded as TypeScript;
    } catch {
      // Not installed there.
    }
  }
  return undefined;
}
