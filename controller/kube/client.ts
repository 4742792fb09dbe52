/**
 * Calls to the API server. Every call says what it was when it fails, is repeated while that is safe and may help, and has limits for
 * time and size.
 *
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/
 */

import type { Dispatcher } from 'undici';
import { LinkedAbort } from '#util';
import { type Clock, sleep, systemClock } from './clock.ts';
import type { KubeConfig } from './config.ts';
import { KubeConfigError } from './config-error.ts';
import { createResponseError, KubeError, type ServiceAccountName } from './kube-error.ts';
import { LineTooLongError, splitLines } from './lines.ts';
import type { RateLimit } from './rate-limit.ts';
import { collectionPath, findResource, objectPath } from './resource-path.ts';
import { Transport } from './transport.ts';
import type {
  ApplyOptions,
  KubeClient,
  KubeObject,
  ListOptions,
  ObjectKey,
  ObjectList,
  ObjectType,
  PatchOptions,
  WatchEvent,
} from './types.ts';

/** Time for one try of a call, in milliseconds; lists are long. */
const CALL_TIMEOUT_MS = 30_000;
const LIST_TIMEOUT_MS = 60_000;

/** Limit on one answer, in bytes: a page of 500 of the largest objects that etcd takes is beyond it, and then the call says so. */
const MAX_ANSWER_BYTES: number = 256 * 1024 * 1024;

/** Limit on one event of a watch, in bytes. Objects are at most about 1.5 MB in etcd; as JSON with managed fields they are longer. */
const MAX_EVENT_BYTES: number = 16 * 1024 * 1024;

const PAGE_OBJECTS = 500;

/** Tries of one call, and the wait before the second; it doubles each time. */
const TRIES = 5;
const FIRST_WAIT_MS = 200;

/** A server that asks for a longer wait gets it from the work queue, not from a call that hangs. */
const LONGEST_WAIT_MS = 10_000;

/** The server ends a watch after this many seconds, and up to twice as many, so that not all watches end at once. */
const WATCH_SECONDS = 300;

export interface KubeClientOptions {
  /** Limit on calls; default none. Shared by all clients that `as` gives. */
  readonly rateLimit?: RateLimit;
  /** Header `User-Agent`: what audit logs show. */
  readonly userAgent: string;
  readonly clock?: Clock;
  /** Between 0 and 1; default `Math.random`. */
  readonly random?: () => number;
  /** After every try: status code, or `<error>` without an answer. */
  readonly onRequest?: (request: { readonly method: string; readonly host: string; readonly code: string }) => void;
  /** What the API server wants people to know, such as a deprecated version. */
  readonly onWarning?: (text: string, call: string) => void;
  /** For tests; default 30 and 60 seconds. */
  readonly timeoutMs?: number;
}

/** A client with connections of its own, which `close` breaks. */
export interface OwnKubeClient extends KubeClient {
  /**
   * A document about the API server itself, such as `/openapi/v3`.
   *
   * @throws KubeError
   */
  readDocument(path: string, signal?: AbortSignal): Promise<unknown>;
  close(): Promise<void>;
}

export function createKubeClient(config: KubeConfig, options: KubeClientOptions): OwnKubeClient {
  return new HttpKubeClient(config, new Transport(config), options, {});
}

/** One call. */
interface Call {
  /** For messages, such as `get Secret ns/name`. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: { readonly [name: string]: string | undefined };
  readonly body?: unknown;
  readonly type?: string;
  /** Doing it twice is the same as doing it once. */
  readonly isRepeatable: boolean;
  readonly timeoutMs?: number;
}

class HttpKubeClient implements OwnKubeClient {
  readonly #config: KubeConfig;
  readonly #transport: Transport;
  readonly #options: KubeClientOptions;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #headers: { readonly [name: string]: string };
  readonly #account: ServiceAccountName | undefined;

  constructor(
    config: KubeConfig,
    transport: Transport,
    options: KubeClientOptions,
    headers: { readonly [name: string]: string },
    account?: ServiceAccountName,
  ) {
    this.#config = config;
    this.#transport = transport;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    this.#headers = headers;
    this.#account = account;
  }

  as(account: ServiceAccountName): KubeClient {
    const { namespace, name } = account;
    // Without groups in the request, the API server adds those that every ServiceAccount has.
    const headers = { ...this.#headers, 'impersonate-user': `system:serviceaccount:${namespace}:${name}` };
    return new HttpKubeClient(this.#config, this.#transport, this.#options, headers, account);
  }

  async close(): Promise<void> {
    await this.#transport.close();
  }

  async get(key: ObjectKey, signal?: AbortSignal): Promise<KubeObject | undefined> {
    try {
      return await this.#object(
        {
          name: `get ${formatKey(key)}`,
          method: 'GET',
          path: objectPath(key, key.namespace, key.name),
          isRepeatable: true,
        },
        signal,
      );
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
  }

  async list(type: ObjectType, options: ListOptions = {}, signal?: AbortSignal): Promise<ObjectList> {
    const limit = options.limit ?? PAGE_OBJECTS;
    try {
      return await this.#pages(type, options, limit, signal);
    } catch (error) {
      // Between two pages the revision that the list is of was forgotten: all at once then, as client-go does.
      if (!(error instanceof KubeError) || error.failure !== 'gone') throw error;
      return await this.#pages(type, options, undefined, signal);
    }
  }

  async #pages(
    type: ObjectType,
    { namespace, labelSelector, fieldSelector }: ListOptions,
    limit: number | undefined,
    signal: AbortSignal | undefined,
  ): Promise<ObjectList> {
    const items: KubeObject[] = [];
    let page: string | undefined;
    for (;;) {
      const answer = await this.#object(
        {
          name: `list ${type.kind}${namespace === undefined ? '' : ` in ${namespace}`}`,
          method: 'GET',
          path: collectionPath(type, namespace),
          query: { labelSelector, fieldSelector, limit: limit?.toString(), continue: page },
          isRepeatable: true,
          timeoutMs: LIST_TIMEOUT_MS,
        },
        signal,
      );
      const { apiVersion, kind } = type;
      // Objects in lists of built-in types do not say what they are.
      for (const item of (answer.items ?? []) as KubeObject[]) items.push({ ...item, apiVersion, kind });
      page = answer.metadata.continue as string | undefined;
      if (page === undefined || page === '') {
        return { items, resourceVersion: answer.metadata.resourceVersion ?? '' };
      }
    }
  }

  async *watch(
    type: ObjectType,
    { namespace, labelSelector, fieldSelector, resourceVersion }: ListOptions & { readonly resourceVersion: string },
    signal: AbortSignal,
  ): AsyncGenerator<WatchEvent> {
    const call: Call = {
      name: `watch ${type.kind}${namespace === undefined ? '' : ` in ${namespace}`}`,
      method: 'GET',
      path: collectionPath(type, namespace),
      query: {
        watch: 'true',
        allowWatchBookmarks: 'true',
        resourceVersion,
        labelSelector,
        fieldSelector,
        timeoutSeconds: String(Math.round(WATCH_SECONDS * (1 + this.#random()))),
      },
      isRepeatable: true,
    };
    await this.#options.rateLimit?.take(signal);
    const answer = await this.#send(call, signal, true);
    // A reader that stops closes the connection, which is no error then.
    answer.body.on('error', () => {});
    try {
      for await (const line of splitLines(answer.body, MAX_EVENT_BYTES)) {
        yield JSON.parse(line) as WatchEvent;
      }
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof SyntaxError || error instanceof LineTooLongError) {
        throw new KubeError(`an event cannot be read: ${error.message}`, { failure: 'unexpected', call: call.name });
      }
      throw this.#unreached(call, error);
    } finally {
      answer.body.destroy();
    }
  }

  async apply(object: KubeObject, options: ApplyOptions, signal?: AbortSignal): Promise<KubeObject> {
    const { fieldManager, force, dryRun, subresource } = options;
    const { name, namespace } = object.metadata;
    return await this.#object(
      {
        name: `${dryRun === true ? 'try to apply' : 'apply'} ${subresource === undefined ? '' : 'status of '}${formatKey({ ...object, name, namespace })}`,
        method: 'PATCH',
        path: `${objectPath(object, namespace, name)}${subresource === undefined ? '' : `/${subresource}`}`,
        query: {
          fieldManager,
          force: force === true ? 'true' : undefined,
          dryRun: dryRun === true ? 'All' : undefined,
        },
        body: object,
        // JSON is YAML.
        type: 'application/apply-patch+yaml',
        isRepeatable: true,
      },
      signal,
    );
  }

  async create(object: KubeObject, signal?: AbortSignal): Promise<KubeObject> {
    const { name, namespace } = object.metadata;
    return await this.#object(
      {
        name: `create ${formatKey({ ...object, name, namespace })}`,
        method: 'POST',
        path: collectionPath(object, needed(object, namespace)),
        body: object,
        isRepeatable: false,
      },
      signal,
    );
  }

  async replace(
    object: KubeObject,
    { subresource }: { readonly subresource?: 'status' } = {},
    signal?: AbortSignal,
  ): Promise<KubeObject> {
    const { name, namespace } = object.metadata;
    return await this.#object(
      {
        name: `replace ${subresource === undefined ? '' : 'status of '}${formatKey({ ...object, name, namespace })}`,
        method: 'PUT',
        path: `${objectPath(object, namespace, name)}${subresource === undefined ? '' : `/${subresource}`}`,
        body: object,
        // Done twice, the second time is a conflict with the first.
        isRepeatable: false,
      },
      signal,
    );
  }

  async patch(
    key: ObjectKey,
    patch: object,
    { subresource, fieldManager, dryRun }: PatchOptions = {},
    signal?: AbortSignal,
  ): Promise<KubeObject> {
    return await this.#object(
      {
        name: `${dryRun === true ? 'try to patch' : 'patch'} ${subresource === undefined ? '' : 'status of '}${formatKey(key)}`,
        method: 'PATCH',
        path: `${objectPath(key, key.namespace, key.name)}${subresource === undefined ? '' : `/${subresource}`}`,
        query: { fieldManager, dryRun: dryRun === true ? 'All' : undefined },
        body: patch,
        type: 'application/merge-patch+json',
        isRepeatable: true,
      },
      signal,
    );
  }

  async delete(
    key: ObjectKey,
    { uid, propagation }: { readonly uid?: string; readonly propagation?: 'Background' | 'Foreground' | 'Orphan' } = {},
    signal?: AbortSignal,
  ): Promise<boolean> {
    try {
      await this.#object(
        {
          name: `delete ${formatKey(key)}`,
          method: 'DELETE',
          path: objectPath(key, key.namespace, key.name),
          body: {
            apiVersion: 'v1',
            kind: 'DeleteOptions',
            ...(uid === undefined ? {} : { preconditions: { uid } }),
            ...(propagation === undefined ? {} : { propagationPolicy: propagation }),
          },
          isRepeatable: true,
        },
        signal,
      );
      return true;
    } catch (error) {
      if (isAbsent(error)) return false;
      throw error;
    }
  }

  async readDocument(path: string, signal?: AbortSignal): Promise<unknown> {
    const call: Call = { name: `read ${path}`, method: 'GET', path, isRepeatable: true };
    return await this.#answer(call, signal, parseDocument);
  }

  async #object(call: Call, signal: AbortSignal | undefined): Promise<KubeObject> {
    return await this.#answer(call, signal, parseObject);
  }

  /** A call with an answer, tried until it succeeds or there is no use in it. */
  async #answer<Answer>(
    call: Call,
    signal: AbortSignal | undefined,
    parse: (call: Call, text: string) => Answer,
  ): Promise<Answer> {
    for (let attempt = 1; ; attempt++) {
      await this.#options.rateLimit?.take(signal);
      try {
        return await this.#once(call, signal, parse);
      } catch (error) {
        signal?.throwIfAborted();
        if (!(error instanceof KubeError) || attempt === TRIES) throw error;
        if (error.failure === 'unauthorized' && attempt === 1) {
          // A token may have ended since it was read.
          this.#config.forget();
          continue;
        }
        const isWorthIt = error.isTransient && (call.isRepeatable || error.isUnsent);
        const waitMs = error.retryAfterMs ?? FIRST_WAIT_MS * 2 ** (attempt - 1) * (0.5 + this.#random());
        if (!isWorthIt || waitMs > LONGEST_WAIT_MS) throw error;
        await sleep(this.#clock, waitMs, signal);
      }
    }
  }

  async #once<Answer>(
    call: Call,
    signal: AbortSignal | undefined,
    parse: (call: Call, text: string) => Answer,
  ): Promise<Answer> {
    const timeoutMs = this.#options.timeoutMs ?? call.timeoutMs ?? CALL_TIMEOUT_MS;
    using limit = new LinkedAbort([signal], timeoutMs);
    try {
      const { body } = await this.#send(call, limit.signal, false);
      const text = await textWithin(body, MAX_ANSWER_BYTES);
      if (text === undefined) {
        throw new KubeError(`the answer is longer than ${MAX_ANSWER_BYTES} bytes`, {
          failure: 'unexpected',
          call: call.name,
        });
      }
      return parse(call, text);
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof KubeError || isOurs(error)) throw error;
      if (limit.isLate) {
        throw new KubeError(`no answer of ${this.#transport.origin} within ${timeoutMs} ms`, {
          failure: 'unavailable',
          call: call.name,
        });
      }
      throw this.#unreached(call, error);
    }
  }

  /** Sends, and gives answers of success. @throws KubeError, and whatever the connection fails with */
  async #send(call: Call, signal: AbortSignal, isStream: boolean): Promise<Dispatcher.ResponseData> {
    const { calls, streams, authorization } = await this.#transport.line();
    const { method, body } = call;
    const counted = { method, host: new URL(this.#config.server).host };
    let answer: Dispatcher.ResponseData;
    try {
      answer = await (isStream ? streams : calls).request({
        origin: this.#transport.origin,
        path: new URL(this.#config.server).pathname.replace(/\/$/, '') + call.path + formatQuery(call.query),
        method,
        headers: {
          accept: 'application/json',
          'user-agent': this.#options.userAgent,
          ...(body === undefined ? {} : { 'content-type': call.type ?? 'application/json' }),
          ...(authorization === undefined ? {} : { authorization }),
          ...this.#headers,
        },
        body: body === undefined ? null : JSON.stringify(body),
        signal,
        ...(isStream ? { headersTimeout: CALL_TIMEOUT_MS } : {}),
      });
    } catch (error) {
      this.#options.onRequest?.({ ...counted, code: '<error>' });
      if (!isStream || signal.aborted) throw error;
      throw this.#unreached(call, error);
    }
    this.#options.onRequest?.({ ...counted, code: String(answer.statusCode) });
    this.#warn(call, answer.headers.warning);
    if (answer.statusCode < 300) return answer;
    const text = (await textWithin(answer.body, 1024 * 1024)) ?? '';
    const retryAfter = answer.headers['retry-after'];
    throw createResponseError(
      call.name,
      answer.statusCode,
      text,
      typeof retryAfter === 'string' ? retryAfter : undefined,
      this.#clock.date().getTime(),
      this.#account,
    );
  }

  /** RFC 7234, section 5.5: `299 - "text"`, as API servers write it. */
  #warn(call: Call, header: string | string[] | undefined): void {
    if (header === undefined || this.#options.onWarning === undefined) return;
    for (const value of Array.isArray(header) ? header : [header]) {
      for (const [, text = ''] of value.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)) {
        this.#options.onWarning(text.replaceAll(/\\(.)/g, '$1'), call.name);
      }
    }
  }

  /** The texts of the HTTP library can hold parts of answers; its codes cannot. */
  #unreached(call: Call, error: unknown): Error {
    if (isOurs(error)) return error;
    const code = readErrorCode(error);
    return new KubeError(`cannot reach ${this.#transport.origin}: ${code}`, {
      failure: 'unavailable',
      call: call.name,
      isUnsent: UNSENT.has(code),
    });
  }
}

/** Failures before anything was sent. */
const UNSENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

function readErrorCode(error: unknown): string {
  const { code, cause } = (error ?? {}) as { readonly code?: unknown; readonly cause?: unknown };
  if (typeof code === 'string') return code;
  return cause === undefined ? 'unknown cause' : readErrorCode(cause);
}

/** Mistakes in the configuration say what they are. */
function isOurs(error: unknown): error is Error {
  return error instanceof KubeConfigError || error instanceof KubeError || error instanceof TypeError;
}

function isAbsent(error: unknown): boolean {
  return error instanceof KubeError && error.failure === 'notFound' && !error.isUnserved;
}

function formatKey({ kind, namespace, name }: ObjectKey): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

/** @throws TypeError for a namespaced object without a namespace */
function needed(object: KubeObject, namespace: string | undefined): string | undefined {
  if (namespace === undefined && findResource(object)?.isNamespaced === true) {
    throw new TypeError(`${object.kind} ${object.metadata.name}: its namespace is not known`);
  }
  return namespace;
}

function formatQuery(query: Call['query'] = {}): string {
  const set = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return set.length === 0 ? '' : `?${new URLSearchParams(set)}`;
}

/** Undefined when it is longer. */
async function textWithin(body: AsyncIterable<Buffer>, maxBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length).toString('utf8');
}

function parseDocument(call: Call, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new KubeError('the answer is no JSON', { failure: 'unexpected', call: call.name });
  }
}

function parseObject(call: Call, text: string): KubeObject {
  let value: KubeObject | null = null;
  try {
    value = JSON.parse(text) as KubeObject | null;
  } catch {}
  if (typeof value?.kind !== 'string' || typeof value.metadata !== 'object') {
    throw new KubeError('the answer is no object of Kubernetes', { failure: 'unexpected', call: call.name });
  }
  return value;
}
