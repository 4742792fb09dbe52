import type { Diagnostic, ObjectRef } from '../diagnostics/diagnostic.ts';
import { readTexts } from '../source/read-sources.ts';
import type { SourceText } from '../source/source-text.ts';

/**
 * Names of resources in the report. cdk8s finds a construct's path by its resource name alone, so for several resources with one name, such
 * as a gateway and its group, it would show the path of the last one. Such resources are reported as kind, namespace and name, for which
 * cdk8s finds no path: no path is better than a wrong one.
 */
export function formatResourceNames(texts: readonly SourceText[]): (found: Diagnostic) => string {
  const counts = new Map<string, number>();
  for (const { value } of readTexts(texts).documents) {
    const name = findName(value);
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return ({ object, file }) => {
    if (object === undefined) return file;
    return (counts.get(object.name) ?? 0) > 1 ? formatFullName(object) : object.name;
  };
}

function formatFullName({ kind, namespace, name }: ObjectRef): string {
  return `${kind}/${namespace}/${name}`;
}

function findName(value: unknown): string | undefined {
  const name = (value as { metadata?: { name?: unknown } } | null)?.metadata?.name;
  return typeof name === 'string' ? name : undefined;
}
