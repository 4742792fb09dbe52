import path from 'node:path';
import type { SourceDocument } from '../source/source-document.ts';
import { toExportedObject } from './exported-object.ts';

/** Names of folders that say nothing about the specs inside. */
const PLAIN = new Set(['', '.', '..', 'specs', 'manifests', 'yaml', 'k8s', 'deploy']);

/** The name of the chart: the name of the only gateway or registry server, otherwise that of the folder or file. */
export function deriveTitle(documents: readonly SourceDocument[], paths: readonly string[]): string {
  const objects = documents.flatMap(document => toExportedObject(document) ?? []);
  for (const kind of ['VirtualMCPServer', 'MCPRegistry']) {
    const [only, ...others] = objects.filter(object => object.kind === kind);
    if (only !== undefined && others.length === 0) return only.name;
  }
  const parts = paths.length === 1 ? path.resolve(paths[0] ?? '').split(path.sep) : [];
  const distinctive = parts.findLast(part => !PLAIN.has(part)) ?? '';
  return (
    distinctive
      .replace(/\.[^.]*$/, '')
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '') || 'specs'
  );
}
