/**
 * Calls to the API server. The error of a failed call names the call.
 *
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/
 */
import { CallSender, type KubeClientOptions } from './call-sender.ts';
import {
  buildApply,
  buildCreate,
  buildDelete,
  buildGet,
  buildList,
  buildPatch,
  buildRead,
  buildReplace,
  buildWatch,
  type Call,
} from './calls.ts';
import type { KubeConfig } from './config.ts';
import { KubeError, type ServiceAccountName } from './kube-error.ts';
import { parseDocument, parseObject } from './read-answer.ts';
import type {
  ApplyOptions,
  DeleteOptions,
  KubeClient,
  KubeObject,
  ListOptions,
  ObjectKey,
  ObjectList,
  ObjectType,
  PatchOptions,
  WatchEvent,
} from './types.ts';

export type { KubeClientOptions };

const PAGE_OBJECTS = 500;

/** A client with its own connections, which `close` closes. */
export interface DisposableKubeClient extends KubeClient {
  /**
   * A document of the API server itself, such as `/openapi/v3`.
   * @throws KubeError
   */
  readDocument(path: string, signal?: AbortSignal): Promise<unknown>;
  close(): Promise<void>;
}

export function createKubeClient(config: KubeConfig, options: KubeClientOptions): DisposableKubeClient {
  return new HttpKubeClient(new CallSender(config, options));
}

class HttpKubeClient implements DisposableKubeClient {
  readonly #sender: CallSender;

  constructor(sender: CallSender) {
    this.#sender = sender;
  }

  as(account: ServiceAccountName): KubeClient {
    return new HttpKubeClient(this.#sender.as(account));
  }

  async close(): Promise<void> {
    await this.#sender.close();
  }

  async get(key: ObjectKey, signal?: AbortSignal): Promise<KubeObject | undefined> {
    try {
      return await this.#send(buildGet(key), signal);
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
  }

  async list(type: ObjectType, options: ListOptions = {}, signal?: AbortSignal): Promise<ObjectList> {
    try {
      return await this.#listPages(type, { ...options, limit: options.limit ?? PAGE_OBJECTS }, signal);
    } catch (error) {
      // The server no longer has the list's resourceVersion between two pages: everything is listed in one request, as client-go does.
      if (!(error instanceof KubeError) || error.failure !== 'gone') throw error;
      return await this.#listPages(type, { ...options, limit: undefined }, signal);
    }
  }

  async #listPages(type: ObjectType, options: ListOptions, signal: AbortSignal | undefined): Promise<ObjectList> {
    const { apiVersion, kind } = type;
    const items: KubeObject[] = [];
    let page: string | undefined;
    for (;;) {
      const answer = await this.#send(buildList(type, options, page), signal);
      // Objects in lists of built-in types lack apiVersion and kind.
      for (const item of (answer.items ?? []) as KubeObject[]) items.push({ ...item, apiVersion, kind });
      page = answer.metadata.continue as string | undefined;
      if (page === undefined || page === '') {
        return { items, resourceVersion: answer.metadata.resourceVersion ?? '' };
      }
    }
  }

  watch(
    type: ObjectType,
    options: ListOptions & { readonly resourceVersion: string },
    signal: AbortSignal,
  ): AsyncGenerator<WatchEvent> {
    const call = buildWatch(type, options, this.#sender.random());
    return this.#sender.stream(call, signal) as AsyncGenerator<WatchEvent>;
  }

  async apply(object: KubeObject, options: ApplyOptions, signal?: AbortSignal): Promise<KubeObject> {
    return await this.#send(buildApply(object, options), signal);
  }

  async create(object: KubeObject, signal?: AbortSignal): Promise<KubeObject> {
    return await this.#send(buildCreate(object), signal);
  }

  async replace(
    object: KubeObject,
    { subresource }: { readonly subresource?: 'status' } = {},
    signal?: AbortSignal,
  ): Promise<KubeObject> {
    return await this.#send(buildReplace(object, subresource), signal);
  }

  async patch(key: ObjectKey, patch: object, options: PatchOptions = {}, signal?: AbortSignal): Promise<KubeObject> {
    return await this.#send(buildPatch(key, patch, options), signal);
  }

  async delete(key: ObjectKey, options: DeleteOptions = {}, signal?: AbortSignal): Promise<boolean> {
    try {
      await this.#send(buildDelete(key, options), signal);
      return true;
    } catch (error) {
      if (isAbsent(error)) return false;
      throw error;
    }
  }

  async readDocument(path: string, signal?: AbortSignal): Promise<unknown> {
    return await this.#sender.send(buildRead(path), signal, parseDocument);
  }

  async #send(call: Call, signal: AbortSignal | undefined): Promise<KubeObject> {
    return await this.#sender.send(call, signal, parseObject);
  }
}

function isAbsent(error: unknown): boolean {
  return error instanceof KubeError && error.failure === 'notFound' && !error.isUnserved;
}
