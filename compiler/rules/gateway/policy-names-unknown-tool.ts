import { findReadablePolicies, type NamedPolicy } from '../../analysis/cedar/authorization.ts';
import { listComparedNames } from '../../analysis/cedar/compared-names.ts';
import { collectEntitySenses } from '../../analysis/cedar/entity-senses.ts';
import { formatEntityUid } from '../../analysis/cedar/expression.ts';
import { diagnoseText } from '../../analysis/cedar/locate-text.ts';
import { listNamedEntities } from '../../analysis/cedar/named-entities.ts';
import { isShared } from '../../analysis/cedar/shared-policies.ts';
import type { CompositeModel } from '../../analysis/gateway/composites.ts';
import type { BackendModel, GatewayModel, ToolModel } from '../../analysis/gateway/model.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { TextSpan } from '../../source/locate-finding.ts';
import { suggestNames } from '../support/suggest-names.ts';

/**
 * Policies must name items that clients can see: after a rename or a new prefix, a policy may match nothing.
 *
 * @holds incomingAuth | policies | name tools, prompts, resources and gateways that clients see, as entities and in comparisons with
 *   `resource.name` or `resource.uri` | LNT5003
 * @for gateways, servers
 * @reads sign-in
 * @needs all backends
 */
export function policyNamesUnknownTool(gateway: GatewayModel): Diagnostic[] {
  const set = findReadablePolicies(gateway);
  if (set === undefined) return [];
  const kinds = new Map(listKinds(gateway).map(kind => [kind.type, kind]));
  return set.policies.flatMap(policy =>
    listMentions(policy, kinds).flatMap(mention =>
      mention.kinds.length === 0 || mention.kinds.some(kind => kind.has(mention.name))
        ? []
        : checkUnknown(gateway, policy, mention),
    ),
  );
}

/** A name in a policy. */
interface Mention {
  readonly name: string;
  /** The item types that it may refer to. */
  readonly kinds: readonly TargetKind[];
  /** Whether the policy only refuses calls of the item. */
  readonly closes: boolean;
  readonly part: TextSpan;
  /** Writes a different name in the notation in which the policy has this one: as an entity or as a string. */
  write(name: string): string;
}

function listMentions(policy: NamedPolicy, kinds: ReadonlyMap<string, TargetKind>): readonly Mention[] {
  const entities = listNamedEntities(policy.text);
  const senses = entities.length === 0 ? undefined : collectEntitySenses(policy);
  const named = entities.map(({ uid, part }): Mention => {
    const kind = kinds.get(uid.type);
    return {
      name: uid.id,
      kinds: kind ? [kind] : [],
      closes: senses?.get(formatEntityUid(uid)) === 'closes',
      part,
      write: name => formatEntityUid({ type: uid.type, id: name }),
    };
  });
  const compared = listComparedNames(policy).map(
    ({ name, types, sense, part }): Mention => ({
      name,
      kinds: types.flatMap(type => kinds.get(type) ?? []),
      closes: sense === 'closes',
      part,
      write: other => JSON.stringify(other),
    }),
  );
  return [...named, ...compared];
}

interface TargetKind {
  readonly type: string;
  readonly noun: string;
  readonly names: readonly string[];
  has(name: string): boolean;
  /** Whether a backend outside of the catalog may offer it. */
  mayBeOf(name: string, backend: BackendModel): boolean;
}

function listKinds({
  tools,
  composites,
  prompts,
  resources,
  resourceTemplates,
  plan,
  resource,
}: GatewayModel): TargetKind[] {
  const isPrefixed = plan.aggregation.strategy === 'prefix';
  const byPrefix = (name: string, backend: BackendModel) => !isPrefixed || name.startsWith(backend.plan.tools.prefix);
  const listed = [...tools.filter(({ advertised }) => advertised), ...composites].map(({ name }) => name);
  const templates = resourceTemplates.map(({ uri }) => toPattern(uri));
  return [
    { ...createKind('Tool', 'tool', listed), mayBeOf: byPrefix },
    {
      ...createKind(
        'Prompt',
        'prompt',
        prompts.map(({ name }) => name),
      ),
      mayBeOf: () => true,
    },
    {
      ...createKind(
        'Resource',
        'resource',
        [...resources, ...resourceTemplates].map(({ uri }) => uri),
      ),
      has: uri =>
        [...resources, ...resourceTemplates].some(resourceModel => resourceModel.uri === uri) ||
        templates.some(template => template.test(uri)),
      mayBeOf: () => true,
    },
    { ...createKind('MCP', 'gateway', [resource.name]), mayBeOf: () => false },
  ];
}

function createKind(type: string, noun: string, names: readonly string[]): Omit<TargetKind, 'mayBeOf'> {
  const known = new Set(names);
  return { type, noun, names, has: name => known.has(name) };
}

/** Matches every URI that the template can produce, and some more. */
function toPattern(template: string): RegExp {
  const literal = template.split(/\{[^{}]*\}/).map(part => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${literal.join('.*')}$`, 's');
}

function checkUnknown(gateway: GatewayModel, policy: NamedPolicy, mention: Mention): Diagnostic[] {
  const { name, kinds, closes, part, write } = mention;
  const isGateway = kinds.some(({ noun }) => noun === 'gateway');
  // A gateway without backends has a finding of its own. Its group may get members later, so no name is certainly unknown.
  if (gateway.backends.length === 0 && !isGateway) return [];
  const unlocked = gateway.backends.filter(({ locked }) => locked === undefined);
  const open = unlocked.find(backend => kinds.some(kind => kind.mayBeOf(name, backend)));
  const isOpen = open !== undefined;
  // Without a tool lock every name would get this finding.
  if (isOpen && unlocked.length === gateway.backends.length) return [];
  const noun = kinds.map(kind => kind.noun).join(' or ');
  const hidden = kinds.some(kind => kind.noun === 'tool') ? gateway.tools.find(tool => tool.name === name) : undefined;
  const workflow = closes && hidden !== undefined ? findWorkflow(gateway, hidden) : undefined;
  // A forbid for an item that clients do not see is useful: it takes effect as soon as clients see the item.
  if (closes && hidden !== undefined && workflow === undefined) return [];
  const unseen = `clients do not see the tool "${name}"`;
  const called =
    workflow === undefined ? '' : `, and the workflow "${workflow}" calls it without regard to this policy`;
  const absent = isGateway ? `this gateway is not named "${name}"` : `no ${noun} of this gateway is named "${name}"`;
  const unsure = `whether there is a ${noun} "${name}" is not known, because backend "${open?.name}" is not in the tool lock`;
  const why = hidden !== undefined ? unseen + called : isOpen ? unsure : absent;
  const meant =
    hidden !== undefined
      ? []
      : suggestNames(
          gateway,
          name,
          kinds.map(kind => kind.noun),
        );
  const show = 'show the tool to clients, or take its name out of the policy';
  const decide = workflow === undefined ? show : `let policies decide about ${write(workflow)}`;
  const remedy = hidden === undefined ? formatAdvice(mention) : decide;
  const placed = { ...part, offset: policy.offset + part.offset };
  return [
    diagnoseText(policy.source, 'LNT5003', placed, `${policy.name}: ${why}${formatGateway(gateway, policy)}`, {
      ...(isOpen || workflow !== undefined || isShared(gateway, policy.source) ? { severity: 'hint' } : {}),
      fix:
        meant.length > 0
          ? `did you mean ${meant.map(write).join(' or ')}?`
          : isOpen && hidden === undefined
            ? 'run "lintel lock"'
            : remedy,
    }),
  ];
}

/** The advice contains no name as an example: a person who copied the name would permit an item that the policy is not about. */
function formatAdvice({ kinds }: Mention): string {
  if (kinds.every(({ names }) => names.length === 0))
    return 'remove the name, or let the gateway offer an item of this name';
  const isResource = kinds.some(({ noun }) => noun === 'resource');
  return isResource
    ? 'write the URI of the resource: "lintel exposure" lists the URIs'
    : 'write the name that clients see: "lintel exposure" lists the names';
}

/** A workflow that calls the tool: no policy applies to its steps. */
function findWorkflow({ composites }: GatewayModel, tool: ToolModel): string | undefined {
  const calls = ({ calls }: CompositeModel) =>
    calls.some(({ target }) => target.type === 'tool' && target.tool === tool);
  return composites.find(calls)?.name;
}

function formatGateway({ resource }: GatewayModel, { source }: NamedPolicy): string {
  return source.resource === resource ? '' : ` (gateway "${resource.name}")`;
}
