/** Finds the TypeScript configuration of a program. */
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

/** Comments, which are allowed in these files. Strings are matched too, because they may contain text like a comment. */
const COMMENT = /("(?:\\.|[^"\\])*")|\/\/.*|\/\*[\s\S]*?\*\//g;
const LAST_COMMA = /("(?:\\.|[^"\\])*")|,(?=\s*[}\]])/g;

/**
 * The nearest `tsconfig.json`. If that only lists `references`, the first referenced configuration that includes the program. Undefined when
 * there is none.
 *
 * @param entry absolute
 * @see https://www.typescriptlang.org/tsconfig/#references
 */
export function findTypeScriptConfig(entry: string): string | undefined {
  const nearest = findNearestConfig(dirname(entry));
  return nearest && (findOwner(nearest, entry, new Set()) ?? nearest);
}

/** The nearest `tsconfig.json` from a folder upwards. */
export function findNearestConfig(folder: string): string | undefined {
  const file = join(folder, NAME);
  if (existsSync(file)) return file;
  return dirname(folder) === folder ? undefined : findNearestConfig(dirname(folder));
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

/** Whether a configuration contains a file. This approximates TypeScript, which makes the final decision about the file. */
function has({ files, include, exclude = [] }: Config, folder: string, entry: string): boolean {
  const path = relative(folder, entry).replaceAll(sep, '/');
  // `**` matches only below the folder.
  const isBelow = (pattern: string) => path.startsWith('../') === pattern.startsWith('../');
  const isOne = (patterns: readonly string[]) =>
    patterns.some(pattern => isBelow(pattern) && createMatcher(pattern)(path));
  const named = (files ?? []).some(name => resolve(folder, name) === entry);
  return named || (isOne(include ?? (files === undefined ? ['**'] : [])) && !isOne(exclude));
}

/** The configuration in a file. Undefined for an unreadable file, which TypeScript reports. */
function read(file: string): Config | undefined {
  try {
    const text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
    return JSON.parse(text.replace(COMMENT, '$1').replace(LAST_COMMA, '$1')) as Config;
  } catch {
    return undefined;
  }
}
