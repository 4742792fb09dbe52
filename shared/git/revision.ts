/** Revision strings as in Flux, so that people and tools recognize them. */

/** A revision as `main@sha1:<id>`, or `sha1:<id>` for a commit given by id. */
export function formatCommitRevision(name: string | null, commit: string): string {
  const id = `${commit.length === 64 ? 'sha256' : 'sha1'}:${commit}`;
  return name === null ? id : `${name}@${id}`;
}

/** The parts of a revision; undefined for an invalid one. Names may contain an `@`. */
export function readRevision(revision: string): { readonly name: string | null; readonly commit: string } | undefined {
  const parts = /^(?:(.+)@)?(?:sha1:([0-9a-f]{40})|sha256:([0-9a-f]{64}))$/.exec(revision);
  if (parts === null) return undefined;
  return { name: parts[1] ?? null, commit: parts[2] ?? parts[3] ?? '' };
}
