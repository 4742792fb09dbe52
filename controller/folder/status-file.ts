/** `status.json`: the source's status without a cluster. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { writeFiles } from '#compiler';
import type { GatewaySourceSpec, GatewaySourceStatus } from '#schemas';
import { findCondition } from '../status/index.ts';

export const STATUS_FILE = 'status.json';

/** The source that the status is about. */
export type FollowedSource = Pick<GatewaySourceSpec, 'url' | 'ref' | 'path'>;

/** The content of `status.json`: the most relevant fields first, then the status of a GatewaySource. */
export type StatusDocument = {
  readonly ready: boolean;
  readonly message: string;
  readonly source: FollowedSource;
} & GatewaySourceStatus;

/** The previous status, with the generation for the current options; empty when the file is missing or unreadable. */
export async function readStatusFile(
  folder: string,
  source: FollowedSource,
): Promise<{ readonly status: GatewaySourceStatus; readonly generation: number }> {
  const document = parseStatus(await readFile(join(folder, STATUS_FILE), 'utf8').catch(() => '{}'));
  const { ready: _, message: __, source: before, ...status } = document;
  const last = status.observedGeneration ?? 0;
  const isSame = isDeepStrictEqual(JSON.parse(JSON.stringify(source)), before);
  return { status, generation: isSame && last > 0 ? last : last + 1 };
}

export async function writeStatusFile(
  folder: string,
  source: FollowedSource,
  status: GatewaySourceStatus,
): Promise<void> {
  const condition = findCondition(status.conditions ?? [], 'Ready');
  const document: StatusDocument = {
    ready: condition?.status === 'True',
    message: condition?.message ?? '',
    source,
    ...status,
  };
  await writeFiles(folder, [{ path: STATUS_FILE, text: `${JSON.stringify(document, null, 2)}\n` }]);
}

function parseStatus(text: string): Partial<StatusDocument> {
  try {
    const document: unknown = JSON.parse(text);
    return typeof document === 'object' && document !== null ? document : {};
  } catch {
    // An unreadable status file is replaced: the repository and the folder have the actual state.
    return {};
  }
}
