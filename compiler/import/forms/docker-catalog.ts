/**
 * A catalog of Docker's MCP Toolkit (`registry:`), or one entry of it.
 *
 * @see https://github.com/docker/mcp-gateway/blob/main/docs/server-entry-spec.md
 */
import { isObject } from '#schemas';
import { findNearest } from '#shared/util';
import type { FoundServer, FoundServers, ImportOutcome, LostPart } from '../found.ts';
import { explainLoss, explainUnknownPart } from '../lost-reasons.ts';
import { MemberReader } from '../members.ts';
import { formatUnreadable, toReadableOutcome } from '../readable-outcome.ts';
import { toDockerRun } from './docker-run.ts';
import { refuseFile } from './mcp-json.ts';

/** Display settings of catalogs. */
const OF_CATALOG = [
  'config',
  'dateAdded',
  'description',
  'dynamic',
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
    ? Object.entries(registry).map(([key, entry]) => readServer(key, `registry.${key}`, entry))
    : [readServer(String(name), String(name), value)];
  return { form: "catalog of Docker's MCP Toolkit", servers, lost: [] };
}

function readServer(name: string, location: string, entry: unknown): FoundServer {
  const members = new MemberReader(entry);
  const outcome = toReadableOutcome(toOutcome(members), members);
  const isCarried = outcome.type === 'remote' || outcome.type === 'program';
  members.present(OF_CATALOG);
  const lost = isCarried
    ? members.listUnread().map(
        (part): LostPart => ({
          part,
          reason: explainLoss(part, LOST_OF_CATALOG, explainUnknownPart(members.suggest(part))),
        }),
      )
    : [];
  return { name, place: location, outcome, lost, ofClient: [] };
}

function toOutcome(members: MemberReader): ImportOutcome {
  const type = members.text('type');
  const remote = members.within('remote');
  const sse = members.text('sseEndpoint');
  const url = sse ?? remote.text('url');
  if (type !== undefined && !TYPES.has(type)) {
    const near = findNearest(type, [...TYPES]);
    members.note('type', `is none of server, remote and poci${near === undefined ? '' : `: did you mean ${near}?`}`);
  }
  if (type === 'poci')
    return refuseFile('each of its tools starts a container of its own (poci), and none of them speaks MCP');
  if (url !== undefined) {
    members.present(['env', 'image', 'secrets']);
    if (typeof members.get('oauth') === 'object')
      return refuseFile('Docker signs a person in to it (oauth): see outgoingAuth, by which a gateway does that');
    const transport =
      sse !== undefined || /^sse$/i.test(remote.text('transport_type') ?? '') ? 'sse' : 'streamable-http';
    const headers = remote.pairs('headers').map(([name, value]) => ({ name, value: asReferences(value) }));
    return { type: 'remote', remote: { url, transport, headers, tools: undefined } };
  }
  const image = members.text('image');
  if (image === undefined) return refuseFile(withoutImage(members));
  // Docker can fill a secret by signing a person in (`oauth`). The secret itself is imported, so `oauth` is not reported as unread.
  members.present(['oauth']);
  const command = members.texts('command') ?? [];
  const volumes = members.texts('volumes') ?? [];
  const placeholder = [...command, ...volumes, members.text('user') ?? ''].find(text => text.includes('{{'));
  if (placeholder !== undefined)
    return refuseFile(
      'its command, volumes or user have placeholders that people fill in: import the mcp.json of a client where they are filled in',
    );
  const program = toDockerRun({
    image,
    command,
    volumes,
    user: members.text('user'),
    hasNetwork: members.get('disableNetwork') !== true,
    variables: [
      ...listMembers(members, 'env').map(readPlainVariable),
      ...listMembers(members, 'secrets').map(readSecretVariable),
    ],
    tools: undefined,
  });
  return { type: 'program', program };
}

function withoutImage(members: MemberReader): string {
  if (members.problems.length > 0) return formatUnreadable(members.problems);
  members.present(OF_CATALOG);
  const [typo] = members.listUnread().filter(name => ['image', 'remote'].includes(members.suggest(name) ?? ''));
  const missing = 'it has neither an image nor a URL';
  return typo === undefined ? missing : `${missing}: ${typo} looks like a misspelt ${members.suggest(typo)}`;
}

function listMembers(members: MemberReader, name: string): readonly MemberReader[] {
  return members.items(name).map((item, at) => new MemberReader(item, { members, name: `${name}[${at}]` }));
}

function readPlainVariable(variable: MemberReader): readonly [name: string, value: string] {
  const value = variable.get('value');
  const text = ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : '';
  const name = variable.text('name');
  if (name === undefined) variable.note('name', 'is missing');
  return [name ?? '', asReferences(text)];
}

function readSecretVariable(secret: MemberReader): readonly [name: string, value: string] {
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
