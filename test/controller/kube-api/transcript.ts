/** Requests and responses as text by which two servers can be compared: values that differ from run to run are replaced by names. */
import { expect } from 'vitest';
import { stringify } from 'yaml';
import type { Answer, ApiClient, RequestSettings } from '../../support/kube-api/index.ts';
import { eventually } from '../../support/process.ts';

type Query = RequestSettings['query'];

export interface Step {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'APPLY' | 'WATCH';
  /** The path below the namespace of the row; absolute when it begins with a slash. */
  readonly path: string;
  /** The body, or a function that makes it from the responses so far. */
  readonly body?: object | string | ((answers: readonly Answer[]) => unknown);
  readonly query?: Query | ((answers: readonly Answer[]) => Query);
  readonly contentType?: string;
  readonly headers?: { readonly [name: string]: string };
  /** The request is repeated until the response has this status: new roles reach the real server's authorizer with a delay. */
  readonly until?: number;
  /** Whether only the status is compared, because the text of the refusal comes from a library of the real server. */
  readonly statusOnly?: boolean;
  /** The part of the body to compare; the whole body when not given. Refusals are always compared as a whole. */
  readonly show?: (body: never) => unknown;
}

export interface Row {
  readonly name: string;
  readonly steps: readonly Step[];
}

const metadataOf = (answer: Answer | undefined) =>
  (answer?.body.metadata ?? {}) as {
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly continue?: string;
  };

export const readUid = (answer: Answer | undefined): string => metadataOf(answer).uid ?? '';
export const readVersion = (answer: Answer | undefined): string => metadataOf(answer).resourceVersion ?? '';
export const readContinue = (answer: Answer | undefined): string => metadataOf(answer).continue ?? '';

/** Time limit for roles to reach the authorizer on a busy machine; milliseconds. */
const LIMIT_MS = 120_000;

export async function transcript(client: ApiClient, namespace: string, { steps }: Row): Promise<string> {
  const answers: Answer[] = [];
  const shown: unknown[] = [];
  for (const step of steps) {
    const query = typeof step.query === 'function' ? step.query(answers) : step.query;
    const body = typeof step.body === 'function' ? step.body(answers) : step.body;
    const path = step.path.startsWith('/') ? step.path.replaceAll('NAMESPACE', namespace) : below(namespace, step.path);
    const title = `${step.method} ${step.path}`;
    if (step.method === 'WATCH') {
      const lines: unknown[] = [];
      // The last event shows that all have arrived, however long that takes.
      expect((await client.request('POST', path, { body: LAST })).status).toBe(201);
      for await (const { type, object } of client.watch(path, { timeoutSeconds: 600, ...query })) {
        if ((object as { metadata?: { name?: string } }).metadata?.name === LAST.metadata.name) break;
        lines.push({ [type]: step.show === undefined ? object : step.show(object as never) });
      }
      shown.push({ [title]: lines });
      continue;
    }
    const ask = () =>
      client.request(step.method === 'APPLY' ? 'PATCH' : step.method, path, {
        ...(query !== undefined && { query }),
        ...(body !== undefined && { body }),
        contentType: step.contentType ?? CONTENT_TYPE[step.method] ?? 'application/json',
        headers: { 'user-agent': 'test/1.0', ...inNamespace(step.headers, namespace) },
      });
    let answer = await ask();
    await eventually(async () => {
      if (step.until !== undefined && answer.status !== step.until) answer = await ask();
      return step.until === undefined || answer.status === step.until;
    }, LIMIT_MS);
    answers.push(answer);
    const isRefused = answer.status >= 400;
    if (step.statusOnly === true) {
      shown.push({ [title]: answer.status });
      continue;
    }
    const text = Object.keys(answer.body).length === 0 ? answer.text : answer.body;
    shown.push({
      [title]: { status: answer.status, body: isRefused || !step.show ? text : step.show(answer.body as never) },
    });
  }
  return stringify(named(asInOneSecond(shown), namespace), { lineWidth: 0, aliasDuplicateObjects: false });
}

/** The last object that is written. It is later than all others by time and by name, and the selectors of all rows match it. */
const LAST = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'zz-last', labels: { odd: 'true' } },
};

const CONTENT_TYPE: { readonly [method: string]: string } = {
  APPLY: 'application/apply-patch+yaml',
  PATCH: 'application/merge-patch+json',
};

const inNamespace = (headers: Step['headers'], namespace: string) =>
  Object.fromEntries(
    Object.entries(headers ?? {}).map(([name, value]) => [name, value.replace('NAMESPACE', namespace)]),
  );

function below(namespace: string, path: string): string {
  const [plural = '', ...rest] = path.split('/');
  const root = ROOTS[plural];
  if (root === undefined) throw new Error(`where are ${plural}?`);
  return [root, 'namespaces', namespace, plural, ...rest].join('/');
}

const ROOTS: { readonly [plural: string]: string } = {
  configmaps: '/api/v1',
  roles: '/apis/rbac.authorization.k8s.io/v1',
  rolebindings: '/apis/rbac.authorization.k8s.io/v1',
  secrets: '/api/v1',
  pods: '/api/v1',
  services: '/api/v1',
  serviceaccounts: '/api/v1',
  deployments: '/apis/apps/v1',
  leases: '/apis/coordination.k8s.io/v1',
  networkpolicies: '/apis/networking.k8s.io/v1',
  poddisruptionbudgets: '/apis/policy/v1',
  gatewaysources: '/apis/lintel.dev/v1beta1',
  mcpgroups: '/apis/lintel.dev/v1beta1',
  virtualmcpservers: '/apis/lintel.dev/v1beta1',
  mcpservers: '/apis/lintel.dev/v1beta1',
};

/** Names for values that differ in every run, by their first occurrence; versions by their order in time. */
function named(value: unknown, namespace: string): unknown {
  const text = JSON.stringify(value);
  const uids = unique(text.match(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g));
  const versions = unique(text.match(/(?<="resourceVersion":")\d+(?=")/g)).sort((a, b) => Number(a) - Number(b));
  const replaced = text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, uid => `UID-${uids.indexOf(uid) + 1}`)
    .replaceAll(/(?<="resourceVersion":")\d+(?=")/g, version => `VERSION-${versions.indexOf(version) + 1}`)
    .replaceAll(/20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'TIME')
    .replaceAll(namespace, 'NAMESPACE');
  return sorted(JSON.parse(replaced));
}

interface Manager {
  readonly manager: string;
  readonly operation: string;
  readonly apiVersion: string;
  readonly subresource?: string;
  readonly time?: string;
}

/**
 * `managedFields` are sorted by operation, then by time in whole seconds (entries without time first), then by manager name. Checks that order,
 * and sorts them as if all had been written in the same second, which a busy machine does not ensure.
 */
function asInOneSecond(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asInOneSecond);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]): [string, unknown] => {
      if (name !== 'managedFields' || !Array.isArray(inner)) return [name, asInOneSecond(inner)];
      const managers = inner as readonly Manager[];
      const key = ({ manager, apiVersion, subresource = '' }: Manager) => [manager, apiVersion, subresource];
      const ordered = (keyOf: (entry: Manager) => readonly string[]) =>
        managers.toSorted((a, b) => (keyOf(a).join('\0') < keyOf(b).join('\0') ? -1 : 1));
      expect(managers).toEqual(ordered(entry => [entry.operation, entry.time ?? '', ...key(entry)]));
      return [name, ordered(entry => [entry.operation, entry.time === undefined ? '' : 'TIME', ...key(entry)])];
    }),
  );
}

const unique = (found: readonly string[] | null): string[] => [...new Set(found ?? [])];

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    // The real server reports conflicts in no fixed order.
    .map(([name, inner]): [string, unknown] => [name, name === 'causes' ? inOrder(inner as object[]) : inner])
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, inner]) => [name, sorted(inner)]));
}

function inOrder(causes: readonly object[]): object[] {
  return causes.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}
