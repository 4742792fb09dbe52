/** `status.json`: the status of the source where there is no cluster to hold it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { writeFiles } from '#compiler';
import type { GatewaySourceSpec, GatewaySourceStatus } from '#schemas';
import { findCondition } from '../status/index.ts';

export const STATUS_FILE = 'status.json';

/** What the status is about. */
export type FollowedSource = Pick<GatewaySourceSpec, 'url' | 'ref' | 'path'>;

/** What people look for comes first; the rest is the status of a GatewaySource. */
export type StatusDocument = {
  readonly ready: boolean;
  readonly message: string;
  readonly source: FollowedSource;
} & GatewaySourceStatus;

/** The status from before with the generation that the current options are; empty where there is none that could be read. */
export async function readStatusFile(
  folder: string,
  source: FollowedSource,
): Promise<{ readonly status: GatewaySourceStatus; readonly generation: number }> {
  const document = parsed(await readFile(join(folder, STATUS_FILE), 'utf8').catch(() => '{}'));
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

function parsed(text: string): Partial<StatusDocument> {
  try {
    const document: unknown = JSON.parse(text);
    return typeof document === 'object' && document !== null ? document : {};
  } catch {
    // It is written as a whole; whatever it is, the truth is in the repository and the folder.
    return {};
  }
}
