/** All objects that were created for one bundle of a registry server. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { formatCanonicalJson, type PrivateDenial } from '#schemas';
import { toIncomingAuthPlan } from '#shared/plan';
import { type CallerPolicy, openCallerPolicy } from '../active-authenticator.ts';
import type { ProviderStatus } from '../auth/incoming/authenticator.ts';
import { BundleError } from '../bundle/bundle-error.ts';
import type { LoadedRegistry } from '../bundle/load.ts';
import type { Route } from '../http/listener.ts';
import type { AuditLog } from '../observe/audit/audit-log.ts';
import type { Logger } from '../observe/log.ts';
import { createRegistryServer, type RegistryServer } from './http/registry-server.ts';
import { createOpenApiDocument, createRegistryApi } from './listing/index.ts';
import type { RequestObserver } from './request-observer.ts';
import { RegistrySources } from './sources/registry-sources.ts';

export interface ServedOptions {
  readonly log: Logger;
  readonly observer: RequestObserver;
  readonly audit: Pick<AuditLog, 'of'>;
  /** The folder in which the last good entries of sources are stored; undefined if they are not stored. */
  readonly stateDir: string | undefined;
  readonly denial: PrivateDenial | undefined;
  /** Web origins whose pages may call, and whose hosts are allowed on a loopback address. */
  readonly allowedOrigins: readonly string[];
}

export class ServedRegistry {
  readonly loaded: LoadedRegistry;
  readonly contents: RegistrySources;
  readonly #policy: CallerPolicy;
  readonly #server: RegistryServer;
  readonly #observer: RequestObserver;
  #running = 0;
  #idle: (() => void) | undefined;

  /**
   * @param previous the instance that is active now; parts whose configuration is the same are shared with it
   * @throws BundleError
   */
  constructor(
    loaded: LoadedRegistry,
    { log, observer, audit, stateDir, denial, allowedOrigins }: ServedOptions,
    previous?: ServedRegistry,
  ) {
    const { bundle, file } = loaded;
    this.loaded = loaded;
    this.#observer = observer;
    const plan = toIncomingAuthPlan(bundle.auth);
    const isSame = previous !== undefined && formatCanonicalJson(plan) === formatCanonicalJson(previous.#policy.plan);
    this.#policy = isSame ? previous.#policy : openCallerPolicy(plan, file, log);
    const { authenticator } = this.#policy;
    try {
      const openapi = createOpenApiDocument(bundle);
      const api = createRegistryApi(bundle.registries, () => this.contents.snapshots);
      this.#server = createRegistryServer({ bundle, authenticator, api, openapi, audit, allowedOrigins });
    } catch (error) {
      if (!isSame) void this.#policy.close();
      throw new BundleError(file, `${(error as Error).message}; upgrade the runtime`, bundle);
    }
    this.contents = new RegistrySources(loaded, { log, stateDir, denial, earlier: previous?.contents });
  }

  /** The status of the identity providers. */
  get providers(): readonly ProviderStatus[] {
    return this.#policy.authenticator.status();
  }

  /** The route of a path as received, without the query. */
  route(path: string): Route {
    const { answer, route } = this.#server.find(path);
    return (req: IncomingMessage, res: ServerResponse) => {
      this.#running++;
      const ended = this.#observer.begin(req, path, route);
      res.once('close', () => {
        this.#running--;
        if (this.#running === 0) this.#idle?.();
        ended(res.headersSent ? res.statusCode : undefined);
      });
      return answer(req, res);
    };
  }

  /**
   * Waits for running requests, then closes all parts that `other` does not use.
   *
   * @param other the instance that replaces this one
   */
  async close(other?: ServedRegistry): Promise<void> {
    if (this.#running > 0) await new Promise<void>(resolve => (this.#idle = resolve));
    await this.contents.close();
    if (other === undefined || this.#policy !== other.#policy) await this.#policy.close();
  }
}
