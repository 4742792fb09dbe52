import {
  type GitOrigin,
  type GitReadOptions,
  type GitText,
  readGitSource,
} from '../../../runtime/registry/sources/read-git-source.ts';
import type { TemporaryFolder } from '../../support/process.ts';

/** An origin with the fields that a test sets. */
export function origin(parts: Partial<GitOrigin>): GitOrigin {
  return { type: 'git', repository: '', ref: { type: 'default' }, path: 'registry.json', credentials: null, ...parts };
}

/** Reads an origin, with a cache folder below the test's folder. */
export function read(
  folder: TemporaryFolder,
  parts: Partial<GitOrigin>,
  options: Partial<GitReadOptions> = {},
): Promise<GitText | 'unchanged'> {
  const signal = options.signal ?? new AbortController().signal;
  return readGitSource(origin(parts), { cacheDir: folder.file('cache'), ...options, signal });
}
