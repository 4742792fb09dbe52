import type { RegistryEntry } from '../bundle/registry.ts';
import { getMember, isObject } from '../json-object.ts';
import { checkServer } from './check-server.ts';
import { findOfficialProblems, toRegistryEntry } from './entry.ts';
import { joinPointer, MAX_PROBLEMS, type ServerProblem } from './problem.ts';
import { isNewerSchema } from './published.ts';
import { OFFICIAL_META } from './server-shape.ts';
import { MAX_ENTRIES } from './size.ts';
import { toUtcTime } from './time.ts';

export interface SourceFile {
  /** The entries in the order of the file; empty when there is a problem. */
  readonly entries: readonly RegistryEntry[];
  readonly problems: readonly ServerProblem[];
  /** Pointers to entries whose `$schema` is newer than the known ones; they satisfy the newest known one. */
  readonly newer: readonly number[];
}

/**
 * A source file: JSON with `data.servers`, a list of `server.json`, and `meta.last_updated`, the update time of entries that have none of their
 * own. It throws for no text. A file with any problem gives no entries, because a part of a list would look like the whole list.
 */
export function readSourceFile(text: string): SourceFile {
  const steps = parseSourceFileInSteps(text);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** The number of servers that are checked in one step. */
const SERVERS_PER_STEP = 100;

/** Does the same as `readSourceFile` in short steps, for callers with other work in between; the generator returns the file at the end. */
export function* parseSourceFileInSteps(text: string): Generator<undefined, SourceFile, undefined> {
  let file: unknown;
  try {
    // Editors write a byte-order mark, although JSON does not allow one.
    file = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return refuseFile('', 'is not JSON');
  }
  if (!isObject(file)) return refuseFile('', 'must be a JSON object with data.servers');
  const servers = getMember(getMember(file, 'data'), 'servers');
  if (!Array.isArray(servers))
    return refuseFile('', 'needs data.servers, a list of servers in the format of the official registry');
  if (servers.length === 0) return refuseFile('/data/servers', 'needs one server at least');
  if (servers.length > MAX_ENTRIES) return refuseFile('/data/servers', `has more than ${MAX_ENTRIES} servers`);
  const lastUpdatedText = getMember(getMember(file, 'meta'), 'last_updated');
  const lastUpdated = toUtcTime(lastUpdatedText);
  if (lastUpdatedText !== undefined && lastUpdated === undefined)
    return refuseFile('/meta/last_updated', 'must be a date and time such as 2026-01-31T12:00:00Z');
  return yield* readServers(servers, lastUpdated ?? null);
}

function* readServers(
  servers: readonly unknown[],
  lastUpdated: string | null,
): Generator<undefined, SourceFile, undefined> {
  const entries: RegistryEntry[] = [];
  const problems: ServerProblem[] = [];
  const newer: number[] = [];
  const seen = new Set<string>();
  for (const [index, server] of servers.entries()) {
    if (index % SERVERS_PER_STEP === SERVERS_PER_STEP - 1) yield;
    const at = joinPointer('/data/servers', index);
    const found = listProblems(server, at);
    problems.push(...found);
    if (problems.length >= MAX_PROBLEMS) break;
    if (found.length > 0) continue;
    const checked = server as RegistryEntry['server'];
    const key = `${checked.name} ${checked.version}`;
    if (seen.has(key)) {
      const message = `is a second entry for version ${JSON.stringify(checked.version)} of ${checked.name}`;
      problems.push({ pointer: at, message, kind: 'repeated' });
    }
    seen.add(key);
    if (isNewerSchema(checked.$schema)) newer.push(index);
    entries.push(toRegistryEntry(checked, readOfficial(server), lastUpdated));
  }
  if (problems.length > 0) return { entries: [], problems: problems.slice(0, MAX_PROBLEMS), newer: [] };
  return { entries, problems, newer };
}

function listProblems(server: unknown, at: string): ServerProblem[] {
  const found = checkServer(server, 'judged').map(problem => ({ ...problem, pointer: `${at}${problem.pointer}` }));
  if (found.length > 0) return found;
  return findOfficialProblems(readOfficial(server), joinPointer(`${at}/_meta`, OFFICIAL_META));
}

function readOfficial(server: unknown): unknown {
  return getMember(getMember(server, '_meta'), OFFICIAL_META);
}

function refuseFile(pointer: string, message: string): SourceFile {
  return { entries: [], problems: [{ pointer, message }], newer: [] };
}
