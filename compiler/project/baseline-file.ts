import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { StructuralSchema } from '#schemas';
import type { Baseline, BaselineEntry } from '../lint/index.ts';
import { findEscape } from '../source/path-escape.ts';
import type { SourceText } from '../source/source-text.ts';
import { readConfigurationFile } from './configuration-file.ts';

export const BASELINE_FILE = 'lintel-baseline.json';

const FORMAT_VERSION = 1;

const SCHEMA: StructuralSchema = {
  type: 'object',
  required: ['formatVersion', 'findings'],
  properties: {
    formatVersion: { type: 'integer', enum: [FORMAT_VERSION] },
    findings: {
      type: 'array',
      items: {
        type: 'object',
        required: ['file', 'object', 'code', 'field', 'count'],
        properties: {
          file: { type: 'string', minLength: 1 },
          object: { type: 'string' },
          code: { type: 'string', minLength: 1 },
          field: { type: 'string' },
          count: { type: 'integer', minimum: 1 },
        },
      },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['file', 'object', 'code', 'field'],
    },
  },
};

/**
 * The baseline in a file; undefined when there is none.
 *
 * @throws ConfigurationError when it is invalid
 */
export function readBaseline(
  absolute: string,
  shown: string,
  cwd: string,
  confinedTo?: string,
): { readonly baseline: Baseline; readonly source: SourceText } | undefined {
  if (!existsSync(absolute)) return undefined;
  const { source, document } = readConfigurationFile(absolute, shown, SCHEMA);
  const { findings = [] } = (document?.value ?? {}) as { findings?: readonly BaselineEntry[] };
  const folder = dirname(absolute);
  const places = new Map(findings.map((entry, index) => [entry, index]));
  const files = new Set(findings.map(({ file }) => file));
  const baseline: Baseline = {
    file: shown,
    entries: findings,
    gone: new Set(
      [...files].filter(
        file => findEscape(join(folder, file), confinedTo) !== undefined || !existsSync(join(folder, file)),
      ),
    ),
    getRange: entry => document?.locate(['findings', places.get(entry) ?? 0], 'value') ?? source.range(0, 0),
    toName: createNamer(folder, cwd),
  };
  return { baseline, source };
}

/** How a baseline in a folder names files. */
export function createNamer(folder: string, cwd: string): (file: string) => string {
  return file => relative(folder, resolve(cwd, file)).replaceAll(sep, '/');
}

/** The text of a baseline: one line per entry, so that two branches can be merged. */
export function formatBaseline(entries: readonly BaselineEntry[]): string {
  const lines = entries.map(({ file, object, code, field, count }) =>
    JSON.stringify({ file, object, code, field, count }),
  );
  const list = lines.length === 0 ? '[]' : `[\n    ${lines.join(',\n    ')}\n  ]`;
  return `{\n  "formatVersion": ${FORMAT_VERSION},\n  "findings": ${list}\n}\n`;
}
