import type { RegistryEntry } from '../bundle/registry.ts';
import { compareText } from '../compare-text.ts';
import { getMember, isObject } from '../json-object.ts';
import { joinPointer, type ServerProblem } from './problem.ts';
import { formatSchemaUrl, LAST_WITH_STATUS } from './published.ts';
import { OFFICIAL_META, PUBLISHER_META, STATUSES } from './server-shape.ts';
import { oneOf, type ServerCheck, textThat } from './shape.ts';
import { toUtcTime } from './time.ts';

type Server = RegistryEntry['server'];

/**
 * The entry of a server that `checkServer` accepted. A registry's metadata is removed from the `server.json` itself, where it could contradict
 * the metadata of the entry.
 *
 * @param official a registry's metadata that `findOfficialProblems` accepted; undefined when there is none
 * @param updatedAt for a server without a registry's update time
 */
export function toRegistryEntry(server: Server, official: unknown, updatedAt: string | null): RegistryEntry {
  const message = getMember(official, 'statusMessage');
  const changedAt = toUtcTime(getMember(official, 'statusChangedAt'));
  return {
    server: withoutOfficial(server),
    status: readStatus(getMember(official, 'status') ?? getOwnStatus(server)),
    ...(typeof message === 'string' && { statusMessage: message }),
    ...(changedAt !== undefined && { statusChangedAt: changedAt }),
    publishedAt: toUtcTime(getMember(official, 'publishedAt')) ?? null,
    updatedAt: toUtcTime(getMember(official, 'updatedAt')) ?? updatedAt,
  };
}

const isStatus: ServerCheck = oneOf(STATUSES);

/** The maximum length in characters, which is the limit of the official API. */
const MAX_STATUS_MESSAGE = 500;
const isStatusMessage: ServerCheck = textThat(`a text of at most ${MAX_STATUS_MESSAGE} characters`, text => {
  return [...text].length <= MAX_STATUS_MESSAGE;
});

/** The violations in a registry's metadata of an entry; unknown members pass. */
export function findOfficialProblems(official: unknown, pointer: string): ServerProblem[] {
  if (official === undefined) return [];
  if (!isObject(official)) return [{ pointer, message: 'must be an object' }];
  const problems: ServerProblem[] = [];
  const status = getMember(official, 'status');
  if (status !== undefined) isStatus(status, joinPointer(pointer, 'status'), problems);
  const message = getMember(official, 'statusMessage');
  if (message !== undefined) isStatusMessage(message, joinPointer(pointer, 'statusMessage'), problems);
  for (const name of ['statusChangedAt', 'publishedAt', 'updatedAt']) {
    const time = getMember(official, name);
    if (time !== undefined && toUtcTime(time) === undefined)
      problems.push({
        pointer: joinPointer(pointer, name),
        message: 'must be a date and time such as 2026-01-31T12:00:00Z',
      });
  }
  return problems;
}

/**
 * The tags of a server, sorted and unique: `tags`, and the publisher's tags for single packages and remotes in
 * `_meta.<publisher-provided>.<vendor>.<package or remote>.tags`.
 */
export function readTags(server: Server): readonly string[] {
  const vendors = getMember(getMember(server, '_meta'), PUBLISHER_META);
  const tags = listMembers(vendors)
    .flatMap(listMembers)
    .flatMap(part => getMember(part, 'tags'))
    .filter(tag => typeof tag === 'string');
  return [...new Set(tags)].sort(compareText);
}

function listMembers(value: unknown): unknown[] {
  return isObject(value) ? Object.values(value) : [];
}

function withoutOfficial(server: Server): Server {
  const { _meta: meta, ...rest } = server;
  if (!isObject(meta) || !Object.hasOwn(meta, OFFICIAL_META)) return server;
  const { [OFFICIAL_META]: _, ...otherMeta } = meta;
  return { ...rest, _meta: otherMeta } as Server;
}

function getOwnStatus(server: Server): unknown {
  return getMember(server, '$schema') === formatSchemaUrl(LAST_WITH_STATUS) ? getMember(server, 'status') : undefined;
}

function readStatus(value: unknown): RegistryEntry['status'] {
  return STATUSES.find(status => status === value) ?? 'active';
}
