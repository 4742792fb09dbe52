import { createRequire } from 'node:module';
import { loadNativeTypeScript } from './native-typescript.ts';

/** The compiler's API, as far as trees are read. */
export type TypeScript = typeof import('typescript');

/** @param near a file of the program, whose own version knows its syntax; Lintel's own is the second choice */
export function loadTypeScript(near: string): TypeScript | undefined {
  for (const from of [near, import.meta.url]) {
    try {
      const loaded = createRequire(from)('typescript') as Partial<TypeScript>;
      return typeof loaded.createSourceFile === 'function' ? (loaded as TypeScript) : loadNativeTypeScript(from);
    } catch {
      // Not installed there, or a version that has other functions.
    }
  }
  return undefined;
}
