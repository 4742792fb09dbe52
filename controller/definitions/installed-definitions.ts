/**
 * Checks whether the cluster's CustomResourceDefinitions are as new as this controller. An operator who upgrades only the image, or the chart
 * without its definitions, gets no error: the API server silently drops unknown fields.
 */
import { API_GROUP, getMember, isObject, STORAGE_VERSION, VERSION } from '#schemas';
import { type Clock, sleep } from '../kube/clock.ts';
import { KubeError } from '../kube/kube-error.ts';
import { findMissingFields, type MissingFields } from './missing-fields.ts';

/** Interval between checks, in milliseconds: each check reads a short document, and the long one only when it changed. */
const CHECK_MS = 60_000;

/** Interval while something is wrong, in milliseconds: an operator who upgrades the definitions wants to see the effect. */
const RETRY_MS = 10_000;

/** Maximum number of fields in the message. */
const MAX_NAMED = 5;

const GROUP_PATH = `apis/${API_GROUP}/${STORAGE_VERSION}`;

export interface InstalledDefinitionsOptions {
  /** Every account may read the API server's own documents (`system:discovery`). */
  readonly client: { readDocument(path: string, signal: AbortSignal): Promise<unknown> };
  readonly clock: Clock;
  /** Called when the problem changes; null when there is none. */
  readonly onChange: (problem: string | null) => void;
  /** Called when the API server cannot be queried; then not again before a query has succeeded. */
  readonly onFailure: (error: unknown) => void;
}

export class InstalledDefinitions {
  readonly #options: InstalledDefinitionsOptions;
  #problem: string | null | undefined;
  #location: string | undefined;
  #hasFailed = false;

  constructor(options: InstalledDefinitionsOptions) {
    this.#options = options;
  }

  /** What the definitions lack and what to do, as one sentence; null when nothing is missing, undefined when unknown. */
  get problem(): string | null | undefined {
    return this.#problem;
  }

  /** Checks repeatedly until the signal is aborted; never fails. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#check(signal);
        this.#hasFailed = false;
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof KubeError)) throw error;
        if (!this.#hasFailed) this.#options.onFailure(error);
        this.#hasFailed = true;
      }
      try {
        await sleep(this.#options.clock, typeof this.#problem === 'string' ? RETRY_MS : CHECK_MS, signal);
      } catch {
        return;
      }
    }
  }

  async #check(signal: AbortSignal): Promise<void> {
    const { client, onChange } = this.#options;
    const location = findLocation(await client.readDocument('/openapi/v3', signal));
    // The URL contains a hash of the document.
    if (location === undefined || location === this.#location) return;
    const missing = findMissingFields(await client.readDocument(location, signal));
    this.#location = location;
    const problem = missing.length === 0 ? null : describeMissing(missing);
    if (problem === this.#problem) return;
    this.#problem = problem;
    onChange(problem);
  }
}

function findLocation(index: unknown): string | undefined {
  const paths = getMember(index, 'paths');
  const location = isObject(paths) ? getMember(paths[GROUP_PATH], 'serverRelativeURL') : undefined;
  return typeof location === 'string' ? location : undefined;
}

function describeMissing(missing: readonly MissingFields[]): string {
  const all = missing.flatMap(({ kind, fields }) => fields.map(field => `${field} of ${kind}`));
  const more = all.length - MAX_NAMED;
  const named = `${all.slice(0, MAX_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return `the CustomResourceDefinitions in the cluster are older than this controller (${VERSION}): they lack ${named}. The API server drops or refuses such a field: apply the definitions of ${VERSION} (\`lintel schema crd\` writes them)`;
}
