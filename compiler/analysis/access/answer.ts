/** The answer of `lintel can`: whether a caller may use an item. */
import { compareText } from '#schemas';
import { type CedarAction, type CedarCaller, type CedarTarget, declaresArgument, listUriVariants } from '#shared/plan';
import { formatList } from '../../text/describe.ts';
import { locatePolicyText } from '../cedar/locate-text.ts';
import { getReach } from '../exposure/reach.ts';
import { formatCondition } from '../exposure/readable-condition.ts';
import type { GatewayModel } from '../gateway/model.ts';
import {
  type Admission,
  authenticateCaller,
  type Claims,
  type EvaluationContext,
  toAdmittingServer,
} from './admission.ts';
import { ANSWER_FORMAT_VERSION } from './answer-format.ts';
import { findTarget, type TargetLookup } from './find-target.ts';
import { describeIdleClaims, describeIdleGroups } from './idle-claims.ts';
import {
  type CallArguments,
  type GatewayPolicies,
  isPermitted,
  namePolicy,
  type PolicyDecision,
  preparePolicies,
} from './policies.ts';
import { listUnspecifiedClaims } from './unspecified-claims.ts';

export interface AccessQuestion {
  readonly action: CedarAction;
  /** The name that clients see, or the URI. */
  readonly name: string;
  /** The arguments of the call; undefined when the caller passes none. */
  readonly args: CallArguments | undefined;
  /** The claims of the caller's token; undefined for a caller without a token. */
  readonly claims: Claims | undefined;
  /** Whether the claims were chosen for this question. Claims copied from a whole token may include some that no policy reads. */
  readonly areClaimsChosen?: boolean;
}

export interface AccessAnswer {
  readonly formatVersion: typeof ANSWER_FORMAT_VERSION;
  readonly gateway: { readonly namespace: string; readonly name: string };
  /** The value of `sub`, or `anonymous` for an unauthenticated caller. */
  readonly caller: string;
  readonly action: CedarAction;
  readonly name: string;
  readonly decision: 'allowed' | 'denied' | 'undecided';
  /** Whether lists show the item to this caller; null when unknown. */
  readonly listed: boolean | null;
  readonly reason: Reason;
  readonly notes: readonly string[];
}

export type Reason =
  | PolicyDecision
  /** Authentication refuses the caller. */
  | { readonly type: 'not-admitted'; readonly causes: readonly string[] }
  /** The gateway refuses such arguments before it evaluates policies. */
  | { readonly type: 'refused-arguments'; readonly cause: string }
  /** The item exists, but clients cannot request it. */
  | { readonly type: 'withheld'; readonly cause: string }
  /** Why the compiler cannot decide. */
  | { readonly type: 'unknown'; readonly cause: string };

/** The gateway has no item of this name: the question has a mistake. */
export interface UnknownName {
  readonly decision: 'no-such-name';
  readonly nearest: string | undefined;
}

/** The same model, question and context give the same answer. */
export function decideAccess(
  gateway: GatewayModel,
  question: AccessQuestion,
  context: EvaluationContext,
): AccessAnswer | UnknownName {
  const found = findTarget(gateway, question.action, question.name);
  if (found.type === 'unknown') return { decision: 'no-such-name', nearest: found.nearest };
  const admission = authenticateCaller(toAdmittingServer(gateway), question.claims, context);
  const caller = admission.caller?.subject ?? ANONYMOUS;
  const { notes, ...verdict } = answerTarget(gateway, question, found, admission);
  const unsaid = listUnspecifiedClaims(gateway, question.claims, context);
  const areChosen = question.areClaimsChosen === true;
  const idle = [describeIdleClaims, describeIdleGroups].flatMap(notesOf =>
    notesOf(gateway, question.claims, areChosen),
  );
  const workflows = verdict.decision === 'denied' ? describeWorkflows(gateway, caller, question, context) : [];
  return answer(gateway.resource, question, caller, {
    ...verdict,
    notes: [...idle, ...describeUnspecified(unsaid), ...notes, ...workflows],
  });
}

/** Names the workflows through which the caller reaches a tool that it cannot call directly. */
function describeWorkflows(
  gateway: GatewayModel,
  caller: string,
  question: AccessQuestion,
  context: EvaluationContext,
): readonly string[] {
  if (question.action !== 'call_tool') return [];
  const calling = gateway.composites.filter(({ calls }) =>
    calls.some(({ target }) => target.type === 'tool' && target.tool.name === question.name),
  );
  const reached = calling.filter(({ name }) => {
    const found = decideAccess(gateway, { ...question, name, args: undefined }, context);
    return found.decision === 'allowed' || (found.decision === 'denied' && found.listed === true);
  });
  if (reached.length === 0) return [];
  const names = reached.map(({ name }) => name).sort(compareText);
  const workflows = names.length === 1 ? 'workflow' : 'workflows';
  return [
    `${caller} reaches it through the ${workflows} ${formatList(names)}, whose steps are not subject to policies`,
  ];
}

/** Notes about claims that every token has, and whose values the question does not give. Only policies that read them may decide otherwise. */
function describeUnspecified(unsaid: readonly string[]): readonly string[] {
  if (unsaid.length === 0) return [];
  return [
    `policies look at ${formatList(unsaid)}, which a token has and these claims lack: for a real token they may decide differently`,
  ];
}

/** The answer about a gateway whose policies cannot be read. */
export function createUndecidedAnswer(gateway: GatewayName, question: AccessQuestion, cause: string): AccessAnswer {
  const subject = question.claims?.sub;
  return answer(gateway, question, typeof subject === 'string' ? subject : ANONYMOUS, {
    decision: 'undecided',
    listed: null,
    reason: { type: 'unknown', cause },
    notes: [],
  });
}

const ANONYMOUS = 'anonymous';

type GatewayName = AccessAnswer['gateway'];

function answer(
  { namespace, name }: GatewayName,
  question: AccessQuestion,
  caller: string,
  answerTarget: TargetAnswer,
): AccessAnswer {
  return {
    formatVersion: ANSWER_FORMAT_VERSION,
    gateway: { namespace, name },
    caller,
    action: question.action,
    name: question.name,
    ...answerTarget,
  };
}

type AnswerableTarget = Extract<TargetLookup, { readonly type: 'offered' | 'unchecked' }>;
type WithheldTarget = Extract<TargetLookup, { readonly type: 'withheld' }>;
type TargetAnswer = Pick<AccessAnswer, 'decision' | 'listed' | 'reason' | 'notes'>;

function answerTarget(
  gateway: GatewayModel,
  question: AccessQuestion,
  found: AnswerableTarget | WithheldTarget,
  { caller, refusals, notes }: Admission,
): TargetAnswer {
  if (found.type === 'withheld') {
    return { decision: 'denied', listed: false, reason: { type: 'withheld', cause: found.why }, notes };
  }
  const policies = preparePolicies(gateway);
  if (policies === undefined && refusals.length === 0) {
    const cause = 'the policies of the gateway are not in the sources';
    return { decision: 'undecided', listed: null, reason: { type: 'unknown', cause }, notes };
  }
  const refused: TargetAnswer = {
    decision: 'denied',
    listed: false,
    reason: { type: 'not-admitted', causes: refusals },
    notes,
  };
  if (policies === undefined) return refused;
  const decided = decideByPolicies(policies, gateway, question, found, caller);
  if (refusals.length === 0) return { ...decided, notes: [...notes, ...decided.notes] };
  // Even for a refused caller it helps to know what the policies alone would decide.
  const alone =
    decided.decision === 'allowed'
      ? 'the policies alone would permit it'
      : 'the policies alone would not permit it either';
  return caller === undefined || decided.decision === 'undecided' ? refused : { ...refused, notes: [...notes, alone] };
}

function decideByPolicies(
  policies: GatewayPolicies,
  gateway: GatewayModel,
  question: AccessQuestion,
  found: AnswerableTarget,
  caller: CedarCaller | undefined,
): TargetAnswer {
  const { action, args = {} } = question;
  const [target, ...others]: readonly [CedarTarget, ...CedarTarget[]] =
    found.type === 'offered' ? [found.target] : found.targets;
  const listed = policies.lists(caller, action, target);
  const refused = decideRefusedRead(policies, action, found, caller);
  const reason = refused?.decision ?? policies.decide(caller, action, target, args);
  const permitted = isPermitted(reason);
  // An item that lists hide is refused before its arguments are checked.
  const ambiguity = listed || permitted ? findAmbiguity(policies, question, found, permitted) : undefined;
  if (ambiguity !== undefined) return { ...ambiguity, listed: found.type === 'offered' ? listed : null, notes: [] };
  if (
    found.type === 'unchecked' &&
    others.some(other => isPermitted(policies.decide(caller, action, other, args)) !== permitted)
  ) {
    const cause = `${found.why}; the policies look at its annotations, which \`lintel lock\` finds out`;
    return { decision: 'undecided', listed: null, reason: { type: 'unknown', cause }, notes: [] };
  }
  // Policies may permit a tool that does not exist: a tool that the lock does not have is denied.
  if (found.type === 'unchecked' && permitted && !found.isHandedOn) {
    const cause = `${found.why}: \`lintel lock\` finds out`;
    return { decision: 'undecided', listed: null, reason: { type: 'unknown', cause }, notes: wouldPermit(reason) };
  }
  return {
    decision: permitted ? 'allowed' : 'denied',
    listed: found.type === 'offered' ? listed : null,
    reason,
    notes: [
      ...(found.type === 'unchecked' ? [found.why] : []),
      ...(refused === undefined
        ? []
        : [`a server may read it as ${refused.uri}, and the policies decide about that URI as well`]),
      ...(reason.type === 'no-permit' ? permitNotes(gateway, question, found) : []),
      ...(listed && !permitted ? [describeArguments(question)] : []),
    ],
  };
}

function wouldPermit(decision: PolicyDecision): readonly string[] {
  if (decision.type !== 'permit')
    return ['if it does, every caller that the gateway accepts may use it: the gateway has no policies'];
  return decision.policies.map(policy => `if it does, ${namePolicy(policy)} permits it`);
}

/** The outcome for arguments that the gateway refuses, or would refuse for a tool that does not declare them. */
function findAmbiguity(
  policies: GatewayPolicies,
  { action, args = {} }: AccessQuestion,
  found: AnswerableTarget,
  isPermittedOtherwise: boolean,
): Pick<TargetAnswer, 'decision' | 'reason'> | undefined {
  if (found.type === 'offered') {
    const cause = policies.findAmbiguity(action, args, name => declaresArgument(action, found.definition, name));
    return cause === undefined ? undefined : { decision: 'denied', reason: { type: 'refused-arguments', cause } };
  }
  const always = policies.findAmbiguity(action, args, () => true);
  if (always !== undefined) return { decision: 'denied', reason: { type: 'refused-arguments', cause: always } };
  const undeclared = policies.findAmbiguity(action, args, () => false);
  if (undeclared === undefined || !isPermittedOtherwise) return undefined;
  const cause = `${found.why}; ${undeclared}, unless it is declared so, which \`lintel lock\` finds out`;
  return { decision: 'undecided', reason: { type: 'unknown', cause } };
}

/** A URI that no list has may be read differently by the server than by policies: the reading that is refused. */
function decideRefusedRead(
  policies: GatewayPolicies,
  action: CedarAction,
  found: AnswerableTarget,
  caller: CedarCaller | undefined,
): { readonly uri: string; readonly decision: PolicyDecision } | undefined {
  if (action !== 'read_resource' || found.type !== 'unchecked') return undefined;
  const [{ name }] = found.targets;
  if (!isPermitted(policies.decide(caller, action, { name }, {}))) return undefined;
  for (const uri of listUriVariants(name)) {
    const decision = policies.decide(caller, action, { name: uri }, {});
    if (!isPermitted(decision)) return { uri, decision };
  }
  return undefined;
}

/** The permits that put a condition on the caller or the call, with the condition. */
function permitNotes(
  gateway: GatewayModel,
  { action, name }: AccessQuestion,
  found: AnswerableTarget,
): readonly string[] {
  if (found.type !== 'offered') return [];
  const access = getReach(gateway).authorization?.getAccess(action, { name, definition: found.definition });
  if (access?.type !== 'some') return [];
  const permits = access.permits.map(({ policy, text, location: { source, offset, length } }) => {
    const { file, range } = locatePolicyText(source, { offset, length });
    const placed = { name: policy, file, line: range.start.line, column: range.start.column };
    return `${namePolicy(placed)} would permit it where ${formatCondition(text)}`;
  });
  const rest = permits.length - MAX_PERMITS;
  return rest > 0
    ? [...permits.slice(0, MAX_PERMITS), `${rest} more policies would permit it to other callers`]
    : permits;
}

/** The most permits that an answer names. */
const MAX_PERMITS = 5;

function describeArguments({ args }: AccessQuestion): string {
  return args === undefined
    ? 'lists show it, because the decision depends on the arguments: pass them with --args'
    : 'lists show it, because other arguments may be permitted';
}
