/** Which bundle a running gateway or registry server serves, from its status. */
import { getMember } from '#schemas';
import { NoStatusError, readStatusPage } from './read-status.ts';

export interface RunningBundle {
  readonly kind: 'gateway' | 'registry';
  readonly namespace: string;
  readonly name: string;
  readonly digest: string;
  /** What `lintel build --revision` wrote into the bundle; null when nothing was given. */
  readonly sourceRevision: string | null;
  /** The version of Lintel that built it. */
  readonly compilerVersion: string;
  /** Why the process refused the newest bundle that it was given; null when it serves that one. */
  readonly refused: string | null;
}

/** @throws NoStatusError when the URL answers without the status of a gateway or registry server */
export async function readRunningBundle(url: URL): Promise<RunningBundle> {
  const page = await readStatusPage(url);
  const kind = getMember(page, 'registry') === undefined ? 'gateway' : 'registry';
  // The page of a registry server has its name under `registry`.
  const server = getMember(page, kind);
  const bundle = getMember(page, 'bundle');
  const [namespace, name] = [getMember(server, 'namespace'), getMember(server, 'name')];
  const [digest, compilerVersion] = [getMember(bundle, 'digest'), getMember(bundle, 'compilerVersion')];
  const [sourceRevision, refused] = [getMember(bundle, 'sourceRevision'), getMember(bundle, 'refused')];
  if (!isText(namespace) || !isText(name) || !isText(digest) || !isText(compilerVersion))
    throw new NoStatusError(`${url} answers, but its status does not say which bundle it serves`);
  return {
    kind,
    namespace,
    name,
    digest,
    compilerVersion,
    sourceRevision: isText(sourceRevision) ? sourceRevision : null,
    refused: isText(refused) ? refused : null,
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
