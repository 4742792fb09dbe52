/** Connections to the API server, according to the current configuration. */
import { type Dispatcher, Pool, ProxyAgent } from 'undici';
import type { KubeConfig } from './config.ts';

const CONNECT_TIMEOUT_MS = 10_000;

/** Connections for calls with a finite response; further calls wait until one is free. */
const CONNECTIONS = 32;

interface Pools {
  /** The values that the pools were created with: when a certificate is rotated, new pools are needed. */
  readonly identity: string;
  readonly calls: Dispatcher;
  /** A separate pool for streams, because open watches would leave no connection for calls. */
  readonly streams: Dispatcher;
}

export interface Line {
  readonly calls: Dispatcher;
  readonly streams: Dispatcher;
  readonly authorization: string | undefined;
}

export class Transport {
  readonly origin: string;
  readonly #config: KubeConfig;
  #pools: Pools | undefined;

  constructor(config: KubeConfig) {
    this.#config = config;
    this.origin = new URL(config.server).origin;
  }

  /**
   * The pool and headers to send with.
   * @throws KubeConfigError
   */
  async line(): Promise<Line> {
    const [authorities, credentials] = await Promise.all([this.#config.authorities(), this.#config.credentials()]);
    const { authorization, certificate, key } = credentials;
    const identity = JSON.stringify([authorities, certificate, key]);
    if (this.#pools?.identity !== identity) {
      const previous = this.#pools;
      const tls = {
        timeout: CONNECT_TIMEOUT_MS,
        rejectUnauthorized: !this.#config.isInsecure,
        ...(authorities === undefined ? {} : { ca: authorities }),
        ...(certificate === undefined || key === undefined ? {} : { cert: certificate, key }),
        ...(this.#config.serverName === undefined ? {} : { servername: this.#config.serverName }),
      };
      this.#pools = { identity, calls: this.#open(tls, CONNECTIONS), streams: this.#open(tls, null) };
      // The former pool closes when its running requests have ended.
      void previous?.calls.close();
      void previous?.streams.close();
    }
    const { calls, streams } = this.#pools;
    return { calls, streams, authorization };
  }

  /** Closes every connection. */
  async close(): Promise<void> {
    const pools = this.#pools;
    await Promise.all([pools?.calls.destroy(), pools?.streams.destroy()]);
  }

  #open(tls: object, connections: number | null): Dispatcher {
    // No timeouts here: callers set them, because they know what counts as progress.
    const shared = { allowH2: false, pipelining: 1, headersTimeout: 0, bodyTimeout: 0, connections } as const;
    const { proxyUrl } = this.#config;
    return proxyUrl === undefined
      ? new Pool(this.origin, { ...shared, connect: tls })
      : new ProxyAgent({ ...shared, uri: proxyUrl, requestTls: tls });
  }
}
