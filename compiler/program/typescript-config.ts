/** Which configuration of TypeScript a program belongs to. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { createMatcher } from '../lint/index.ts';

interface Config {
  readonly files?: readonly string[];
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly references?: readonly { readonly path?: string }[];
}

const NAME = 'tsconfig.json';

/** Comments, which these files may have, as Lintel's own may not. Texts are kept: they may look like one. */
const COMMENT = /("(?:\\.|[^"\\])*")|\/\/.*|\/\*[\s\S]*?\*\//g;
const LAST_COMMA = /("(?:\\.|[^"\\])*")|,(?=\s*[}\]])/g;

/**
 * The nearest `tsconfig.json`; where that leaves the program to others, as one does that only lists `references`, the first of
 * these that has it. Undefined where there is none.
 *
 * @param entry absolute
 * @see https://www.typescriptlang.org/tsconfig/#references
 */
export function typescriptConfig(entry: string): string | undefined {
  const nearest = nearestConfig(dirname(entry));
  return nearest && (findOwner(nearest, entry, new Set()) ?? nearest);
}

/** The nearest `tsconfig.json` from a folder upwards. */
export function nearestConfig(folder: string): string | undefined {
  const file = join(folder, NAME);
  if (existsSync(file)) return file;
  return dirname(folder) === folder ? undefined : nearestConfig(dirname(folder));
}

function findOwner(file: string, entry: string, seen: Set<string>): string | undefined {
  if (seen.has(file)) return undefined;
  seen.add(file);
  const config = read(file);
  if (config === undefined || has(config, dirname(file), entry)) return file;
  for (const { path } of config.references ?? []) {
    if (path === undefined) continue;
    const target = resolve(dirname(file), path);
    const referred = statSync(target, { throwIfNoEntry: false })?.isDirectory() ? join(target, NAME) : target;
    const owner = existsSync(referred) ? findOwner(referred, entry, seen) : undefined;
    if (owner !== undefined) return owner;
  }
  return undefined;
}

/** Near enough to what TypeScript does: it has the last word on a file that is found here. */
function has({ files, include, exclude = [] }: Config, folder: string, entry: string): boolean {
  const path = relative(folder, entry).replaceAll(sep, '/');
  // `**` stays below the folder.
  const isBelow = (pattern: string) => path.startsWith('../') === pattern.startsWith('../');
  const isOne = (patterns: readonly string[]) =>
    patterns.some(pattern => isBelow(pattern) && createMatcher(pattern)(path));
  const named = (files ?? []).some(name => resolve(folder, name) === entry);
  return named || (isOne(include ?? (files === undefined ? ['**'] : [])) && !isOne(exclude));
}

/** Undefined for what cannot be read, which is for TypeScript to say. */
function read(file: string): Config | undefined {
  try {
    const text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
    return JSON.parse(text.replace(COMMENT, '$1').replace(LAST_COMMA, '$1')) as Config;
  } catch {
    return undefined;
  }
}
