/** The public interface of the git room: repositories read with the machine's own `git`. */
export { type CommitInfo, readCommit } from './commit.ts';
export type { ClientCertificate, GitCredentials } from './credentials.ts';
export { exportFiles } from './export.ts';
export { collectGarbage } from './gc.ts';
export { GitError, type GitFailure } from './git-error.ts';
export { hasCommit } from './history.ts';
export type { GitLimits } from './limits.ts';
export { type Mirror, type MirrorName, Mirrors } from './mirrors.ts';
export { readFileAt } from './read-file.ts';
export { fetchCommit, type GitRef, resolveCommit } from './refs.ts';
export { createGitRemote, createGitSourceRemote, type GitRemote } from './remote.ts';
export { findCommitNamed, listRemoteRefs, type RemoteRefs } from './remote-refs.ts';
export { formatCommitRevision, readRevision } from './revision.ts';
export { listTree, listTreeFolders, type TreeFile, type TreeLimits } from './tree.ts';
export { openKeyring, type SigningKeys } from './verify/keyring.ts';
export { formatSigner, type Signer, verifyCommit } from './verify/verify-commit.ts';
export { verifyHistory } from './verify/verify-history.ts';
export { Workspace, type WorkspaceOptions } from './workspace.ts';
