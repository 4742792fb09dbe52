import { execFileSync } from 'node:child_process';
import { basename, dirname, resolve } from 'node:path';

/** Whether Git ignores a file; undefined outside of a repository, or without Git. */
export function isIgnoredByGit(path: string): boolean | undefined {
  try {
    execFileSync('git', ['check-ignore', '--quiet', '--', basename(path)], {
      cwd: dirname(resolve(path)),
      stdio: 'ignore',
    });
    return true;
  } catch (error) {
    return (error as { readonly status?: unknown }).status === NOT_IGNORED ? false : undefined;
  }
}

/** Its exit code; another code means that Git could not tell. */
const NOT_IGNORED = 1;
