/**
 * A catalog of Docker's MCP Toolkit (`registry:`), or one entry of it.
 *
 * @see https://github.com/docker/mcp-gateway/blob/main/docs/server-entry-spec.md
 */
import { isObject } from '#schemas';
import { nearest } from '../../text/nearest.ts';
import type { FoundServer, FoundServers, ImportOutcome, LostPart } from '../found.ts';
import { reasonFor, unknownPart } from '../lost-reasons.ts';
import { MemberReader } from '../members.ts';
import { readableOutcome, unreadable } from '../readable-outcome.ts';
import { dockerRun } from './docker-run.ts';
import { refused } from './mcp-json.ts';

/** Display settings of catalogs. */
const OF_CATALOG = [
  'config',
  'dateAdded',
  'description',
  'icon',
  'longLived',
  'metadata',
  'name',
  'policy',
  'prefix',
  'prompts',
  'readme',
  'ref',
  'resources',
  'source',
  'title',
  'tools',
  'toolsUrl',
  'upstream',
];

export const LOST_OF_CATALOG: Readonly<Record<string, string>> = {
  allowHosts: 'a container that `docker run` starts reaches every address',
  extraHosts: 'write them as `--add-host` into the args of the server',
};

const TYPES = new Set(['poci', 'remote', 'server']);

export function isDockerCatalog(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { registry, name, type } = value;
  return isObject(registry) || (typeof name === 'string' && typeof type === 'string' && TYPES.has(type));
}

export function readDockerCatalog(value: unknown): FoundServers {
  const { registry, name } = value as { readonly registry?: unknown; readonly name?: unknown };
  const servers = isObject(registry)
    ? Object.entries(registry).map(([key, entry]) => serverIn(key, `registry.${key}`, entry))
    : [serverIn(String(name), String(name), value)];
  return { form: "catalog of Docker's MCP Toolkit", servers, lost: [] };
}

function serverIn(name: string, place: string, entry: unknown): FoundServer {
  const members = new MemberReader(entry);
  const outcome = readableOutcome(toOutcome(members), members);
  const isCarried = outcome.type === 'remote' || outcome.type === 'program';
  members.present(OF_CATALOG);
  const lost = isCarried
    ? members.unread().map(
        (part): LostPart => ({
          part,
          reason: reasonFor(part, LOST_OF_CATALOG, unknownPart(members.meant(part))),
        }),
      )
    : [];
  return { name, place, outcome, lost, ofClient: [] };
}

function toOutcome(members: MemberReader): ImportOutcome {
  const type = members.text('type');
  const remote = members.within('remote');
  const sse = members.text('sseEndpoint');
  const url = sse ?? remote.text('url');
  if (type !== undefined && !TYPES.has(type)) {
    const near = nearest(type, [...TYPES]);
    members.note('type', `is none of server, remote and poci${near === undefined ? '' : `: did you mean ${near}?`}`);
  }
  if (type === 'poci')
    return refused('each of its tools starts a container of its own (poci), and none of them speaks MCP');
  if (url !== undefined) {
    members.present(['env', 'image', 'secrets']);
    if (isObject(members.get('oauth')))
      return refused('Docker signs a person in to it (oauth): see outgoingAuth, by which a gateway does that');
    const transport =
      sse !== undefined || /^sse$/i.test(remote.text('transport_type') ?? '') ? 'sse' : 'streamable-http';
    const headers = remote.pairs('headers').map(([name, value]) => ({ name, value: asReferences(value) }));
    return { type: 'remote', remote: { url, transport, headers, tools: undefined } };
  }
  const image = members.text('image');
  if (image === undefined) return refused(withoutImage(members));
  // Signing in may replace one of the secrets.
  members.present(['oauth']);
  const command = members.texts('command') ?? [];
  const volumes = members.texts('volumes') ?? [];
  const placeholder = [...command, ...volumes, members.text('user') ?? ''].find(text => text.includes('{{'));
  if (placeholder !== undefined)
    return refused(
      'its command, volumes or user have placeholders that people fill in: import the mcp.json of a client where they are filled in',
    );
  const program = dockerRun({
    image,
    command,
    volumes,
    user: members.text('user'),
    hasNetwork: members.get('disableNetwork') !== true,
    variables: [...listed(members, 'env').map(plainVariable), ...listed(members, 'secrets').map(secretVariable)],
    tools: undefined,
  });
  return { type: 'program', program };
}

function withoutImage(members: MemberReader): string {
  if (members.problems.length > 0) return unreadable(members.problems);
  members.present(OF_CATALOG);
  const [typo] = members.unread().filter(name => ['image', 'remote'].includes(members.meant(name) ?? ''));
  const missing = 'it has neither an image nor a URL';
  return typo === undefined ? missing : `${missing}: ${typo} looks like a misspelt ${members.meant(typo)}`;
}

function listed(members: MemberReader, name: string): readonly MemberReader[] {
  return members.items(name).map((item, at) => new MemberReader(item, { members, name: `${name}[${at}]` }));
}

function plainVariable(variable: MemberReader): readonly [name: string, value: string] {
  const value = variable.get('value');
  const text = ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : '';
  const name = variable.text('name');
  if (name === undefined) variable.note('name', 'is missing');
  return [name ?? '', asReferences(text)];
}

function secretVariable(secret: MemberReader): readonly [name: string, value: string] {
  const variable = secret.text('env');
  if (variable === undefined) secret.note('env', 'is missing, the variable that holds it');
  return [variable ?? '', `\${${readName(secret.text('name') ?? '')}}`];
}

/** `{{github.url}}` is a placeholder for user input, like `${…}` elsewhere. */
function asReferences(text: string): string {
  return text.replace(/\{\{\s*([^}]*?)\s*\}\}/g, (_, path: string) => `\${${readName(path)}}`);
}

function readName(path: string): string {
  return path.replace(/\|.*$/s, '').replace(/[^A-Za-z0-9_-]+/g, '_');
}
