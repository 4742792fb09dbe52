import { findReadablePolicies, type NamedPolicy } from '../../analysis/cedar/authorization.ts';
import { comparedNames } from '../../analysis/cedar/compared-names.ts';
import { namedEntities } from '../../analysis/cedar/named-entities.ts';
import { diagnoseText } from '../../analysis/cedar/placed-text.ts';
import { isShared } from '../../analysis/cedar/shared-policies.ts';
import type { BackendModel, GatewayModel } from '../../analysis/gateway/model.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { TextSpan } from '../../source/locate-finding.ts';
import { nearest } from '../../text/nearest.ts';

/** Policies must name items that clients can see: after a rename or a new prefix, a policy may match nothing. */
export function policyNames(gateway: GatewayModel): Diagnostic[] {
  const set = findReadablePolicies(gateway);
  if (set === undefined) return [];
  const kinds = new Map(listKinds(gateway).map(kind => [kind.type, kind]));
  return set.policies.flatMap(policy =>
    listMentions(policy, kinds).flatMap(mention =>
      mention.kinds.length === 0 || mention.kinds.some(kind => kind.has(mention.name))
        ? []
        : unknown(gateway, policy, mention),
    ),
  );
}

/** A name in a policy. */
interface Mention {
  readonly name: string;
  /** The item types that it may refer to. */
  readonly kinds: readonly TargetKind[];
  readonly part: TextSpan;
  /** Writes a replacement for the name. */
  write(name: string): string;
}

function listMentions(policy: NamedPolicy, kinds: ReadonlyMap<string, TargetKind>): readonly Mention[] {
  const named = namedEntities(policy.text).map(({ uid, part }): Mention => {
    const kind = kinds.get(uid.type);
    return { name: uid.id, kinds: kind ? [kind] : [], part, write: name => `${uid.type}::${JSON.stringify(name)}` };
  });
  const compared = comparedNames(policy).map(
    ({ name, types, part }): Mention => ({
      name,
      kinds: types.flatMap(type => kinds.get(type) ?? []),
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

function kind(type: string, noun: string, names: readonly string[]): Omit<TargetKind, 'mayBeOf'> {
  const known = new Set(names);
  return { type, noun, names, has: name => known.has(name) };
}

/** Matches every URI that the template can produce, and some more. */
function toPattern(template: string): RegExp {
  const literal = template.split(/\{[^{}]*\}/).map(part => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${literal.join('.*')}$`, 's');
}

function unknown(gateway: GatewayModel, policy: NamedPolicy, mention: Mention): Diagnostic[] {
  const { name, kinds, part, write } = mention;
  const isGateway = kinds.some(({ noun }) => noun === 'gateway');
  // A group without members may get some later; another finding reports that.
  if (gateway.backends.length === 0 && !isGateway) return [];
  const unlocked = gateway.backends.filter(({ locked }) => locked === undefined);
  const open = unlocked.find(backend => kinds.some(kind => kind.mayBeOf(name, backend)));
  const isOpen = open !== undefined;
  // Without a tool lock every name would get this finding.
  if (isOpen && unlocked.length === gateway.backends.length) return [];
  const noun = kinds.map(kind => kind.noun).join(' or ');
  const isHidden = kinds.some(kind => kind.noun === 'tool') && gateway.tools.some(tool => tool.name === name);
  const absent = isGateway ? `this gateway is not named "${name}"` : `no ${noun} of this gateway is named "${name}"`;
  const unsure = `whether there is a ${noun} "${name}" is not known, for backend "${open?.name}" is not in the tool lock`;
  const why = isHidden ? `clients do not see the tool "${name}"` : isOpen ? unsure : absent;
  const meant = isHidden ? [] : meantBy(gateway, name, kinds);
  const placed = { ...part, offset: policy.offset + part.offset };
  return [
    diagnoseText(policy.source, 'LNT5003', placed, `${policy.name}: ${why}${inGateway(gateway, policy)}`, {
      ...(isOpen || isShared(gateway, policy.source) ? { severity: 'hint' } : {}),
      fix:
        meant.length > 0
          ? `did you mean ${meant.map(write).join(' or ')}?`
          : isOpen
            ? 'run "lintel lock"'
            : advice(mention),
    }),
  ];
}

function advice({ kinds, write }: Mention): string {
  const [example] = kinds.flatMap(({ names }) => names).toSorted();
  if (example === undefined) return 'remove it, or offer what it names';
  const isResource = kinds.some(({ noun }) => noun === 'resource');
  const how = isResource ? 'resources go by their URIs' : 'name it as clients see it';
  return `${how}, such as ${write(example)}`;
}

/** The client-visible name for a backend's original name, otherwise the nearest name. */
function meantBy({ tools, prompts }: GatewayModel, name: string, kinds: readonly TargetKind[]): readonly string[] {
  const renamed = kinds.flatMap(({ noun }) =>
    noun === 'tool' ? tools.filter(tool => tool.advertised) : noun === 'prompt' ? prompts : [],
  );
  const shown = renamed.filter(({ originalName }) => originalName === name).map(one => one.name);
  const close = nearest(
    name,
    kinds.flatMap(({ names }) => names),
  );
  return shown.length > 0 ? [...new Set(shown)] : close === undefined ? [] : [close];
}

function inGateway({ resource }: GatewayModel, { source }: NamedPolicy): string {
  return source.resource === resource ? '' : ` (gateway "${resource.name}")`;
}
