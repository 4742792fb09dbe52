/** How much of a repository is read. */
export interface GitLimits {
  /** All that a fetch brings, as it lies on the disk; bytes. */
  readonly repositoryBytes: number;
  /** The file that is read; bytes. */
  readonly fileBytes: number;
  /**
   * One piece of memory of a git process; bytes. What is larger and no file (files are streamed) comes from an attacker who wants to
   * exhaust the machine.
   */
  readonly allocationBytes: number;
  /** For all of it; milliseconds. */
  readonly timeMs: number;
}

export const GIT_LIMITS: GitLimits = {
  repositoryBytes: 100 * 1024 * 1024,
  fileBytes: 100 * 1024 * 1024,
  allocationBytes: 128 * 1024 * 1024,
  timeMs: 5 * 60_000,
};
