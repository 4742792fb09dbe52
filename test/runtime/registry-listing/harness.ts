/** A listing API over sources whose entries a test may replace, and readers for its responses. */
import type { RegistryEntry } from '#schemas';
import {
  ApiError,
  type ApiRequest,
  type ListParameters,
  type PreparedBody,
  type RegistryApi,
} from '../../../runtime/registry/api.ts';
import { createRegistryApi } from '../../../runtime/registry/listing/index.ts';
import type { Snapshot } from '../../../runtime/registry/snapshot.ts';
import { createTestSnapshot } from '../../support/registry-snapshot.ts';

export interface Answer {
  readonly servers: readonly {
    readonly server: RegistryEntry['server'];
    readonly _meta: { readonly [name: string]: { readonly [member: string]: unknown } };
  }[];
  readonly metadata: { readonly count: number; readonly nextCursor?: string };
}

/** One registry, `all`, of all sources in the given order. */
export class Listing {
  readonly api: RegistryApi;
  readonly request: ApiRequest;
  readonly #snapshots = new Map<string, Snapshot>();

  constructor(entriesBySource: { readonly [source: string]: readonly RegistryEntry[] }) {
    const sources = Object.keys(entriesBySource);
    this.request = { registry: 'all', sources };
    for (const source of sources) this.replace(source, entriesBySource[source] ?? []);
    this.api = createRegistryApi([{ name: 'all', sources, claims: null }], () => this.#snapshots);
  }

  /** Sets the entries that the next reading of a source gives. */
  replace(source: string, entries: readonly RegistryEntry[]): void {
    this.#snapshots.set(source, createTestSnapshot(source, entries));
  }

  list(parameters: ListParameters = {}): Answer {
    return read(this.api.servers(this.request, parameters));
  }

  /** Reads all pages; `between` runs after each of them. */
  walk(parameters: ListParameters = {}, between: (page: number) => void = () => {}): string[] {
    const found: string[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < 10_000; page++) {
      const answer: Answer = this.list({ ...parameters, cursor });
      found.push(...listServerNames(answer));
      cursor = answer.metadata.nextCursor;
      if (cursor === undefined) return found;
      between(page);
    }
    throw new Error('the pages do not end');
  }
}

export function read(body: PreparedBody): Answer {
  return JSON.parse(body.bytes.toString()) as Answer;
}

/** `name@version` of each entry. */
export function listServerNames({ servers }: Answer): string[] {
  return servers.map(({ server }) => `${server.name}@${server.version}`);
}

export function entry(name: string, version: string, more: Partial<RegistryEntry> = {}): RegistryEntry {
  const server = { name, version, description: 'Does things', ...more.server };
  return { status: 'active', publishedAt: null, updatedAt: null, ...more, server };
}

/** An entry with members of its `server.json`. */
export function described(name: string, members: { readonly [member: string]: unknown }): RegistryEntry {
  return entry(name, '1.0.0', { server: { name, version: '1.0.0', ...members } });
}

/** The status and the message of the `ApiError` that a call throws. */
export function refusal(call: () => unknown): { readonly status: number; readonly message: string } {
  try {
    call();
  } catch (error) {
    if (error instanceof ApiError) return { status: error.status, message: error.message };
    throw error;
  }
  throw new Error('it was answered');
}
