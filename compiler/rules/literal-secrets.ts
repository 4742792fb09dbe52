import { isHeaderPath, sensitiveValues } from '../check/sensitive-values.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { pointerOf } from '../diagnostics/pointer.ts';
import { diagnose } from '../resolve/diagnose.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { Path } from '../source/source-document.ts';

/** Secrets in the clear are in the repository for good, and in everything that is made from it. */
export function literalSecrets(resource: Resource): Diagnostic[] {
  return sensitiveValues(resource.kind, resource.spec).map(path => {
    const field = String(path.at(-1));
    return isHeaderPath(path)
      ? report(resource, path, `the header "${field}" looks like a secret in the clear`, 'use addHeadersFromSecret')
      : report(resource, path, `${field} holds a secret in the clear`, `use ${field}Env and keep the value out`);
  });
}

/** At the key above: frames do not show the line with the secret. */
function report(resource: Resource, path: Path, message: string, fix: string): Diagnostic {
  const found = diagnose(resource.document, 'LNT6001', path.slice(0, -1), message, { at: 'key', fix });
  return { ...found, pointer: pointerOf(path) };
}
