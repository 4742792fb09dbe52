import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { isError } from '../diagnostics/is-error.ts';
import { concernsEveryGateway } from '../emit/bundle-blockers.ts';

/** The errors that may affect a gateway: those of its namespace, which references cannot leave, and those without an object. */
export function splitErrorsByNamespace(found: readonly Diagnostic[]): (namespace: string) => readonly Diagnostic[] {
  const errors = found.filter(isError);
  const placeless = errors.filter(concernsEveryGateway);
  const byNamespace = Map.groupBy(
    errors.filter(error => !concernsEveryGateway(error)),
    ({ object }) => object?.namespace,
  );
  return namespace => [...placeless, ...(byNamespace.get(namespace) ?? [])];
}
