import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * cdk8s reads the targets of `Include` and `Yaml.load` in a child process, files included. Processes are blocked here, so files are read
 * directly; network access stays blocked.
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
