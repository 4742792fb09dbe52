import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * cdk8s reads what `Include` and `Yaml.load` name in a process of its own, files too. Processes are refused here, so files are read at once;
 * what is on the network stays refused.
 */
export function readIncludesHere(): void {
  // The namespace of an ES module cannot be changed; the object behind it, which CommonJS sees, can.
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
