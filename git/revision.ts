/** How a revision is written: as Flux does, so that people and tools know it. */

/** `main@sha1:<id>`; `sha1:<id>` when nothing but a commit was asked for. */
export function formatCommitRevision(name: string | null, commit: string): string {
  const id = `${commit.length === 64 ? 'sha256' : 'sha1'}:${commit}`;
  return name === null ? id : `${name}@${id}`;
}

/** The parts of a revision; undefined when it is none. Names may have an `@`. */
export function readRevision(revision: string): { readonly name: string | null; readonly commit: string } | undefined {
  const parts = /^(?:(.+)@)?(?:sha1:([0-9a-f]{40})|sha256:([0-9a-f]{64}))$/.exec(revision);
  if (parts === null) return undefined;
  return { name: parts[1] ?? null, commit: parts[2] ?? parts[3] ?? '' };
}
