import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic, DiagnosticDetails } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import { isHeaderPath, sensitiveValues } from '../source/sensitive-values.ts';
import type { Path } from '../source/source-document.ts';
import { pointerOf } from '../text/pointer.ts';
import { strategiesOf } from './support/outgoing-strategies.ts';

/** Secrets in the clear are in the repository for good, and in everything that is made from it. */
export function literalSecrets(resource: Resource): Diagnostic[] {
  return sensitiveValues(resource.kind, resource.spec).map(path => {
    const field = String(path.at(-1));
    return isHeaderPath(path)
      ? report(resource, path, `the header "${field}" looks like a secret in the clear`, {
          fix: 'use addHeadersFromSecret',
        })
      : report(resource, path, `${field} holds a secret in the clear`, {
          fix: `use ${field}Env and keep the value out`,
          ...(isRead(resource, path) ? { severity: 'error' } : {}),
        });
  });
}

/** Would the value have to be in a bundle? There it never is. */
function isRead(resource: Resource, path: Path): boolean {
  return strategiesOf(resource).some(strategy => strategy.path.every((step, index) => step === path[index]));
}

/** At the key above: frames do not show the line with the secret. */
function report(resource: Resource, path: Path, message: string, details: DiagnosticDetails): Diagnostic {
  const found = diagnose(resource.document, 'LNT6001', path.slice(0, -1), message, { at: 'key', ...details });
  return { ...found, pointer: pointerOf(path) };
}
