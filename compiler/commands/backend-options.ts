/** `--backend`, `--token` and `--url` of `lintel lock`: options that name a backend. */
import { findNearest } from '#shared/util';
import type { SourceBackend } from '../analysis/catalog/index.ts';
import { UsageError } from '../usage-error.ts';

/** Whether an argument names this backend: by its name, or by its key, which is necessary when several backends have the same name. */
function isMeant({ key, plan }: SourceBackend, name: string): boolean {
  return plan.name === name || key === name;
}

/** @throws UsageError for an unknown name, with the nearest one */
export function findBackendsNamed(
  name: string,
  option: string,
  backends: readonly SourceBackend[],
): readonly SourceBackend[] {
  const meant = backends.filter(backend => isMeant(backend, name));
  if (meant.length > 0) return meant;
  const names = [...new Set(backends.map(({ plan }) => plan.name))].sort();
  const close = findNearest(name, names);
  const hint = close === undefined ? `there are: ${names.join(', ') || 'none'}` : `did you mean "${close}"?`;
  throw new UsageError(`${option}: no backend of the sources is named "${name}"; ${hint}`);
}

/**
 * The values of `<backend>=<value>` arguments, by key of the backend.
 *
 * @throws UsageError for another form, for an unknown backend, and for a name that several backends have
 */
export function mapValuesByBackend(
  optionValues: readonly string[],
  option: string,
  backends: readonly SourceBackend[],
): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const argument of optionValues) {
    const at = argument.indexOf('=');
    // The argument is not repeated, because it may contain a secret.
    if (at < 1 || at === argument.length - 1) throw new UsageError(`${option} takes <backend>=<value>`);
    const name = argument.slice(0, at);
    const [only, ...others] = findBackendsNamed(name, option, backends);
    if (only === undefined || others.length > 0) {
      const keys = [only, ...others].map(backend => backend?.key).join(', ');
      throw new UsageError(`${option}: several backends are named "${name}"; say which: ${keys}`);
    }
    values.set(only.key, argument.slice(at + 1));
  }
  return values;
}
