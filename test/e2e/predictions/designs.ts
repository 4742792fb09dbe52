/** Random gateways with every setting that decides which callers may call what, and their specs. */
import { stringify } from 'yaml';
import type { Random } from '../../compiler/diff-soundness/random.ts';
import type { Offer, OfferedTool } from './offered-backends.ts';

export interface Design {
  readonly name: string;
  /** The backends' offers, by the gateway's name of the backend. */
  readonly backends: { readonly [backend: string]: Offer };
  readonly isAnonymous: boolean;
  /** The policies; undefined for a gateway without policies. */
  readonly policies: readonly string[] | undefined;
  readonly groupClaim: string | undefined;
  readonly aggregation: object;
  readonly workflows: readonly object[];
  readonly hasOptimizer: boolean;
}

const BACKENDS = ['one', 'two', 'one-two'];
const TOOLS = ['get', 'set', 'two_get', 'Get', '__proto__'];
const PROMPTS = ['ask', 'get'];
const RESOURCES = ['doc://a', 'doc://b/c'];
const TEMPLATES = ['doc://{name}', 'doc://b/{+path}'];
const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'];
const STRATEGIES = ['prefix', 'prefix', 'prefix', 'priority', 'priority', 'manual'] as const;

/** Names in the policies and requests of tests, whether items with these names exist or not. */
export const NAMES: readonly string[] = [
  ...TOOLS,
  ...BACKENDS.flatMap(backend => TOOLS.map(tool => `${backend}_${tool}`)),
  'renamed',
  'one_renamed',
  'two_renamed',
  'flow',
  'sure',
];

export function anyOffer(random: Random): Offer {
  const some = (items: readonly string[]) => random.some(items);
  const tools = TOOLS.filter(() => random.chance(0.55)).map(name => anyTool(name, random));
  return { tools, prompts: some(PROMPTS), resources: some(RESOURCES), templates: some(TEMPLATES) };
}

function anyTool(name: string, random: Random): OfferedTool {
  const properties = random.pick([{}, { q: { type: 'string' }, n: { type: 'integer' } }, { Q: { type: 'string' } }]);
  return random.chance(0.3) ? { name, properties } : { name, properties, annotations: anyHints(random) };
}

function anyHints(random: Random): { readonly [hint: string]: boolean } {
  return Object.fromEntries(random.some(HINTS).map(hint => [hint, random.chance(0.5)]));
}

export function anyDesign(name: string, random: Random): Design {
  const names = BACKENDS.filter((_, at) => at === 0 || random.chance(0.5));
  const backends = Object.fromEntries(names.map(backend => [backend, anyOffer(random)]));
  const isAnonymous = random.chance(0.15);
  const hasPolicies = random.chance(0.9);
  const count = 1 + random.below(5);
  const aggregation = anyAggregation(backends, random);
  const workflows = anyWorkflows(backends, random);
  const known = namesOf(backends, aggregation, workflows);
  return {
    name,
    backends,
    isAnonymous,
    policies: hasPolicies ? Array.from({ length: count }, (_, at) => anyPolicy(at, name, known, random)) : undefined,
    groupClaim: random.chance(0.15) ? 'tags' : undefined,
    aggregation,
    workflows,
    hasOptimizer: random.chance(0.2),
  };
}

/** Names that policies may contain: a policy about a missing tool is an error of the build. */
function namesOf(
  backends: Design['backends'],
  { conflictResolution, conflictResolutionConfig, tools = [] }: Aggregation,
  workflows: Design['workflows'],
): readonly string[] {
  const format = conflictResolution === 'prefix' ? (conflictResolutionConfig?.prefixFormat ?? '{workload}_') : '';
  const ofBackends = Object.entries(backends).flatMap(([backend, offer]) => {
    const { overrides = {} } = tools.find(({ workload }) => workload === backend) ?? {};
    // No gateway serves a tool with the name of a member that all objects have.
    const served = offer.tools.filter(({ name }) => name !== '__proto__');
    return served.map(({ name }) => format.replaceAll('{workload}', backend) + (overrides[name]?.name ?? name));
  });
  return [...ofBackends, ...workflows.map(workflow => String((workflow as { name?: string }).name))];
}

interface Aggregation {
  readonly conflictResolution: string;
  readonly conflictResolutionConfig?: { readonly prefixFormat?: string };
  readonly tools?: readonly Selection[];
}

interface Selection {
  readonly workload: string;
  readonly overrides?: { readonly [tool: string]: { readonly name?: string } };
}

function anyAggregation(backends: Design['backends'], random: Random): Aggregation {
  const strategy = random.pick(STRATEGIES);
  const names = Object.keys(backends);
  const details = {
    ...(strategy === 'priority' ? { priorityOrder: random.chance(0.5) ? names : names.toReversed() } : {}),
    ...(strategy === 'prefix' && random.chance(0.2)
      ? { prefixFormat: random.pick(['{workload}', 'x.{workload}_']) }
      : {}),
  };
  const tools = names
    .filter(() => strategy === 'manual' || random.chance(0.5))
    .map(workload => ({ workload, ...anySelection(backends[workload] as Offer, random) }));
  return {
    conflictResolution: strategy,
    ...(Object.keys(details).length === 0 ? {} : { conflictResolutionConfig: details }),
    ...(random.chance(0.05) ? { excludeAllTools: true } : {}),
    ...(random.chance(0.2) ? { defaultToolVisibility: random.pick(['allow', 'deny']) } : {}),
    ...(tools.length === 0 ? {} : { tools }),
  };
}

/** Overrides and a filter of the tools that a backend has. */
function anySelection({ tools }: Offer, random: Random): Omit<Selection, 'workload'> {
  const overrides = Object.fromEntries(
    tools
      .filter(({ name }) => name !== '__proto__' && random.chance(0.35))
      .map(({ name }, at) => [name, anyOverride(at === 0 ? 'renamed' : `renamed${at}`, random)]),
  );
  const shown = tools.map(({ name }) => overrides[name]?.name ?? name);
  return {
    ...(Object.keys(overrides).length === 0 ? {} : { overrides }),
    ...(random.chance(0.4) && shown.length > 0
      ? { filter: shown.filter((_, at) => at === 0 || random.chance(0.6)) }
      : {}),
    ...(random.chance(0.08) ? { excludeAll: true } : {}),
  };
}

function anyOverride(name: string, random: Random): { readonly name?: string; readonly description: string } {
  return {
    ...(random.chance(0.4) ? { name } : {}),
    description: 'Described by the operator.',
    ...(random.chance(0.6)
      ? { annotations: { readOnlyHint: random.chance(0.5), destructiveHint: random.chance(0.5) } }
      : {}),
  };
}

function anyWorkflows(backends: Design['backends'], random: Random): readonly object[] {
  const references = Object.entries(backends).flatMap(([backend, { tools }]) =>
    tools.filter(({ name }) => name !== '__proto__').map(({ name }) => `${backend}.${name}`),
  );
  if (references.length === 0 || random.chance(0.4)) return [];
  const flow = {
    name: 'flow',
    description: 'Calls.',
    parameters: { type: 'object', properties: { q: { type: 'string' } } },
    ...(random.chance(0.3) ? { annotations: { readOnlyHint: random.chance(0.5) } } : {}),
    steps: [
      { id: 's1', tool: random.pick(references) },
      { id: 's2', tool: random.pick(references), dependsOn: ['s1'] },
    ],
  };
  const schema = { type: 'object', properties: { go: { type: 'boolean' } } };
  const sure = {
    name: 'sure',
    description: 'Asks, and then calls.',
    steps: [
      { id: 'ask', type: 'elicitation', message: 'Sure?', schema },
      { id: 's1', tool: random.pick(references), dependsOn: ['ask'] },
    ],
  };
  return random.chance(0.5) ? [flow, sure] : [flow];
}

function anyPolicy(at: number, gateway: string, known: readonly string[], random: Random): string {
  const effect = at === 0 || random.chance(0.65) ? 'permit' : 'forbid';
  const head = [anyPrincipal(random), anyAction(random), anyResource(gateway, known, random)].join(', ');
  return `@id("p${at}") ${effect}(${head})${anyCondition(random)};`;
}

function anyPrincipal(random: Random): string {
  return random.pick([
    'principal',
    'principal',
    'principal',
    'principal in Group::"staff"',
    'principal in Group::"interns"',
    'principal in Group::"x"',
    'principal == Client::"ann"',
    'principal == Client::"anonymous"',
  ]);
}

function anyAction(random: Random): string {
  return random.pick([
    'action',
    'action',
    'action == Action::"call_tool"',
    'action == Action::"read_resource"',
    'action in [Action::"call_tool", Action::"get_prompt"]',
  ]);
}

function anyResource(gateway: string, known: readonly string[], random: Random): string {
  return random.pick([
    'resource',
    'resource',
    'resource is Tool',
    `resource in MCP::"${gateway}"`,
    known.length === 0 ? 'resource' : `resource == Tool::"${random.pick(known)}"`,
    'resource is Prompt',
    'resource is Resource',
  ]);
}

const ON_CALLERS_AND_ITEMS = [
  'when { principal has claim_level && principal.claim_level > 5 }',
  'when { principal has claim_level && principal.claim_level < 5 }',
  'unless { principal has claim_vip && principal.claim_vip }',
  'when { context has claim_dept && context.claim_dept == "a" }',
  'when { principal has claim_org && principal.claim_org has unit && principal.claim_org.unit == "core" }',
  'when { principal has claim_org.unit && principal.claim_org.unit like "o*" }',
  'when { principal has claimset_tags && principal.claimset_tags.contains("x") }',
  'when { resource has readOnlyHint && resource.readOnlyHint }',
  'unless { resource has destructiveHint && resource.destructiveHint }',
  'when { resource.name like "*get" }',
  'when { resource.name like "one*" && resource has idempotentHint }',
];

const ON_ARGUMENTS = [
  'when { context has arg_q && context.arg_q like "ok*" }',
  'when { context has arg_n && context.arg_n > 10 }',
  'unless { context has arg_q && context.arg_q == "no" }',
  'when { context has arg_n && context.arg_n <= 10 }',
  'when { context has arg_l_present }',
  'unless { context has arg_o_present || context has arg_flag }',
  'when { context has arg_q && context has claim_dept && context.arg_q == context.claim_dept }',
  'when { context has arg_n && principal has claim_level && context.arg_n == principal.claim_level }',
  'when { !(context has arg_flag) || (principal has claim_vip && context.arg_flag == principal.claim_vip) }',
  'when { context has arg___proto__ }',
  'when { resource has readOnlyHint && context has arg_n && (resource.readOnlyHint || context.arg_n == 3) }',
];

function anyCondition(random: Random): string {
  if (random.chance(0.35)) return '';
  return ` ${random.pick(random.chance(0.5) ? ON_ARGUMENTS : ON_CALLERS_AND_ITEMS)}`;
}

export interface Trust {
  readonly issuer: string;
  /** The URL of a backend of a gateway. */
  url(gateway: string, backend: string): string;
}

/** The audience of a gateway. */
export const audienceOf = ({ name }: Pick<Design, 'name'>): string => `urn:gateway:${name}`;

export function specsOf(designs: readonly Design[], trust: Trust): string {
  const inline = { issuer: trust.issuer, insecureAllowHTTP: true, jwksAllowPrivateIP: true };
  return [
    object('MCPOIDCConfig', 'corp', { type: 'inline', inline }),
    object('MCPGroup', 'none'),
    ...designs.map(design => gatewayObject(design, trust)),
  ]
    .map(one => stringify(one, { lineWidth: 0, aliasDuplicateObjects: false }))
    .join('---\n');
}

function object(kind: string, name: string, spec: object = {}): object {
  return { apiVersion: 'lintel.dev/v1beta1', kind, metadata: { name }, spec };
}

function gatewayObject(design: Design, { url }: Trust): object {
  const { name, backends, isAnonymous, policies, groupClaim, aggregation, workflows, hasOptimizer } = design;
  const signIn = {
    type: 'oidc',
    oidcConfigRef: { name: 'corp', audience: audienceOf(design), resourceUrl: 'http://127.0.0.1/mcp' },
  };
  const authzConfig =
    policies === undefined
      ? {}
      : {
          authzConfig: {
            type: 'inline',
            inline: { policies },
            ...(groupClaim === undefined ? {} : { groupClaimName: groupClaim }),
          },
        };
  return object('VirtualMCPServer', name, {
    groupRef: { name: 'none' },
    incomingAuth: { ...(isAnonymous ? { type: 'anonymous' } : signIn), ...authzConfig },
    outgoingAuth: { source: 'inline' },
    config: {
      aggregation,
      backends: Object.keys(backends).map(backend => ({
        name: backend,
        url: url(name, backend),
        transport: 'streamable-http',
      })),
      ...(workflows.length === 0 ? {} : { compositeTools: workflows }),
      ...(hasOptimizer ? { optimizer: {} } : {}),
    },
  });
}
