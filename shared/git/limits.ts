/** Limits on a repository. */
export interface GitLimits {
  /** Total size of a fetch on disk; bytes. */
  readonly repositoryBytes: number;
  /** Size of the read file; bytes. */
  readonly fileBytes: number;
  /** One memory allocation of a Git process; bytes. Files are streamed, so a larger object is an attempt to exhaust memory. */
  readonly allocationBytes: number;
  /** Total time; milliseconds. */
  readonly timeMs: number;
}

export const GIT_LIMITS: GitLimits = {
  repositoryBytes: 100 * 1024 * 1024,
  fileBytes: 100 * 1024 * 1024,
  allocationBytes: 128 * 1024 * 1024,
  timeMs: 5 * 60_000,
};
