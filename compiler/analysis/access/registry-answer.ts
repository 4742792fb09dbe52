/** The answer of `lintel can see`: whether a caller may see a registry of a registry server, or the entries of one of its sources. */
import type { RegistryBundle, RegistryPlan } from '#schemas';
import { hasClaims } from '#shared/plan';
import { findNearest } from '#shared/util';
import type { Claims, EvaluationContext } from './admission.ts';
import type { UnknownName } from './answer.ts';
import { ANSWER_FORMAT_VERSION } from './answer-format.ts';
import { admitToRegistry, isOpen, listSeenSources, type RegistryCaller } from './registry-callers.ts';

export interface RegistryQuestion {
  /** The name of a registry, or `REGISTRY/SOURCE` for the entries of a source, as in the matrix. */
  readonly name: string;
  /** The claims of the caller's token; undefined for a caller without a token. */
  readonly claims: Claims | undefined;
}

type ClaimMap = NonNullable<RegistryPlan['claims']>;

export interface RegistryAnswer {
  readonly formatVersion: typeof ANSWER_FORMAT_VERSION;
  /** The registry server. */
  readonly server: { readonly namespace: string; readonly name: string };
  /** The value of `sub`, or `anonymous` for a caller without a token. */
  readonly caller: string;
  readonly action: 'see';
  readonly name: string;
  readonly decision: 'allowed' | 'denied' | 'undecided';
  readonly reason: RegistryReason;
  readonly notes: readonly string[];
}

export type RegistryReason =
  /** Every caller sees the registry or source, with a token or without. */
  | { readonly type: 'open' }
  /** Each caller that the registry server accepts sees everything. */
  | { readonly type: 'no-authorization' }
  | { readonly type: 'super-admin' }
  /** The token has the claims that the registry and the source require. */
  | { readonly type: 'claims' }
  /** `requires` is null for a registry or source without claims, which only super admins see. */
  | { readonly type: 'missing-claims'; readonly of: string; readonly requires: ClaimMap | null }
  | { readonly type: 'not-admitted'; readonly causes: readonly string[] }
  | { readonly type: 'unknown'; readonly cause: string };

const ANONYMOUS = 'anonymous';

/** Answers a question about a registry server, by the same function as the server itself. */
export function decideRegistryAccess(
  bundle: RegistryBundle,
  question: RegistryQuestion,
  context: EvaluationContext,
): RegistryAnswer | UnknownName {
  const found = findRegistry(bundle, question.name);
  if (found === undefined) {
    const names = bundle.registries.flatMap(({ name, sources }) => [name, ...sources.map(one => `${name}/${one}`)]);
    return { decision: 'no-such-name', nearest: findNearest(question.name, names) };
  }
  const caller = admitToRegistry(bundle, question.claims, context);
  const seen = listSeenSources(found.registry, bundle, caller);
  const isSeen = seen !== null && (found.source === undefined || seen.includes(found.source));
  const { hasToken, admission } = caller;
  const ignored =
    hasToken && isOpen(found.registry.name, bundle) ? ['the registry needs no token, so a token changes nothing'] : [];
  return {
    ...toAnswer(bundle, question, caller.admission.caller?.subject ?? ANONYMOUS),
    decision: isSeen ? 'allowed' : 'denied',
    reason: isSeen ? explainSight(found.registry, bundle, caller) : explainDenial(found, bundle, caller, seen !== null),
    notes: [...admission.notes, ...ignored],
  };
}

/** The answer about a registry server whose configuration has errors. */
export function createUndecidedRegistryAnswer(
  server: RegistryAnswer['server'],
  question: RegistryQuestion,
  cause: string,
): RegistryAnswer {
  const subject = question.claims?.sub;
  const caller = typeof subject === 'string' ? subject : ANONYMOUS;
  return {
    ...toAnswer(server, question, caller),
    decision: 'undecided',
    reason: { type: 'unknown', cause },
    notes: [],
  };
}

function toAnswer({ namespace, name }: RegistryAnswer['server'], question: RegistryQuestion, caller: string) {
  return {
    formatVersion: ANSWER_FORMAT_VERSION,
    server: { namespace, name },
    caller,
    action: 'see',
    name: question.name,
  } as const;
}

interface FoundRegistry {
  readonly registry: RegistryPlan;
  /** The source in question; undefined for a question about the registry itself. */
  readonly source: string | undefined;
}

function findRegistry({ registries }: RegistryBundle, name: string): FoundRegistry | undefined {
  const whole = registries.find(registry => registry.name === name);
  if (whole !== undefined) return { registry: whole, source: undefined };
  for (const registry of registries) {
    const source = registry.sources.find(one => `${registry.name}/${one}` === name);
    if (source !== undefined) return { registry, source };
  }
  return undefined;
}

function explainSight(registry: RegistryPlan, bundle: RegistryBundle, { admission }: RegistryCaller): RegistryReason {
  if (isOpen(registry.name, bundle)) return { type: 'open' };
  const { authorization } = bundle;
  if (authorization.type !== 'claims') return { type: 'no-authorization' };
  const claims = admission.caller?.claims ?? {};
  return authorization.roles.superAdmin.some(role => hasClaims(claims, role))
    ? { type: 'super-admin' }
    : { type: 'claims' };
}

function explainDenial(
  { registry, source }: FoundRegistry,
  bundle: RegistryBundle,
  { admission: { refusals } }: RegistryCaller,
  seesRegistry: boolean,
): RegistryReason {
  // The server ignores tokens at an open registry, so it refuses no caller there.
  if (refusals.length > 0 && !isOpen(registry.name, bundle)) return { type: 'not-admitted', causes: refusals };
  if (source === undefined || !seesRegistry)
    return { type: 'missing-claims', of: `registry ${registry.name}`, requires: registry.claims };
  const requires = bundle.sources.find(({ name }) => name === source)?.claims ?? null;
  return { type: 'missing-claims', of: `source ${source}`, requires };
}
