import path from 'node:path';
import { isObject } from '#schemas';
import { getConfigName, isRegistryConfig } from '../source/registry-config.ts';
import type { Path, SourceDocument } from '../source/source-document.ts';
import { Comments } from './comments.ts';
import { ConsumedMapping } from './constructs/block.ts';
import { NotRepresentable } from './constructs/not-representable.ts';
import { emitRegistryConfig } from './constructs/registry-config.ts';
import { toCamelCase } from './names.ts';
import type { ProgramScope } from './program-scope.ts';
import type { Line } from './statement.ts';
import { type CallCode, type Code, call, plain } from './typescript/code.ts';
import { formatStringLiteral } from './typescript/literal.ts';
import { ValueWriter } from './value-code.ts';

/** The code for the configuration file of a registry server. The file is not a Kubernetes object, so it gets a chart of its own. */
export interface RegistryFileCode {
  /** Statements that create the values which `code` uses. */
  readonly before: readonly Line[];
  readonly code: CallCode;
  readonly comments: readonly string[];
}

/**
 * The code for a configuration file; undefined for a document that is no configuration of a registry server.
 *
 * @param folder the folder of the program. Paths in the configuration are relative to the configuration file, so they are rewritten
 * @param named files that the user named on the command line
 */
export function emitRegistryFile(
  document: SourceDocument,
  folder: string,
  named: ReadonlySet<string>,
  program: ProgramScope,
): RegistryFileCode | undefined {
  const { value, file } = document;
  if (!isObject(value) || !isRegistryConfig(value, named.has(file))) return undefined;
  const name = getConfigName(document);
  const moved = mapMovedPaths(value.sources, path.dirname(file), folder);
  const writer = () => new ValueWriter(new Comments(document), moved);
  try {
    return emitFile(value, name, writer(), program);
  } catch (error) {
    if (!(error instanceof NotRepresentable)) throw error;
    return emitConfigFile(value, name, writer(), error.message);
  }
}

type Config = Readonly<Record<string, unknown>>;

/** The code `new RegistryFile(…)`. @throws NotRepresentable */
function emitFile(value: Config, name: string, writer: ValueWriter, program: ProgramScope): RegistryFileCode {
  const above = listCommentsAbove(value, writer);
  const config = new ConsumedMapping(value, [], writer);
  config.take('registryName');
  const { before, members } = emitRegistryConfig(config, program);
  const code = call('new RegistryFile', emitChart(name), plain(formatStringLiteral(name)), { type: 'object', members });
  return { before, code, comments: [...above, ...writer.comments.rest()] };
}

/** Writes the configuration out: `new WrittenRegistryFile(…)` gets it as it is in the file. */
function emitConfigFile(value: Config, name: string, writer: ValueWriter, why: string): RegistryFileCode {
  const above = listCommentsAbove(value, writer);
  const { registryName: _, ...config } = value;
  const members = [
    { key: 'registryName', comments: [], value: plain(formatStringLiteral(name)) },
    ...writer.members(config, []),
  ];
  const code = call('new WrittenRegistryFile', emitChart(name), plain(formatStringLiteral(name)), {
    type: 'object',
    members,
  });
  return { before: [], code, comments: [...above, ...writer.comments.rest(), `Written out: ${why}`] };
}

function listCommentsAbove(value: Config, { comments }: ValueWriter): readonly string[] {
  const first = Object.keys(value)[0] ?? '';
  // Comments above the first field are about the whole file. Only those above `sources` are about the sources.
  return first === 'sources' ? [] : comments.at([first]);
}

function emitChart(name: string): Code {
  return call('new Chart', plain('app'), plain(formatStringLiteral(formatChartName(name))));
}

/** The name of the chart that contains the file. It differs from that of the chart with the objects, which may be the name of the registry server. */
function formatChartName(name: string): string {
  return toCamelCase(name) === 'registry' ? name : `${name}-registry`;
}

function mapMovedPaths(sources: unknown, from: string, to: string): ReadonlyMap<string, Code> {
  if (!Array.isArray(sources) || from === to) return new Map();
  return new Map(
    sources.flatMap((source, index) => {
      const file = isObject(source) && isObject(source.file) ? source.file.path : undefined;
      if (typeof file !== 'string' || path.isAbsolute(file)) return [];
      const moved = path.relative(to, path.join(from, file)).split(path.sep).join('/');
      const at: Path = ['sources', index, 'file', 'path'];
      return [[JSON.stringify(at), plain(formatStringLiteral(moved))] as const];
    }),
  );
}
