/** An in-memory Kubernetes API server over real HTTP. `README.md` lists what it does and omits. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parse as parseYaml } from 'yaml';
import type { KubeObject, ObjectKey, ObjectType } from '../../../controller/kube/index.ts';
import { type Authorize, createUser, identify, type Tokens } from './access.ts';
import { ApiError, badRequest } from './api-error.ts';
import { Clock } from './clock.ts';
import { discover } from './discovery.ts';
import { type Fault, Faults, fits, type Matcher, toApiError } from './faults.ts';
import { isObject, type JsonObject } from './json.ts';
import { Objects, type Write } from './objects.ts';
import { list } from './reads.ts';
import { type ApiRequest, accessNamespace, accessVerb, findVerb, inVersion, parseTarget, refusal } from './request.ts';
import { formatApiVersion, formatStorageKey, type ResourceType, ResourceTypes } from './resource-types.ts';
import { type Snapshot, Store } from './store.ts';
import { Watch } from './watch.ts';

export interface KubeApiOptions {
  /** CRDs that exist from the start; `crds()` returns Lintel's. */
  readonly crds?: readonly object[];
  /** Namespaces in addition to `default` and `kube-system`. */
  readonly namespaces?: readonly string[];
  /** Authorizes requests; by default every user may do everything. */
  readonly authorize?: Authorize;
  /** Users by their bearer token, in addition to the administrator's `TOKEN`. */
  readonly tokens?: Tokens;
}

/** A request with its status; 0 when the connection was closed without a response. */
export type Logged = ApiRequest & { readonly status: number };

/** Called before a request takes effect, and after that before the response; the server waits for it. */
export type OnRequest = (request: ApiRequest, phase: 'before' | 'after') => void | Promise<void>;

/** The bearer token of the administrator, who is in the group `system:masters`. */
export const TOKEN = 'admin-token';

/** Largest body of a request, as in the real server; bytes. */
const MAX_BODY_BYTES = 3 * 1024 * 1024;

const WRITES: readonly ApiRequest['verb'][] = ['create', 'update', 'patch', 'apply', 'delete', 'deletecollection'];

export async function startKubeApi(options: KubeApiOptions = {}): Promise<KubeApi> {
  const api = new KubeApi(options);
  await api.listen();
  return api;
}

export class KubeApi implements AsyncDisposable {
  readonly clock = new Clock();
  readonly faults = new Faults();
  /** All answered requests for objects, in order. */
  readonly requests: Logged[] = [];
  onRequest: OnRequest | undefined;
  /** Called with each object that any client wrote; unlike a watch, it misses none. */
  onWritten: ((object: KubeObject) => void) | undefined;
  authorize: Authorize;
  readonly #types = new ResourceTypes();
  readonly #store = new Store();
  readonly #objects: Objects;
  readonly #tokens: Tokens;
  readonly #watches = new Set<Watch>();
  readonly #server = createServer(
    // Clients close idle connections; if the server did so too, it might close one while a request is being sent.
    { keepAliveTimeout: 0 },
    (request, response) => void this.#serve(request, response),
  );

  constructor({ crds = [], namespaces = [], authorize = () => true, tokens = {} }: KubeApiOptions) {
    this.authorize = authorize;
    this.#tokens = { [TOKEN]: createUser('admin', ['system:masters']), ...tokens };
    this.#objects = new Objects(this.#store, this.#types, this.clock);
    this.#store.onCommit(({ object, type }) => {
      if (type !== 'DELETED') this.onWritten?.(object as unknown as KubeObject);
    });
    for (const name of ['default', 'kube-system', ...namespaces]) {
      this.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    }
    for (const crd of crds) this.put(crd as KubeObject);
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject).listen(0, '127.0.0.1', resolve);
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** How a client reaches the server, as administrator or with another of its tokens. */
  connection(token: string = TOKEN): { readonly url: string; readonly token: string } {
    return { url: this.url, token };
  }

  /** A connection as the text of a kubeconfig file. */
  kubeconfig(token: string = TOKEN): string {
    return JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'test',
      clusters: [{ name: 'test', cluster: { server: this.url } }],
      users: [{ name: 'test', user: { token } }],
      contexts: [{ name: 'test', context: { cluster: 'test', user: 'test', namespace: 'default' } }],
    });
  }

  /** Roles, ClusterRoles and their bindings, for `roleBasedAccess`. */
  rules(): readonly JsonObject[] {
    const kinds = ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'];
    const types = kinds.map(kind => this.#typeOf({ apiVersion: 'rbac.authorization.k8s.io/v1', kind }));
    return types.flatMap(type => this.#store.list(formatStorageKey(type)).map(([, object]) => object));
  }

  /** The newest resourceVersion. */
  get resourceVersion(): string {
    return String(this.#store.revision);
  }

  /** Whether the type exists. */
  serves({ apiVersion, kind }: ObjectType): boolean {
    return this.#types.byKind(apiVersion, kind) !== undefined;
  }

  /** All objects of a type, by namespace and name. */
  objects(type: ObjectType, namespace?: string): KubeObject[] {
    const found = this.#typeOf(type);
    return this.#store
      .list(formatStorageKey(found))
      .map(([, object]) => inVersion(found, object) as unknown as KubeObject)
      .filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace);
  }

  get(key: ObjectKey): KubeObject | undefined {
    const type = this.#typeOf(key);
    const object = this.#objects.find(type, key.namespace ?? '', key.name);
    return object && (inVersion(type, object) as unknown as KubeObject);
  }

  /**
   * Creates or replaces the object, including its status, like another client and without regard to its version. The write is not logged and
   * gets no fault.
   *
   * @throws ApiError as for the request
   */
  put(object: KubeObject, manager = 'another-actor'): KubeObject {
    const type = this.#typeOf(object);
    const { name, namespace = '' } = object.metadata;
    const write = this.#write({ type, namespace, name, subresource: '' }, manager);
    const live = this.#objects.find(type, namespace, name);
    const { resourceVersion: _, managedFields: __, ...metadata } = object.metadata;
    const body = { ...object, metadata } as unknown as JsonObject;
    const current = live === undefined ? {} : { resourceVersion: (live.metadata as JsonObject).resourceVersion };
    const withVersion = { ...body, metadata: { ...(metadata as JsonObject), ...current } };
    let { object: written } =
      live === undefined ? this.#objects.create(write, body) : this.#objects.update(write, withVersion);
    if (type.hasStatus && body.status !== undefined && type.kind !== 'CustomResourceDefinition') {
      const { resourceVersion } = written.metadata as JsonObject;
      const next = { ...body, metadata: { name, namespace, resourceVersion } };
      written = this.#objects.update({ ...write, subresource: 'status' }, next).object;
    }
    return written as unknown as KubeObject;
  }

  /** Deletes the object like another client. */
  remove(key: ObjectKey, options: { readonly gracePeriodSeconds?: number } = {}): void {
    const target = {
      type: this.#typeOf(key),
      namespace: key.namespace ?? '',
      name: key.name,
      subresource: '',
    } as const;
    this.#objects.delete(this.#write(target, 'another-actor'), options);
  }

  /** Matching requests; by default all. */
  logged(matcher: Matcher = {}): Logged[] {
    return this.requests.filter(request => fits(matcher, request));
  }

  /** Requests for a change: neither reads nor dry runs. */
  writes(matcher: Matcher = {}): Logged[] {
    return this.logged(matcher).filter(({ verb, dryRun }) => WRITES.includes(verb) && !dryRun);
  }

  /** Drops all older versions: watches that start from one of them, and pages of older lists, get 410. */
  compact(): void {
    this.#store.compact();
  }

  /** The requests of the open watches that match. */
  watches(matcher: Matcher = {}): readonly ApiRequest[] {
    return this.#watching(matcher).map(({ request }) => request);
  }

  /** All objects, for {@link restore}. */
  snapshot(): Snapshot {
    return this.#store.snapshot();
  }

  /** Restores a snapshot, as a cluster is restored from a backup: objects are as they were, and watches have to begin again. */
  restore(snapshot: Snapshot): void {
    this.#store.restore(snapshot);
    this.expireWatches();
  }

  /** Closes the connections of watches. */
  dropWatches(matcher: Matcher = {}): void {
    for (const watch of this.#watching(matcher)) watch.drop();
  }

  /** Ends watches as the server does when their time is over. */
  endWatches(matcher: Matcher = {}): void {
    for (const watch of this.#watching(matcher)) watch.end();
  }

  /** Sends watches an ERROR event of 410, and ends them. */
  expireWatches(matcher: Matcher = {}): void {
    for (const watch of this.#watching(matcher)) watch.expire();
  }

  /** Sends the newest resourceVersion to watches that requested bookmarks. */
  bookmark(matcher: Matcher = {}): void {
    for (const watch of this.#watching(matcher)) watch.bookmark();
  }

  async close(): Promise<void> {
    const closed = new Promise<void>(resolve => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #watching(matcher: Matcher): Watch[] {
    return [...this.#watches].filter(({ request }) => fits(matcher, request));
  }

  #typeOf({ apiVersion, kind }: ObjectType): ResourceType {
    const type = this.#types.byKind(apiVersion, kind);
    if (type === undefined) throw new Error(`the server of this test has no type ${apiVersion} ${kind}`);
    return type;
  }

  #write(target: Pick<Write, 'type' | 'namespace' | 'name' | 'subresource'>, manager: string): Write {
    return { ...target, manager, dryRun: false, strict: false, warnings: [] };
  }

  async #serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    let request: ApiRequest | undefined;
    try {
      const url = new URL(message.url ?? '/', this.url);
      const found = message.method === 'GET' ? discover(url.pathname, this.#types) : undefined;
      if (found !== undefined) return send(response, 200, found);
      request = await this.#read(message, url);
      if (request === undefined) return send(response, 404, nothingAt(url.pathname));
      await this.#answer(request, response);
    } catch (error) {
      const refused = error instanceof ApiError ? error : new ApiError(500, 'InternalError', String(error));
      const { retryAfterSeconds } = refused.details ?? {};
      if (retryAfterSeconds !== undefined) response.setHeader('retry-after', String(retryAfterSeconds));
      if (!response.headersSent) send(response, refused.code, refused.toStatus());
      if (request !== undefined) this.requests.push({ ...request, status: refused.code });
    }
  }

  async #read(message: IncomingMessage, url: URL): Promise<ApiRequest | undefined> {
    const body = await bodyOf(message);
    const target = parseTarget(url.pathname, this.#types);
    const { user, impersonator } = identify(message.headers, this.#tokens, this.authorize);
    if (target === undefined) return undefined;
    const query = url.searchParams;
    const contentType = (message.headers['content-type'] ?? 'application/json').split(';')[0]?.trim() ?? '';
    const verb = findVerb(message.method ?? '', target.name, query, contentType);
    if (verb === undefined)
      throw new ApiError(
        405,
        'MethodNotAllowed',
        'the server does not allow this method on the requested resource',
        {},
      );
    const { apiVersion, kind } = { apiVersion: apiVersionIn(url.pathname), kind: target.type.kind };
    return {
      method: message.method ?? '',
      path: url.pathname + url.search,
      verb,
      ...target,
      apiVersion,
      kind,
      query,
      user,
      impersonator,
      dryRun: query.getAll('dryRun').includes('All') || dryRunOf(verb, body),
      manager: query.get('fieldManager') ?? message.headers['user-agent']?.split('/')[0] ?? 'unknown',
      contentType,
      body,
    };
  }

  async #answer(request: ApiRequest, response: ServerResponse): Promise<void> {
    const { type, verb, namespace, name } = request;
    await this.onRequest?.(request, 'before');
    this.#checkAccess(request, accessVerb(verb));
    // For a missing object, an apply is a creation.
    const isMissing = verb === 'apply' && this.#objects.find(type, namespace, name) === undefined;
    if (isMissing && request.subresource === '') this.#checkAccess(request, 'create');
    const fault = this.faults.take(request);
    if (fault !== undefined && 'hold' in fault) await fault.hold;
    if (fault !== undefined && 'status' in fault) throw toApiError(fault);
    if (isDrop(fault, 'before')) return this.#drop(request, response);
    if (verb === 'watch') {
      const watch = new Watch(request, this.#store, response, fault);
      this.#watches.add(watch);
      response.once('close', () => this.#watches.delete(watch));
      this.requests.push({ ...request, status: 200 });
      return;
    }
    const warnings: string[] = [];
    const { status, body } = this.#perform(request, warnings);
    await this.onRequest?.(request, 'after');
    if (isDrop(fault, 'after')) return this.#drop(request, response);
    for (const warning of warnings) response.appendHeader('warning', `299 - ${JSON.stringify(warning)}`);
    // Before the response: a client with a response can rely on the log.
    this.requests.push({ ...request, status });
    send(response, status, body);
  }

  #checkAccess(request: ApiRequest, verb: string): void {
    const { type, user, name, subresource } = request;
    const resource = subresource === '' ? type.plural : `${type.plural}/${subresource}`;
    const question = { user, verb, group: type.group, resource, namespace: accessNamespace(request), name };
    if (this.authorize(question)) return;
    const details = {
      ...(name !== '' && { name }),
      ...(type.group !== '' && { group: type.group }),
      kind: type.plural,
    };
    throw new ApiError(403, 'Forbidden', refusal(type, question), details);
  }

  #drop(request: ApiRequest, response: ServerResponse): void {
    this.requests.push({ ...request, status: 0 });
    response.destroy();
  }

  #perform(request: ApiRequest, warnings: string[]): { readonly status: number; readonly body: JsonObject } {
    const { verb, type, namespace, name, subresource, manager, dryRun, query } = request;
    const strict = query.get('fieldValidation') === 'Strict';
    const write: Write = { type, namespace, name, subresource, manager, dryRun, strict, warnings };
    const written = ({ object, isNew }: { readonly object: JsonObject; readonly isNew: boolean }) => ({
      status: isNew ? 201 : 200,
      body: inVersion(type, object),
    });
    switch (verb) {
      case 'get':
        return { status: 200, body: inVersion(type, this.#objects.get(type, namespace, name)) };
      case 'list':
        return { status: 200, body: list(request, this.#store) };
      case 'create':
        return written(this.#objects.create(write, jsonOf(request)));
      case 'update':
        return written(this.#objects.update(write, jsonOf(request)));
      case 'patch':
        if (request.contentType !== 'application/merge-patch+json') throw unsupported(request.contentType);
        return written(this.#objects.patch(write, jsonOf(request)));
      case 'apply':
        if (query.get('fieldManager') === null) throw withoutManager();
        return written(this.#objects.apply(write, yamlOf(request), query.get('force') === 'true'));
      case 'delete':
        return this.#delete(request, write);
      case 'deletecollection':
        return this.#deleteAll(request, write);
      case 'watch':
        throw new Error('watches are answered elsewhere');
    }
  }

  #delete(request: ApiRequest, write: Write): { readonly status: number; readonly body: JsonObject } {
    const { type, name, body, query } = request;
    const given = body === '' ? {} : jsonOf(request);
    const preconditions = (given.preconditions ?? {}) as { readonly uid?: string; readonly resourceVersion?: string };
    const grace = given.gracePeriodSeconds ?? query.get('gracePeriodSeconds');
    const { left, gone } = this.#objects.delete(write, {
      ...preconditions,
      propagationPolicy: (given.propagationPolicy as string | undefined) ?? query.get('propagationPolicy') ?? undefined,
      gracePeriodSeconds: grace === null || grace === undefined ? undefined : Number(grace),
    });
    if (left !== undefined || RETURNS_DELETED.includes(type.kind)) return { status: 200, body: inVersion(type, gone) };
    const { uid } = gone.metadata as JsonObject;
    const details = { name, ...(type.group !== '' && { group: type.group }), kind: type.plural, uid };
    return { status: 200, body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details } };
  }

  #deleteAll(request: ApiRequest, write: Write): { readonly status: number; readonly body: JsonObject } {
    const found = list({ ...request, query: selectionOf(request.query) }, this.#store);
    for (const item of found.items as readonly JsonObject[]) {
      const { name, namespace = '' } = item.metadata as { readonly name: string; readonly namespace?: string };
      this.#objects.delete({ ...write, name, namespace }, {});
    }
    return { status: 200, body: found };
  }
}

/** Types whose deletion returns the object, not a `Status`. */
const RETURNS_DELETED: readonly string[] = ['PersistentVolumeClaim', 'Pod', 'Service', 'ServiceAccount'];

const isDrop = (fault: Fault | undefined, when: 'before' | 'after'): boolean =>
  fault !== undefined && 'drop' in fault && fault.drop === when;

const apiVersionIn = (path: string): string =>
  path.startsWith('/api/') ? 'v1' : path.split('/').slice(2, 4).join('/');

/** The response for a path without objects, which differs for built-in groups. */
function nothingAt(path: string): JsonObject | string {
  const isBuiltIn = new ResourceTypes().all.some(type => formatApiVersion(type) === apiVersionIn(path));
  if (!isBuiltIn) return '404 page not found\n';
  return new ApiError(404, 'NotFound', 'the server could not find the requested resource', {}).toStatus();
}

function selectionOf(query: URLSearchParams): URLSearchParams {
  const names = ['labelSelector', 'fieldSelector'];
  return new URLSearchParams([...query].filter(([name]) => names.includes(name)));
}

async function bodyOf(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) {
      throw new ApiError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${MAX_BODY_BYTES}`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function jsonOf({ body }: ApiRequest): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch (error) {
    throw badRequest(`the object provided is unrecognized: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!isObject(value)) throw badRequest('the object provided is unrecognized: must be a JSON object');
  return value;
}

/** The body of an apply as YAML. If it is also JSON, it is parsed as JSON, which is much faster. */
function yamlOf(request: ApiRequest): JsonObject {
  if (request.body.trimStart().startsWith('{')) return jsonOf(request);
  try {
    const value: unknown = parseYaml(request.body);
    if (isObject(value)) return value;
  } catch (error) {
    throw badRequest(`error decoding YAML: ${error instanceof Error ? error.message : String(error)}`);
  }
  throw badRequest('error decoding YAML: must be a map');
}

/** Whether a deletion requests a dry run in its body. */
function dryRunOf(verb: ApiRequest['verb'], body: string): boolean {
  if (verb !== 'delete' || body === '') return false;
  try {
    const { dryRun } = JSON.parse(body) as { readonly dryRun?: readonly string[] };
    return dryRun?.includes('All') === true;
  } catch {
    return false;
  }
}

const unsupported = (contentType: string): ApiError =>
  new ApiError(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: application/merge-patch+json, application/apply-patch+yaml; it was ${contentType}`,
    {},
  );

function withoutManager(): ApiError {
  const message = 'Required value: is required for apply patch';
  return new ApiError(422, 'Invalid', `PatchOptions.meta.k8s.io "" is invalid: fieldManager: ${message}`, {
    group: 'meta.k8s.io',
    kind: 'PatchOptions',
    causes: [{ reason: 'FieldValueRequired', message, field: 'fieldManager' }],
  });
}

function send(response: ServerResponse, status: number, body: JsonObject | string): void {
  const isText = typeof body === 'string';
  response.writeHead(status, { 'content-type': isText ? 'text/plain; charset=utf-8' : 'application/json' });
  response.end(isText ? body : JSON.stringify(body));
}
