import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Makes cdk8s read the files of `Include` and `Yaml.load` in this process. It uses a child process even for files, and processes are blocked here.
 * Network access stays blocked.
 */
export function readIncludesHere(): void {
  // The namespace of an ES module is immutable; the underlying CommonJS object is not.
  const processes = createRequire(import.meta.url)('node:child_process') as typeof import('node:child_process');
  const { execFileSync } = processes;
  const replaced = (file: string, parameters?: readonly string[], ...options: unknown[]) => {
    const [script = '', from = ''] = parameters ?? [];
    if (script.endsWith('_loadurl.mjs') && !/^https?:/i.test(from)) {
      return readFileSync(from.startsWith('file:') ? fileURLToPath(from) : resolve(from), 'utf8');
    }
    return (execFileSync as (...all: unknown[]) => unknown)(file, parameters, ...options);
  };
  Object.defineProperty(processes, 'execFileSync', { value: replaced, writable: true, configurable: true });
}
