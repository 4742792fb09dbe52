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

/** The exit code of `git check-ignore` for a file that is not ignored; codes above 1 mean that Git could not answer. */
const NOT_IGNORED = 1;
