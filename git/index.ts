/** The public face of the git room: repositories read through the machine's own `git`. */
export { GitError, type GitFailure } from './git-error.ts';
export type { GitLimits } from './limits.ts';
export { readFileAt } from './read-file.ts';
export { commitOf, fetchCommit, type GitRef } from './refs.ts';
export { type GitCredentials, type GitRemote, gitRemote } from './remote.ts';
export { Workspace } from './workspace.ts';
