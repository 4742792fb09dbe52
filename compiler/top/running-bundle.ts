/** Which bundle a running gateway or registry server serves, from its status. */
import { getMember } from '#schemas';
import { NoStatusError, readStatusPage } from './read-status.ts';

/** The options of the process that change which clients may call it or which addresses it contacts. */
export interface RunningOptions {
  readonly allowedOrigins: readonly string[];
  readonly denyPrivateBackends: boolean;
  /** Exceptions to `denyPrivateBackends`. */
  readonly privateBackends: readonly string[];
}

export interface RunningBundle {
  readonly kind: 'gateway' | 'registry';
  readonly namespace: string;
  readonly name: string;
  readonly digest: string;
  /** What `lintel build --revision` wrote into the bundle; null when nothing was given. */
  readonly sourceRevision: string | null;
  /** The version of Lintel that built it. */
  readonly compilerVersion: string;
  /** How the process was started; undefined for an older runtime, whose status does not say it. */
  readonly options: RunningOptions | undefined;
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
    options: readOptions(getMember(page, 'options')),
    refused: isText(refused) ? refused : null,
  };
}

function readOptions(options: unknown): RunningOptions | undefined {
  const denyPrivateBackends = getMember(options, 'denyPrivateBackends');
  if (typeof denyPrivateBackends !== 'boolean') return undefined;
  const readTexts = (name: string) => {
    const value = getMember(options, name);
    return Array.isArray(value) ? value.filter(isText) : [];
  };
  return {
    allowedOrigins: readTexts('allowedOrigins'),
    denyPrivateBackends,
    privateBackends: readTexts('privateBackends'),
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
