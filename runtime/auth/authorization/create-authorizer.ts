/** Authorization by the Cedar policies of a bundle: default deny, and deny on any failure. */
import { type AuthorizationPlan, type CedarPlan, compareText } from '#schemas';
import {
  buildCedarPrincipal,
  buildCedarRequest,
  type CedarAction,
  type CedarCaller,
  type CedarPrincipal,
  type CedarTarget,
  findUndecidable,
  type NamedArguments,
  selectPolicyArguments,
  TOOL_HINTS,
  toCedarArguments,
} from '#shared/plan';
import type { Logger } from '../../observe/log.ts';
import type { Identity } from '../identity.ts';
import { type Authorizer, type CallerAccess, type Decision, UNLIMITED } from './authorizer.ts';
import { CedarEngine, type PolicySetName } from './cedar-engine.ts';
import { type CallerDecisions, Decisions } from './decisions.ts';
import { toUpstreamCaller } from './upstream-caller.ts';

type CallArguments = Readonly<Record<string, unknown>>;

/** Maximum length of names with cached decisions, in characters: callers can invent arbitrarily long URIs. */
const MAX_REMEMBERED = 512;

const NO_ARGUMENTS: CallArguments = {};

/** No policy decided: none permits, or none could be evaluated. */
const DENIED: Decision = { isPermitted: false, policies: [] };

/** Maximum number of interned decisions. */
const MAX_SHARED = 1_000;

/** A resource that Cedar can decide about for any caller. If Cedar fails on it, the caller's claims are the cause. */
const NEUTRAL: CedarTarget = { name: '' };

/**
 * The authorizer for a bundle.
 *
 * @throws PolicyError for invalid policies or entities, and for a mismatch with the plan
 */
export function createAuthorizer(plan: AuthorizationPlan, log: Logger): Authorizer {
  return plan.engine === 'none' ? UNLIMITED : new CedarAuthorizer(plan, log);
}

class CedarAuthorizer implements Authorizer {
  readonly #plan: CedarPlan;
  readonly #log: Logger;
  readonly #engine: CedarEngine;
  readonly #decisions = new Decisions<Decision>();
  /** Interned decisions, so that equal ones share one object. */
  readonly #shared = new Map<string, Decision>();
  readonly #accesses = new WeakMap<Identity, CedarAccess>();
  readonly #names: ReadonlyMap<string, string>;
  /** Whether some policy reads arguments, so that lists use another policy text. */
  readonly #hasListTexts: boolean;
  /** Failures that were already logged. */
  readonly #logged = new Set<string>();
  #errorCount = 0;

  constructor(plan: CedarPlan, log: Logger) {
    this.#plan = plan;
    this.#log = log;
    this.#engine = new CedarEngine(plan);
    this.#names = new Map(plan.policies.map(({ id, name }) => [id, name]));
    this.#hasListTexts = plan.policies.some(({ listText }) => listText !== undefined);
  }

  get errorCount(): number {
    return this.#errorCount;
  }

  getAccess(identity: Identity): CallerAccess {
    const upstreamToken = this.#findUpstreamToken(identity);
    let access = this.#accesses.get(identity);
    if (access === undefined || access.upstreamToken !== upstreamToken) {
      access = new CedarAccess(this, identity, upstreamToken);
      this.#accesses.set(identity, access);
    }
    return access;
  }

  /** Whether the action has arguments that some policy reads. */
  looksAtArguments(action: CedarAction): boolean {
    return this.#hasListTexts && action !== 'read_resource';
  }

  /** The arguments that some policy reads. */
  get namedArguments(): NamedArguments {
    return this.#engine.named;
  }

  /** Undefined for a caller whose decisions cannot be cached. */
  findDecisions(principal: CedarPrincipal): CallerDecisions<Decision> | undefined {
    try {
      return this.#decisions.get(principal);
    } catch {
      return undefined; // Claims that are nested too deeply.
    }
  }

  remember(decisions: CallerDecisions<Decision>, about: string, decision: Decision): void {
    this.#decisions.remember(decisions, about, decision);
  }

  /** The caller as the principal of policies; undefined if it cannot be determined. */
  findPrincipal({ caller }: Identity): CedarPrincipal | undefined {
    const { primaryUpstream: upstream } = this.#plan;
    let described: CedarCaller | undefined = caller;
    if (caller !== undefined && upstream !== undefined) {
      described = toUpstreamCaller(caller, caller.upstreamTokens.get(upstream));
      if (described === undefined) return undefined;
    }
    try {
      return buildCedarPrincipal(described, this.#plan, this.#engine.reads);
    } catch {
      return undefined; // Claims that are nested too deeply.
    }
  }

  /** Why `findPrincipal` returned none. */
  get whyNoPrincipal(): string {
    const { primaryUpstream: upstream } = this.#plan;
    return upstream === undefined
      ? 'a caller whose claims are nested too deeply'
      : `a caller without a token of upstream "${upstream}" that names a subject`;
  }

  /** The caller's current upstream token: the upstream may renew it, and the new token may have other claims. */
  #findUpstreamToken({ caller }: Identity): string | undefined {
    const { primaryUpstream: upstream } = this.#plan;
    return upstream === undefined ? undefined : caller?.upstreamTokens.get(upstream)?.accessToken;
  }

  /** Undefined when Cedar cannot answer. */
  decide(
    set: PolicySetName,
    principal: CedarPrincipal,
    action: CedarAction,
    target: CedarTarget,
    args: CallArguments,
  ): Decision | undefined {
    const answer = this.#engine.ask(set, buildCedarRequest(this.#plan, principal, action, target, args));
    if (answer === undefined) return undefined;
    if (answer.type === 'failure') {
      this.logFailure('a request that the policies cannot evaluate', answer.errors[0]?.message);
      return DENIED;
    }
    const { decision, diagnostics } = answer.response;
    // Errors deny in lists as well as in calls: the list variant of a policy fails only if the policy fails with all arguments.
    if (diagnostics.errors.length === 0) return this.#createDecision(decision === 'allow', diagnostics.reason);
    for (const { policyId, error } of diagnostics.errors) {
      this.#logOnce(`policy "${this.#names.get(policyId) ?? policyId}" could not be evaluated`, error.message);
    }
    this.#errorCount++;
    return this.#createDecision(
      false,
      diagnostics.errors.map(({ policyId }) => policyId),
    );
  }

  #createDecision(isPermitted: boolean, ids: readonly string[]): Decision {
    const policies = ids.map(id => this.#names.get(id) ?? id).sort(compareText);
    const key = JSON.stringify([isPermitted, ...policies]);
    const known = this.#shared.get(key);
    if (known !== undefined) return known;
    const decision = { isPermitted, policies };
    if (this.#shared.size < MAX_SHARED) this.#shared.set(key, decision);
    return decision;
  }

  /** Counts a failed decision. */
  logFailure(what: string, detail?: string): void {
    this.#errorCount++;
    this.#logOnce(what, detail);
  }

  /** Logs each cause once. The detail may contain caller input, so it is logged at debug level only. */
  #logOnce(what: string, detail: string | undefined): void {
    if (this.#logged.has(what)) return;
    this.#logged.add(what);
    this.#log.warn(`denied: ${what}; /status counts how often`);
    if (detail !== undefined) this.#log.debug({ detail }, what);
  }
}

class CedarAccess implements CallerAccess {
  readonly isUnlimited = false;
  /** The upstream token from which policies take the claims, if not the caller's own. */
  readonly upstreamToken: string | undefined;
  readonly #authorizer: CedarAuthorizer;
  readonly #identity: Identity;
  #decisions: CallerDecisions<Decision> | undefined;
  #principal: CedarPrincipal | undefined;
  /** Cedar fails on every request of this caller, so it is not called again: each failure costs a new instance of Cedar. */
  #isUndecidable = false;

  constructor(authorizer: CedarAuthorizer, identity: Identity, upstreamToken: string | undefined) {
    this.#authorizer = authorizer;
    this.#identity = identity;
    this.upstreamToken = upstreamToken;
  }

  mayCall(action: CedarAction, target: CedarTarget, args: () => CallArguments): boolean {
    return this.decideCall(action, target, args).isPermitted;
  }

  decideCall(action: CedarAction, target: CedarTarget, args: () => CallArguments): Decision {
    if (!this.#authorizer.looksAtArguments(action)) return this.#recallDecision('calls', action, target);
    const policyArguments = selectPolicyArguments(target, args(), this.namedArguments);
    if (policyArguments.type === 'asked') return this.#recallDecision('calls', action, target, policyArguments.args);
    this.#authorizer.logFailure(policyArguments.problem);
    return DENIED;
  }

  maySee(action: CedarAction, target: CedarTarget): boolean {
    return this.decideView(action, target).isPermitted;
  }

  decideView(action: CedarAction, target: CedarTarget): Decision {
    return this.#recallDecision(this.#authorizer.looksAtArguments(action) ? 'lists' : 'calls', action, target);
  }

  get namedArguments(): NamedArguments {
    return this.#authorizer.namedArguments;
  }

  #recallDecision(set: PolicySetName, action: CedarAction, target: CedarTarget, args?: CallArguments): Decision {
    const what = `${action}${formatHints(target.annotations)}`;
    const about = args === undefined ? `${what} ${target.name}` : `${what}(${formatCall(target, args)}`;
    const decisions = about.length > MAX_REMEMBERED ? undefined : this.#getDecisions();
    const known = decisions?.known.get(about);
    if (known !== undefined) return known;
    const decision = this.#decide(set, action, target, args ?? NO_ARGUMENTS);
    if (decisions !== undefined) this.#authorizer.remember(decisions, about, decision);
    return decision;
  }

  #getDecisions(): CallerDecisions<Decision> | undefined {
    if (this.#decisions === undefined || this.#decisions.isForgotten) {
      this.#principal ??= this.#authorizer.findPrincipal(this.#identity);
      this.#decisions = this.#principal && this.#authorizer.findDecisions(this.#principal);
    }
    return this.#decisions;
  }

  #decide(set: PolicySetName, action: CedarAction, target: CedarTarget, args: CallArguments): Decision {
    const violation = findUndecidable(target, args);
    if (violation !== undefined) {
      this.#authorizer.logFailure(violation);
      return DENIED;
    }
    this.#principal ??= this.#authorizer.findPrincipal(this.#identity);
    if (this.#principal === undefined) {
      this.#authorizer.logFailure(this.#authorizer.whyNoPrincipal);
      return DENIED;
    }
    if (!this.#isUndecidable) {
      const decision = this.#authorizer.decide(set, this.#principal, action, target, args);
      if (decision !== undefined) return decision;
      // Finds out whether the caller's claims or this request made Cedar fail.
      const isNeutralDecided = this.#authorizer.decide(
        'calls',
        this.#principal,
        'read_resource',
        NEUTRAL,
        NO_ARGUMENTS,
      );
      this.#isUndecidable = isNeutralDecided === undefined;
    }
    this.#authorizer.logFailure('a request that Cedar cannot evaluate');
    return DENIED;
  }
}

/** The annotations that policies can read, as one character each. */
function formatHints(annotations: unknown): string {
  if (typeof annotations !== 'object' || annotations === null) return '';
  const stated = annotations as { readonly [name: string]: unknown };
  return TOOL_HINTS.map(hint => (stated[hint] === true ? '+' : stated[hint] === false ? '-' : '?')).join('');
}

/** A key of a call: equal for calls that differ only in arguments that no policy reads. */
function formatCall({ name }: CedarTarget, args: CallArguments): string {
  return JSON.stringify([name, toCedarArguments(args)]);
}
