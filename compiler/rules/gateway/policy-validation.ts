import { findNearest } from '#shared/util';
import { listAttributeUses } from '../../analysis/cedar/attribute-uses.ts';
import { findReadablePolicies, type NamedPolicy } from '../../analysis/cedar/authorization.ts';
import { diagnoseText } from '../../analysis/cedar/locate-text.ts';
import { generateCedarSchema, IDLE_ACTIONS } from '../../analysis/cedar/schema.ts';
import { isShared } from '../../analysis/cedar/shared-policies.ts';
import { type ValidationProblem, validate } from '../../analysis/cedar/validate.ts';
import { collectVocabulary, listDeclaredArguments, type Vocabulary } from '../../analysis/cedar/vocabulary.ts';
import type { GatewayModel } from '../../analysis/gateway/model.ts';
import type { DiagnoseDetails } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';

/**
 * Policies must validate, and must not fail because an attribute is missing.
 *
 * @holds incomingAuth | policies | test optional attributes before they read them, and fit the existing claims, arguments and tools | LNT5002,
 *   LNT5009–LNT5012
 * @holds incomingAuth | policies | have an effect | LNT5004
 * @for gateways, servers
 * @reads sign-in
 */
export function policyValidation(gateway: GatewayModel): Diagnostic[] {
  const set = findReadablePolicies(gateway);
  if (set === undefined) return [];
  const vocabulary = collectVocabulary(gateway, set);
  const found = validate(set.policies, generateCedarSchema(set, vocabulary));
  return [...found].flatMap(([policy, { errors, warnings }]) => {
    if (errors.length + warnings.length === 0) return [];
    // Another gateway with the same policies may have the missing arguments.
    const options: DiagnoseDetails = isShared(gateway, policy.source) ? { severity: 'hint' } : {};
    const ofArgument = (attribute: string) => ({ ...options, ...suggestArgument(attribute, gateway) });
    if (errors.length > 0)
      return deduplicate(errors).map(error => diagnoseError(policy, error, vocabulary, ofArgument));
    return deduplicate(warnings).map(warning => diagnoseWarning(policy, warning, vocabulary, ofArgument));
  });
}

/** Details of a finding about an argument that no tool has. */
type DescribeArgument = (attribute: string) => DiagnoseDetails;

function suggestArgument(attribute: string, gateway: GatewayModel): DiagnoseDetails {
  const declared = listDeclaredArguments(gateway);
  // Of lists and objects, policies only see that they are present.
  const present = `${attribute}_present`;
  const near = declared.includes(present) ? present : findNearest(attribute, declared);
  if (near !== undefined) return { fix: `did you mean ${near}?` };
  const names = [...new Set(declared.map(name => name.replace(/^arg_(.+?)(?:_present)?$/, '$1')))];
  const some = names.length > MOST_ARGUMENTS ? [...names.slice(0, MOST_ARGUMENTS), '…'] : names;
  return {
    help:
      names.length === 0
        ? 'Tools of this gateway declare no arguments'
        : `Tools of this gateway have the arguments ${some.join(', ')}`,
  };
}

/** Arguments that a finding lists. */
const MOST_ARGUMENTS = 12;

/** One finding per position: one `has` guard fixes both an optional attribute of tools and a missing attribute of prompts. */
function deduplicate(problems: readonly ValidationProblem[]): readonly ValidationProblem[] {
  const byPlace = new Map<string, ValidationProblem>();
  for (const problem of problems) {
    const key = `${problem.part.offset}+${problem.part.length}`;
    if (!byPlace.has(key) || UNGUARDED.test(problem.message)) byPlace.set(key, problem);
  }
  return [...byPlace.values()].sort((a, b) => a.part.offset - b.part.offset);
}

const UNGUARDED = /^unable to guarantee safety of access to optional attribute `([^`]+)`/;
const ABSENT = /^attribute `([^`]+)` (on entity type|in context for) .* not found$/;
const UNRECOGNIZED = /^unrecognized (entity type|action) `(.+)`$/;

function diagnoseError(
  policy: NamedPolicy,
  problem: ValidationProblem,
  vocabulary: Vocabulary,
  ofArgument: DescribeArgument,
): Diagnostic {
  const { message, help } = problem;
  const attribute = UNGUARDED.exec(message)?.[1] ?? ABSENT.exec(message)?.[1];
  const isElsewhere = attribute !== undefined && isKnown(attribute, vocabulary);
  if (attribute !== undefined && (UNGUARDED.test(message) || isElsewhere))
    return reportUnguarded(policy, problem, attribute);
  const fix = help === undefined ? undefined : quote(help);
  const details = fix === undefined ? {} : { fix };
  if (UNRECOGNIZED.test(message)) return reportProblem(policy, problem, 'LNT5009', message.replace(/`/g, ''), details);
  if (attribute !== undefined) {
    const isArgument = attribute.startsWith('arg_');
    return reportProblem(
      policy,
      problem,
      'LNT5010',
      formatAbsent(attribute, message),
      isArgument ? ofArgument(attribute) : (suggestClaim(attribute, message) ?? details),
    );
  }
  return reportProblem(policy, problem, 'LNT5011', quote(message), details);
}

/** Replaces backticks by quotes, except around text with quotes of its own, such as `Action::"call_tool"`. */
function quote(text: string): string {
  return text.replace(/`([^`]*)`/g, (_, inner: string) => (inner.includes('"') ? inner : `"${inner}"`));
}

function isKnown(attribute: string, { claims, toolArguments, promptArguments }: Vocabulary): boolean {
  return [claims, toolArguments, promptArguments].some(types => types.has(attribute)) || DESCRIBED.has(attribute);
}

/** Attributes that only some resources have. */
const DESCRIBED: ReadonlySet<string> = new Set(
  'name uri readOnlyHint destructiveHint idempotentHint openWorldHint'.split(' '),
);

function reportUnguarded(policy: NamedPolicy, problem: ValidationProblem, attribute: string): Diagnostic {
  const { offset, length } = problem.part;
  const access = policy.text.slice(offset, offset + length);
  const holder = /^\s*(principal|resource|context)\b/.exec(access)?.[1] ?? describeHolder(problem.message);
  const message = `${holder}.${attribute} may be absent, and then ${policy.name} fails: a gateway denies the request, even if another policy permits it, and plain Cedar skips the ${policy.json.effect}`;
  return reportProblem(policy, problem, 'LNT5002', message, { fix: `${holder} has ${attribute} && …` });
}

function describeHolder(message: string): string {
  if (message.includes('in context for')) return 'context';
  return message.includes('on entity type `Client`') ? 'principal' : 'resource';
}

function formatAbsent(attribute: string, message: string): string {
  const name = /^arg_(.+?)(?:_present)?$/.exec(attribute)?.[1];
  if (name !== undefined) {
    return `no tool of this gateway has a scalar argument "${name}", so there is no ${attribute}`;
  }
  return message.includes('in context for')
    ? `the context has no "${attribute}": it has claim_<name> and arg_<name>`
    : `there is no attribute "${attribute}" on ${/entity type `([^`]+)`/.exec(message)?.[1]}`;
}

/** The fix for a claim that is written without its prefix. The message about an attribute of the context names both prefixes. */
function suggestClaim(attribute: string, message: string): { readonly fix: string } | undefined {
  if (describeHolder(message) !== 'principal' || attribute.startsWith('claim')) return undefined;
  return { fix: `did you mean principal.claim_${attribute}?` };
}

const NEVER = /^(?:policy is impossible|unable to find an applicable action)/;

function diagnoseWarning(
  policy: NamedPolicy,
  problem: ValidationProblem,
  vocabulary: Vocabulary,
  ofArgument: DescribeArgument,
): Diagnostic {
  if (!NEVER.test(problem.message)) return reportProblem(policy, problem, 'LNT5012', quote(problem.message));
  const argument = listAttributeUses(policy.condition)
    .map(({ attr }) => attr)
    .find(attr => attr.startsWith('arg_') && !isKnown(attr, vocabulary));
  const never = `${policy.name} can never apply`;
  if (argument !== undefined)
    return reportProblem(policy, problem, 'LNT5004', `${never}: ${formatAbsent(argument, '')}`, ofArgument(argument));
  const idle = IDLE_ACTIONS.find(action => policy.text.includes(`Action::"${action}"`));
  if (idle === undefined) return reportProblem(policy, problem, 'LNT5004', `${never}: no request matches it`);
  const help = 'Permit call_tool, get_prompt or read_resource: lists show what a caller may use';
  return reportProblem(policy, problem, 'LNT5004', `${never}: no request asks for ${idle}`, { help });
}

type Code = Parameters<typeof diagnoseText>[1];

function reportProblem(
  { source, offset }: NamedPolicy,
  { part }: Pick<ValidationProblem, 'part'>,
  code: Code,
  message: string,
  details: DiagnoseDetails = {},
): Diagnostic {
  return diagnoseText(source, code, { ...part, offset: offset + part.offset }, message, details);
}
