import { findPolicySet, type NamedPolicy } from '../../analysis/cedar/authorization.ts';
import { type NamedEntity, namedEntities } from '../../analysis/cedar/named-entities.ts';
import { diagnoseText } from '../../analysis/cedar/placed-text.ts';
import { isShared } from '../../analysis/cedar/shared-policies.ts';
import type { BackendModel, GatewayModel } from '../../analysis/gateway/model.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { nearest } from '../../text/nearest.ts';

/** Policies name what clients can see: after a rename or a new prefix, a policy is about nothing. */
export function policyNames(gateway: GatewayModel): Diagnostic[] {
  const set = findPolicySet(gateway);
  if (set === undefined) return [];
  const kinds = new Map(listKinds(gateway).map(kind => [kind.type, kind]));
  return set.policies.flatMap(policy =>
    namedEntities(policy.text).flatMap(named => {
      const kind = kinds.get(named.uid.type);
      return kind === undefined || kind.has(named.uid.id) ? [] : unknown(gateway, policy, named, kind);
    }),
  );
}

interface Kind {
  readonly type: string;
  readonly noun: string;
  readonly names: readonly string[];
  has(name: string): boolean;
  /** Whether a backend that is not in the catalog may offer it. */
  mayBeOf(name: string, backend: BackendModel): boolean;
}

function listKinds({ tools, composites, prompts, resources, resourceTemplates, plan, resource }: GatewayModel): Kind[] {
  const isPrefixed = plan.aggregation.strategy === 'prefix';
  const byPrefix = (name: string, backend: BackendModel) => !isPrefixed || name.startsWith(backend.plan.tools.prefix);
  const listed = [...tools.filter(({ advertised }) => advertised), ...composites].map(({ name }) => name);
  const templates = resourceTemplates.map(({ uri }) => toPattern(uri));
  return [
    { ...kind('Tool', 'tool', listed), mayBeOf: byPrefix },
    {
      ...kind(
        'Prompt',
        'prompt',
        prompts.map(({ name }) => name),
      ),
      mayBeOf: () => true,
    },
    {
      ...kind(
        'Resource',
        'resource',
        [...resources, ...resourceTemplates].map(({ uri }) => uri),
      ),
      has: uri =>
        [...resources, ...resourceTemplates].some(one => one.uri === uri) || templates.some(one => one.test(uri)),
      mayBeOf: () => true,
    },
    { ...kind('MCP', 'gateway', [resource.name]), mayBeOf: () => false },
  ];
}

function kind(type: string, noun: string, names: readonly string[]): Omit<Kind, 'mayBeOf'> {
  const known = new Set(names);
  return { type, noun, names, has: name => known.has(name) };
}

/** Any URI that a template could give, and some more. */
function toPattern(template: string): RegExp {
  const literal = template.split(/\{[^{}]*\}/).map(part => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${literal.join('.*')}$`, 's');
}

function unknown(
  gateway: GatewayModel,
  policy: NamedPolicy,
  { uid, part }: NamedEntity,
  { noun, names, mayBeOf }: Kind,
): Diagnostic[] {
  // A group without members may get them elsewhere, or later; that there are none is another finding.
  if (gateway.backends.length === 0 && noun !== 'gateway') return [];
  const unlocked = gateway.backends.filter(({ locked }) => locked === undefined);
  const open = unlocked.find(backend => mayBeOf(uid.id, backend));
  const isOpen = open !== undefined;
  // Without any tool lock, every name would get this finding.
  if (isOpen && unlocked.length === gateway.backends.length) return [];
  const hidden = gateway.tools.find(({ name }) => noun === 'tool' && name === uid.id);
  const absent =
    noun === 'gateway' ? `this gateway is not named "${uid.id}"` : `no ${noun} of this gateway is named "${uid.id}"`;
  const unsure = `whether there is a ${noun} "${uid.id}" is not known, for backend "${open?.name}" is not in the tool lock`;
  const why = hidden !== undefined ? `clients do not see the tool "${uid.id}"` : isOpen ? unsure : absent;
  const meant = hidden === undefined ? meantBy(gateway, uid.id, noun, names) : [];
  const placed = { ...part, offset: policy.offset + part.offset };
  return [
    diagnoseText(policy.source, 'LNT5003', placed, `${policy.name}: ${why}${inGateway(gateway, policy)}`, {
      ...(isOpen || isShared(gateway, policy.source) ? { severity: 'hint' } : {}),
      fix:
        meant.length > 0
          ? `did you mean ${meant.map(name => entity(uid.type, name)).join(' or ')}?`
          : isOpen
            ? 'run "lintel lock"'
            : advice(uid.type, names),
    }),
  ];
}

function advice(type: string, names: readonly string[]): string {
  const [example] = names.toSorted();
  if (example === undefined) return 'remove it, or offer what it names';
  const how = type === 'Resource' ? 'resources go by their URIs' : 'name it as clients see it';
  return `${how}, such as ${entity(type, example)}`;
}

/** What clients see where the backend's own name was written, else the nearest name. */
function meantBy(
  { tools, prompts }: GatewayModel,
  name: string,
  noun: string,
  names: readonly string[],
): readonly string[] {
  const renamed = noun === 'tool' ? tools.filter(tool => tool.advertised) : noun === 'prompt' ? prompts : [];
  const shown = renamed.filter(({ originalName }) => originalName === name).map(one => one.name);
  const close = nearest(name, names);
  return shown.length > 0 ? shown : close === undefined ? [] : [close];
}

function entity(type: string, name: string): string {
  return `${type}::${JSON.stringify(name)}`;
}

function inGateway({ resource }: GatewayModel, { source }: NamedPolicy): string {
  return source.resource === resource ? '' : ` (gateway "${resource.name}")`;
}
