/** Failures that a test requests: those of an API server and of the network to it. */
import { ApiError } from './api-error.ts';
import type { ApiRequest } from './request.ts';

export type Fault =
  /** A response in place of the effect. */
  | {
      readonly status: 403 | 409 | 410 | 422 | 429 | 500 | 503 | 504;
      readonly retryAfter?: number;
      readonly message?: string;
    }
  /** The connection closes `before` the effect, or `after` it and without a response. */
  | { readonly drop: 'before' | 'after' }
  /** Nothing happens until the promise resolves; then the request continues. A promise that never resolves is a server that never responds. */
  | { readonly hold: Promise<unknown> }
  /** A watch that begins with an ERROR event of 410. */
  | { readonly expireWatch: true }
  /** A watch that ends after a number of events. */
  | { readonly endWatchAfter: number }
  /** A watch that stays open with no events except bookmarks. */
  | { readonly bookmarksOnly: true };

/** Selects requests: all given members must match. */
export interface Matcher {
  readonly verb?: ApiRequest['verb'];
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: 'status' | '';
  readonly dryRun?: boolean;
  readonly when?: (request: ApiRequest) => boolean;
}

interface Rule {
  readonly matcher: Matcher;
  readonly fault: Fault;
  left: number;
}

export class Faults {
  #rules: Rule[] = [];

  /** Applies a fault to the next matching request, or to the next `times` of them. Returns a function that removes the rule. */
  next(matcher: Matcher, fault: Fault, times = 1): () => void {
    const rule: Rule = { matcher, fault, left: times };
    this.#rules.push(rule);
    return () => {
      this.#rules = this.#rules.filter(one => one !== rule);
    };
  }

  /** Applies a fault to each matching request until the rule is removed. */
  each(matcher: Matcher, fault: Fault): () => void {
    return this.next(matcher, fault, Number.POSITIVE_INFINITY);
  }

  clear(): void {
    this.#rules = [];
  }

  /** Rules that have not been applied yet, so that a test can check that its failure occurred. */
  get pending(): number {
    return this.#rules.filter(({ left }) => Number.isFinite(left)).length;
  }

  /** The fault for a request, which counts as applied from then on. */
  take(request: ApiRequest): Fault | undefined {
    const rule = this.#rules.find(({ matcher }) => fits(matcher, request));
    if (rule === undefined) return undefined;
    rule.left--;
    if (rule.left === 0) this.#rules = this.#rules.filter(one => one !== rule);
    return rule.fault;
  }
}

export function fits(matcher: Matcher, request: ApiRequest): boolean {
  const { when, ...values } = matcher;
  return (
    Object.entries(values).every(
      ([field, value]) => value === undefined || request[field as keyof ApiRequest] === value,
    ) && when?.(request) !== false
  );
}

const REASONS = {
  409: ['Conflict', 'the object has been modified; please apply your changes to the latest version and try again'],
  410: ['Expired', 'too old resource version'],
  422: ['Invalid', 'the object is invalid'],
  429: ['TooManyRequests', 'too many requests, please try again later'],
  500: ['InternalError', 'an internal error has occurred'],
  403: ['Forbidden', 'forbidden'],
  503: ['ServiceUnavailable', 'the server is currently unable to handle the request'],
  504: ['Timeout', 'the server did not answer in time'],
} as const;

export function toApiError({ status, message, retryAfter }: Extract<Fault, { status: number }>): ApiError {
  const [reason, text] = REASONS[status];
  const details = retryAfter === undefined ? undefined : { retryAfterSeconds: retryAfter };
  return new ApiError(status, reason, message ?? text, details);
}
