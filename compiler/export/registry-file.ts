import path from 'node:path';
import { isMapping } from '../source/is-mapping.ts';
import { configName, isRegistryConfig } from '../source/registry-config.ts';
import type { Path, SourceDocument } from '../source/source-document.ts';
import { Comments } from './comments.ts';
import { camelCase } from './names.ts';
import { type CallCode, type Code, call, plain } from './typescript/code.ts';
import { stringLiteral } from './typescript/literal.ts';
import { ValueWriter } from './value-code.ts';

/** The configuration of a registry server, which is no object of Kubernetes: a chart of its own. */
export interface RegistryFileCode {
  readonly code: CallCode;
  readonly comments: readonly string[];
}

/**
 * Undefined for any other document.
 *
 * @param folder of the program: paths in the configuration are relative to the file that they are in
 * @param named files that somebody named
 */
export function registryFile(
  document: SourceDocument,
  folder: string,
  named: ReadonlySet<string>,
): RegistryFileCode | undefined {
  const { value, file } = document;
  if (!isMapping(value) || !isRegistryConfig(value, named.has(file))) return undefined;
  const name = configName(document);
  const comments = new Comments(document);
  const above = comments.at([Object.keys(value)[0] ?? '']);
  const writer = new ValueWriter(comments, movedPaths(value.sources, path.dirname(file), folder));
  const { registryName: _, ...config } = value;
  const members = [
    { key: 'registryName', comments: [], value: plain(stringLiteral(name)) },
    ...writer.members(config, []),
  ];
  const chart = call('new Chart', plain('app'), plain(stringLiteral(chartName(name))));
  const code = call('new WrittenRegistryFile', chart, plain(stringLiteral(name)), { type: 'object', members });
  return { code, comments: [...above, ...comments.rest()] };
}

/** Beside the chart of the objects, which may have the name of the registry. */
function chartName(name: string): string {
  return camelCase(name) === 'registry' ? name : `${name}-registry`;
}

function movedPaths(sources: unknown, from: string, to: string): ReadonlyMap<string, Code> {
  if (!Array.isArray(sources) || from === to) return new Map();
  return new Map(
    sources.flatMap((source, index) => {
      const file = isMapping(source) && isMapping(source.file) ? source.file.path : undefined;
      if (typeof file !== 'string' || path.isAbsolute(file)) return [];
      const moved = path.relative(to, path.join(from, file)).split(path.sep).join('/');
      const at: Path = ['sources', index, 'file', 'path'];
      return [[JSON.stringify(at), plain(stringLiteral(moved))] as const];
    }),
  );
}
