/**
 * A client of the official registry API v0.1, written from its public description without Lintel's code. It passes cursors back unchanged, and
 * accepts no response that the description does not allow.
 *
 * @see https://github.com/modelcontextprotocol/registry/blob/main/docs/reference/api/openapi.yaml
 */
import { officialErrors } from '../../runtime/registry-listing/official-api.ts';

export interface ServerResponse {
  readonly server: { readonly name: string; readonly version: string; readonly description: string };
  readonly _meta?: {
    readonly 'io.modelcontextprotocol.registry/official'?: { readonly status?: string; readonly isLatest?: boolean };
  };
}

export interface ServerList {
  readonly servers: readonly ServerResponse[];
  readonly metadata?: { readonly nextCursor?: string | null; readonly count?: number };
}

export interface ListOptions {
  readonly cursor?: string;
  readonly limit?: number;
  readonly search?: string;
  readonly updated_since?: string;
  readonly version?: string;
}

/** An error response of the registry. */
export class RegistryError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export class OfficialClient {
  /** The number of responses. */
  answers = 0;
  readonly #base: string;

  /** @param base URL before `/v0.1` */
  constructor(base: string) {
    this.#base = base;
  }

  /** GET /v0.1/servers */
  list(options: ListOptions = {}): Promise<ServerList> {
    const query = new URLSearchParams(
      Object.entries(options).map(([name, value]): [string, string] => [name, String(value)]),
    );
    return this.#get(`/v0.1/servers?${query}`, 'ServerList');
  }

  /** All pages of a listing: each request has the cursor of the previous page, until there is none. */
  async *pages(options: ListOptions = {}): AsyncGenerator<ServerList> {
    let cursor: string | null | undefined;
    do {
      const page = await this.list(cursor ? { ...options, cursor } : options);
      yield page;
      cursor = page.metadata?.nextCursor;
    } while (cursor);
  }

  /** GET /v0.1/servers/{serverName}/versions */
  versions(name: string): Promise<ServerList> {
    return this.#get(`/v0.1/servers/${encodeURIComponent(name)}/versions`, 'ServerList');
  }

  /** GET /v0.1/servers/{serverName}/versions/{version} */
  version(name: string, version: string): Promise<ServerResponse> {
    const path = `/v0.1/servers/${encodeURIComponent(name)}/versions/${encodeURIComponent(version)}`;
    return this.#get(path, 'ServerResponse');
  }

  async #get<T>(path: string, type: 'ServerList' | 'ServerResponse'): Promise<T> {
    const response = await fetch(`${this.#base}${path}`);
    const contentType = response.headers.get('content-type') ?? '';
    if (!/^application\/(?:problem\+)?json\b/.test(contentType)) throw new Error(`${path} came as ${contentType}`);
    const body = (await response.json()) as { readonly error?: unknown };
    if (response.status !== 200) {
      if (typeof body.error !== 'string') throw new Error(`${path}: ${response.status} without an error in words`);
      throw new RegistryError(response.status, body.error);
    }
    const errors = officialErrors(type, body);
    if (errors.length > 0) throw new Error(`${path} is not of the official API: ${errors.slice(0, 5).join('; ')}`);
    this.answers += 1;
    return body as T;
  }
}
