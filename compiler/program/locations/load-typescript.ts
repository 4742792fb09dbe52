import { createRequire } from 'node:module';
import { loadNativeTypeScript } from './native-typescript.ts';

/** The parts of the compiler's API that are used to read syntax trees. */
export type TypeScript = typeof import('typescript');

/** @param near a file of the program; the project's own version parses it best, Lintel's version is the fallback */
export function loadTypeScript(near: string): TypeScript | undefined {
  for (const from of [near, import.meta.url]) {
    try {
      const loaded = createRequire(from)('typescript') as Partial<TypeScript>;
      return typeof loaded.createSourceFile === 'function' ? (loaded as TypeScript) : loadNativeTypeScript(from);
    } catch {
      // TypeScript is not installed there, or its version has another API.
    }
  }
  return undefined;
}
