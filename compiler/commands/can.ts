import type { CedarAction } from '#shared/plan';
import {
  type AccessAnswer,
  type AccessQuestion,
  ANSWER_RENDERERS,
  type AnswerFormat,
  createUndecidedAnswer,
  decideAccess,
} from '../analysis/access/index.ts';
import type { CompiledGateway } from '../compile/gateways.ts';
import { UsageError } from '../usage-error.ts';
import { areClaimsChosen, parseCallerClaims } from './caller-claims.ts';
import { findOnlyGateway } from './choose-gateways.ts';
import { displayName, formatObjectName } from './choose-objects.ts';
import { type CompiledPaths, compilePaths, type ProjectOptions, printErrors } from './compile-paths.ts';
import { createEvaluationContext } from './evaluation-context.ts';
import { isJsonText, parseJsonObject, readJsonObject } from './read-json-object.ts';

/** The actions of a question, by command word. */
const ACTIONS = { call: 'call_tool', get: 'get_prompt', read: 'read_resource' } as const satisfies {
  readonly [verb: string]: CedarAction;
};

/** A verb of a question about a gateway. */
type GatewayVerb = keyof typeof ACTIONS;

/** A verb of a question: `see` asks about registry servers, the others ask about gateways. */
export type CanVerb = GatewayVerb | 'see';

export const CAN_VERBS: readonly CanVerb[] = [...(Object.keys(ACTIONS) as GatewayVerb[]), 'see'];

/** The argument of `--as` for a caller without a token. */
const ANONYMOUS = 'anonymous';

export interface CanOptions extends ProjectOptions {
  /** The caller, in the form of `parseCallerClaims`; default: `anonymous`. */
  readonly as: string | undefined;
  /** The arguments of the call: JSON, a JSON file, or `-` for standard input. */
  readonly args: string | undefined;
  /** The name of the gateway, in the form of `chooseGateways`; required when the sources describe several gateways. */
  readonly gateway: string | undefined;
  /** The name of the registry server, in the form of `chooseObjects`; required when the sources describe several registry servers. */
  readonly registry: string | undefined;
  readonly format: AnswerFormat;
}

export const EXIT_CODES = { allowed: 0, denied: 1, undecided: 3 } as const satisfies {
  readonly [D in AccessAnswer['decision']]: number;
};

/** Prints whether a caller may do something, and which policy decides. Returns the exit code. */
export async function can(
  verb: GatewayVerb,
  name: string,
  paths: readonly string[],
  options: CanOptions,
): Promise<number> {
  const { format, gateway: gatewayName } = options;
  if (options.registry !== undefined)
    throw new UsageError('--registry names a registry server, which is asked by `lintel can see`');
  const { claims, args, areClaimsChosen } = readInputs(verb, paths, options);
  const compiled = await compilePaths(paths, { ...options, purpose: 'language' });
  const gateway = findOnlyGateway(compiled, gatewayName);
  const answer = answerFor(compiled, gateway, { action: ACTIONS[verb], name, claims, args, areClaimsChosen });
  process.stdout.write(ANSWER_RENDERERS[format](answer));
  return EXIT_CODES[answer.decision];
}

/** @throws UsageError for a file that cannot be read, and when two inputs use standard input */
function readInputs(verb: GatewayVerb, paths: readonly string[], options: CanOptions) {
  const { as = ANONYMOUS, args } = options;
  if (verb === 'read' && args !== undefined)
    throw new UsageError('a resource is read without arguments: leave --args out');
  return {
    claims: readClaims(paths, options),
    areClaimsChosen: areClaimsChosen(as),
    args: args === undefined ? undefined : readArguments(args),
  };
}

/**
 * The claims of the caller; undefined for a caller without a token.
 *
 * @throws UsageError for a file that cannot be read, and when two inputs use standard input
 */
export function readClaims(paths: readonly string[], { as = ANONYMOUS, args }: CanOptions) {
  if ([as, args, ...paths].filter(text => text === '-').length > 1)
    throw new UsageError('only one of --as, --args and PATH can read standard input (-)');
  return as === ANONYMOUS ? undefined : parseCallerClaims(as);
}

function readArguments(text: string): Readonly<Record<string, unknown>> {
  return isJsonText(text) ? parseJsonObject(text, 'arguments', '--args') : readJsonObject(text, 'arguments');
}

/** @throws UsageError for a name that the gateway certainly does not have */
function answerFor(compiled: CompiledPaths, gateway: CompiledGateway, question: AccessQuestion): AccessAnswer {
  const shown = { namespace: gateway.object.namespace, name: displayName(gateway.object) };
  const model = compiled.compilation.checked.complete ? gateway.model() : null;
  if (model === null) {
    printErrors(compiled);
    return createUndecidedAnswer(shown, question, 'the specs have errors, so what the gateway would do is not known');
  }
  const answer = decideAccess(model, question, createEvaluationContext());
  if (answer.decision !== 'no-such-name') return { ...answer, gateway: shown };
  const hint = formatNearest(answer.nearest);
  throw new UsageError(`${formatObjectName(gateway)} has no ${KINDS[question.action]} "${question.name}"; ${hint}`);
}

const KINDS = { call_tool: 'tool', get_prompt: 'prompt', read_resource: 'resource' } as const;

/** What a message about an unknown name advises. */
export function formatNearest(nearest: string | undefined): string {
  return nearest === undefined ? '`lintel exposure` lists what it has' : `did you mean ${nearest}?`;
}
