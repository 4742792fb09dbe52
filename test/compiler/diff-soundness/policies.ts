/** Random policies about objects that a design may have. */
import type { AggregationDesign, Design } from './design.ts';
import type { Random } from './random.ts';
import { OFFERS, UNNAMED } from './world/offers.ts';

export type Effect = 'permit' | 'forbid';

const GROUPS = ['admins', 'dev', 'interns', 'leads'] as const;
const URIS = ['docs://handbook', 'docs://hr/salaries', 'docs://open/1', 'docs://team/plan', 'tickets://7'];
const PATTERNS = ['docs://*', 'docs://open/*', 'docs://hr/*', 'docs://team/*', 'tickets://*', 'tickets://4*', '*'];

/** Conditions on arguments. Some mean the same in other words, some follow from others, and some fail for a text. */
const ARGUMENT_TESTS = [
  'context.arg_path < 8',
  'context.arg_path <= 7',
  '7 >= context.arg_path',
  '!(context.arg_path > 7)',
  'context.arg_path >= 8',
  'context.arg_path <= 70',
  'context.arg_path > 7 && context.arg_path < 71',
  'context.arg_path == 7',
  'context.arg_path + 1 < 9',
  '(if context.arg_path == 7 then 1 else context.arg_path) == 1',
  '(if principal has claim_dept then principal.claim_dept else "none") == "sales"',
  '(if context has arg_path then context else context) has arg_path',
  '[context.arg_path == 7].contains(true)',
  '(context.arg_path == 7) == (context.arg_path == 70)',
  '[7, 70].contains(context.arg_path)',
];

/** A policy with an effect. Its subject is anything, URIs, prompts, or arguments of calls. */
export function anyPolicy(effect: Effect, design: Design, random: Random): string {
  const make = random.pick([broadPolicy, broadPolicy, toolPolicy, toolPolicy, hintPolicy, uriPolicy, promptPolicy]);
  return make(effect, design, random);
}

/** A permit, so that some caller may do something. */
export function groundPolicy(design: Design, random: Random): string {
  const admins = `principal in ${design.authorization?.groupType ?? 'Group'}::"admins"`;
  const who = design.incoming.type === 'anonymous' ? 'principal' : random.pick(['principal', admins, admins]);
  if (random.chance(0.05)) return anyPolicy('permit', design, random);
  return `permit(${who}, ${random.chance(0.85) ? 'action' : 'action == Action::"call_tool"'}, resource);`;
}

function broadPolicy(effect: Effect, design: Design, random: Random): string {
  const who = principal(design, random);
  const operation = random.pick(['call_tool', 'read_resource', 'get_prompt']);
  // Two callers that are forbidden everything cannot be distinguished.
  const isWhole = random.chance(0.6) && (effect === 'permit' || who !== 'principal');
  const action = isWhole ? 'action' : `action == Action::"${operation}"`;
  return `${effect}(${who}, ${action}, resource)${condition(random)};`;
}

export function toolPolicy(effect: Effect, design: Design, random: Random): string {
  const name = random.pick(toolNames(design));
  return `${effect}(${principal(design, random)}, action == Action::"call_tool", resource == Tool::"${name}")${condition(random)};`;
}

export function argumentPolicy(effect: Effect, design: Design, random: Random): string {
  const who = principal(design, random);
  const test = random.chance(0.5)
    ? `context.arg_path like "${random.pick(['/public/*', '/private/*', '/*'])}"`
    : random.pick(ARGUMENT_TESTS);
  return `${effect}(${who}, action == Action::"call_tool", resource) when { context has arg_path && ${test} };`;
}

function hintPolicy(effect: Effect, design: Design, random: Random): string {
  const hint = random.pick(['readOnlyHint', 'destructiveHint']);
  const who = principal(design, random);
  return `${effect}(${who}, action == Action::"call_tool", resource) when { resource has ${hint} && resource.${hint} };`;
}

export function uriPolicy(effect: Effect, design: Design, random: Random): string {
  const who = principal(design, random);
  if (random.chance(0.5))
    return `${effect}(${who}, action == Action::"read_resource", resource == Resource::"${random.pick(URIS)}");`;
  return `${effect}(${who}, action == Action::"read_resource", resource) when { resource.uri like "${random.pick(PATTERNS)}" };`;
}

export function promptPolicy(effect: Effect, design: Design, random: Random): string {
  const prompts = Object.keys(design.backends).flatMap(backend =>
    (OFFERS[backend]?.prompts ?? []).map(({ name }) => `${prefixOf(design.aggregation, backend)}${name}`),
  );
  const which =
    prompts.length === 0 || random.chance(0.3) ? 'resource' : `resource == Prompt::"${random.pick(prompts)}"`;
  return `${effect}(${principal(design, random)}, action == Action::"get_prompt", ${which});`;
}

function principal(design: Design, random: Random): string {
  const type = design.authorization?.groupType ?? 'Group';
  return random.pick([
    'principal',
    'principal',
    `principal in ${type}::"${random.pick(GROUPS)}"`,
    `principal in ${type}::"${random.pick(GROUPS)}"`,
    `principal in ${type}::"${random.pick(GROUPS)}"`,
    `principal == Client::"${random.pick(['ada', 'dan', 'bot', 'mia'])}"`,
  ]);
}

function condition(random: Random): string {
  if (random.chance(0.7)) return '';
  return random.pick([
    ' when { principal has claim_dept && principal.claim_dept == "research" }',
    ' when { principal has claim_dept && principal.claim_dept == "sales" }',
    ' unless { principal has claim_dept }',
  ]);
}

/** Names that clients may see, of existing and possible tools. */
export function toolNames({ aggregation, backends, workflows = {} }: Design): readonly string[] {
  const ofBackends = Object.keys(backends).flatMap(backend => {
    const prefix = (aggregation.strategy ?? 'prefix') === 'prefix' ? prefixOf(aggregation, backend) : '';
    const overrides = aggregation.tools?.[backend]?.overrides ?? {};
    return listNamedTools(backend).map(tool => `${prefix}${overrides[tool]?.name ?? tool}`);
  });
  return [...ofBackends, ...Object.keys(workflows)];
}

/** Tools that a spec may name. */
export function listNamedTools(backend: string): readonly string[] {
  return (OFFERS[backend]?.tools ?? []).flatMap(({ name }) => (name === UNNAMED ? [] : [name as string]));
}

function prefixOf({ prefixFormat = '{workload}_' }: AggregationDesign, backend: string): string {
  return prefixFormat.replaceAll('{workload}', backend);
}
