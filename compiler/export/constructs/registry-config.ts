/** The configuration of a registry server as props of `Registry` and `RegistryFile`. */

import type { ProgramScope } from '../program-scope.ts';
import type { Line } from '../statement.ts';
import {
  type CallCode,
  type Code,
  type CommentedCode,
  type CommentedMember,
  call,
  list,
  plain,
} from '../typescript/code.ts';
import { formatStringLiteral } from '../typescript/literal.ts';
import { ConsumedMapping } from './block.ts';
import { NotRepresentable } from './not-representable.ts';
import { isAbsolutePath, isHttp, isHttps, isPeriod, isSafeUrl, isText } from './prop-guards.ts';
import { emitRegistryProvider } from './registry-provider.ts';
import { PLAIN_FILES, type ServerFiles } from './server-files.ts';

/** The code for the configuration of a registry server. */
export interface ConfigCode {
  /** Statements that create the sources, with a const for each source. */
  readonly before: readonly Line[];
  readonly members: readonly CommentedMember[];
}

/**
 * @param config the whole configuration; the caller consumes `registryName`
 * @param files returns the expression for a file, by its path
 * @throws NotRepresentable
 */
export function emitRegistryConfig(
  config: ConsumedMapping,
  program: ProgramScope,
  files: ServerFiles = PLAIN_FILES,
): ConfigCode {
  const above = config.writer.comments.at([...config.path, 'sources']);
  const sources = readBlocks(config, 'sources').map((block, index) =>
    emitSource(block, program, files, index === 0 ? above : []),
  );
  const views = readBlocks(config, 'registries');
  const named: string[] = [];
  const items = views.map(view => emitViewItem(view, sources, named));
  const auth = config.block('auth');
  if (auth === undefined) throw new NotRepresentable('`auth` is missing.');
  const authCode = emitRegistryAuth(auth, files);
  // The default order is the one in which registries name the sources. If the order differs, the program states it.
  const order = [...new Set(named)];
  const isUsual = order.length === sources.length && order.every((name, index) => sources[index]?.name === name);
  const members = [
    ...(isUsual ? [] : [emitSourcesMember(sources, config)]),
    ...config.emit('registries', 'registries', { type: 'list', items }),
    ...config.emit('auth', 'auth', authCode),
    ...config.props('telemetry', 'audit'),
  ];
  config.done();
  return { before: sources.map(({ line }) => line), members };
}

interface EmittedSource {
  readonly name: string;
  readonly line: Line;
}

function emitSourcesMember(sources: readonly EmittedSource[], { writer }: ConsumedMapping): CommentedMember {
  return writer.member('sources', list(sources.map(({ line }) => plain(line.constant ?? ''))), ['sources']);
}

function emitViewItem(view: ConsumedMapping, sources: readonly EmittedSource[], named: string[]): CommentedCode {
  const comments = view.writer.comments.at(view.path);
  const names = view.take('sources');
  if (!Array.isArray(names) || names.length === 0)
    throw new NotRepresentable('an entry of `registries` has no `sources`.');
  const constants = names.map(name => {
    const found = sources.find(source => source.name === name);
    if (found === undefined)
      throw new NotRepresentable(`an entry of \`registries\` names the source \`${name}\`, which does not exist.`);
    named.push(found.name);
    return plain(found.line.constant ?? '');
  });
  const members = [
    ...view.required('name'),
    ...view.emit('sources', 'sources', list(constants)),
    ...view.prop('claims', 'claims', areClaims),
  ];
  view.done();
  return { comments, value: { type: 'object', members } };
}

function emitSource(
  block: ConsumedMapping,
  program: ProgramScope,
  files: ServerFiles,
  above: readonly string[],
): EmittedSource {
  const own = block.writer.comments.at(block.path);
  const comments = [...above, ...(above.length > 0 && own.length > 0 ? [''] : []), ...own];
  const name = block.take('name');
  if (typeof name !== 'string' || !/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name))
    throw new NotRepresentable('a source has no valid `name`.');
  const code = emitSourceCall(name, block, files);
  block.done();
  return { name, line: { code, constant: program.reserveConstant(name, `${name}-source`), comments } };
}

function emitSourceCall(name: string, block: ConsumedMapping, files: ServerFiles): CallCode {
  const policy = block.block('syncPolicy');
  const every = policy?.prop('every', 'interval', isPeriod) ?? [];
  policy?.done();
  const common = [...every, ...block.props('filter'), ...block.prop('claims', 'claims', areClaims)];
  const made = (callee: string, members: readonly CommentedMember[], isFetched: boolean | undefined): CallCode => {
    if (isFetched !== undefined && isFetched !== every.length > 0)
      throw new NotRepresentable(
        `\`RegistrySource.${callee}\` ${isFetched ? 'needs' : 'does not accept'} an interval in \`syncPolicy\`.`,
      );
    const all = [...members, ...common];
    return call(
      `RegistrySource.${callee}`,
      plain(formatStringLiteral(name)),
      ...(all.length === 0 ? [] : [{ type: 'object', members: all } as const]),
    );
  };
  const git = block.block('git');
  if (git !== undefined) return made('git', emitGitMembers(git, files), true);
  const api = block.block('api');
  if (api !== undefined) {
    const auth = emitHttpAuthMembers(api, files);
    const members = [
      ...api.required('endpoint', 'endpoint', auth.length === 0 ? isWebUrl : isPrivateUrl),
      ...api.prop('timeout', 'timeout', isPeriod),
      ...auth,
    ];
    api.done();
    return made('api', members, true);
  }
  const kubernetes = block.block('kubernetes');
  if (kubernetes !== undefined) {
    const members = kubernetes.props('namespaces');
    kubernetes.done();
    return made('kubernetes', members, false);
  }
  const file = block.block('file');
  if (file === undefined) throw new NotRepresentable('a source has none of `git`, `api`, `kubernetes` and `file`.');
  const isUrl = file.take('url') !== undefined;
  const path = file.take('path');
  const auth = isUrl ? emitHttpAuthMembers(file, files) : [];
  const isFit = auth.length === 0 ? isWebUrl : isPrivateUrl;
  const members = isUrl
    ? [...file.required('url', 'url', isFit), ...file.prop('timeout', 'timeout', isPeriod), ...auth]
    : file.required('path', 'path', isText);
  if (isUrl && path !== undefined) throw new NotRepresentable('a source has both a `url` and a `path`.');
  file.done();
  if (isUrl) return made('url', members, true);
  return isAbsolutePath(path) ? made('localFile', members, undefined) : made('projectFile', members, false);
}

function emitGitMembers(git: ConsumedMapping, files: ServerFiles): readonly CommentedMember[] {
  const auth = git.block('auth');
  const credentials = auth && [...auth.required('username'), ...auth.serverFile('password', 'passwordFile', files)];
  auth?.done();
  const isOpen = (url: unknown) => isHttp(url) || isAbsolutePath(url) || `${url}`.startsWith('file://');
  const reference = [...git.props('branch'), ...git.props('tag'), ...git.props('commit')];
  if (reference.length > 1)
    throw new NotRepresentable('a Git source has more than one of `branch`, `tag` and `commit`.');
  const members = [
    ...git.required('repository', 'repository', url => isPrivateUrl(url) || (credentials === undefined && isOpen(url))),
    ...reference,
    ...git.props('path'),
    ...git.emit('auth', 'auth', credentials && { type: 'object', members: credentials }),
  ];
  git.done();
  return members;
}

function emitRegistryAuth(auth: ConsumedMapping, files: ServerFiles): Code {
  const mode = auth.take('mode') ?? 'oauth';
  const oauth = auth.block('oauth');
  const authz = auth.block('authz');
  auth.done();
  if (mode === 'anonymous' && oauth === undefined && authz === undefined) return call('RegistryAuth.anonymous');
  if (mode !== 'oauth' || oauth === undefined)
    throw new NotRepresentable('`RegistryAuth` cannot express this combination of `mode`, `oauth` and `authz`.');
  const providers = readBlocks(oauth, 'providers').map(
    (block): CommentedCode => ({
      comments: block.writer.comments.at(block.path),
      value: emitRegistryProvider(block, files),
    }),
  );
  const roles = authz?.block('roles');
  if (authz !== undefined && roles === undefined) throw new NotRepresentable('`authz` has no `roles`.');
  authz?.done();
  const isPublicPath = (paths: unknown) =>
    Array.isArray(paths) && paths.every(path => isText(path) && `${path}`.startsWith('/registry/'));
  const members = [
    ...oauth.required('resourceUrl', 'resourceUrl', isSafeUrl),
    ...oauth.props('realm'),
    ...oauth.prop('publicPaths', 'publicPaths', isPublicPath),
    ...oauth.emit('providers', 'providers', { type: 'list', items: providers }),
    ...(authz === undefined || roles === undefined ? [] : [emitRolesMember(authz, roles)]),
  ];
  oauth.done();
  return call('RegistryAuth.oauth', { type: 'object', members });
}

const ROLES = ['superAdmin', 'manageSources', 'manageRegistries', 'manageEntries'];

function emitRolesMember({ path, writer: { comments } }: ConsumedMapping, roles: ConsumedMapping): CommentedMember {
  const isRole = (entries: unknown) =>
    Array.isArray(entries) && entries.every(entry => areClaims(entry) && Object.keys(entry as object).length > 0);
  const above = [...comments.at(path), ...comments.at(roles.path)];
  const members = ROLES.flatMap(role => roles.prop(role, role, isRole));
  roles.done();
  return { key: 'roles', comments: above, value: { type: 'object', members } };
}

/** The `auth` of a source over HTTP. */
function emitHttpAuthMembers(block: ConsumedMapping, files: ServerFiles): readonly CommentedMember[] {
  const auth = block.block('auth');
  if (auth === undefined) return [];
  const members = [
    ...auth.prop('username', 'username', isText),
    ...auth.serverFile('password', 'passwordFile', files),
    ...auth.serverFile('token', 'tokenFile', files),
  ];
  auth.done();
  const keys = members.map(({ key }) => key).join(' ');
  if (keys !== 'username password' && keys !== 'token')
    throw new NotRepresentable('the `auth` of a source is neither a token nor a user name with a password.');
  return block.emit('auth', 'auth', { type: 'object', members });
}

/** Whether requests to this URL are protected from other people on the network: by TLS, or because they stay on this machine. */
function isPrivateUrl(url: unknown): boolean {
  return isHttps(url) || (isSafeUrl(url) && isHttp(url));
}

function isWebUrl(url: unknown): boolean {
  return isHttps(url) || isHttp(url);
}

/** Whether the value maps names of claims to a value, or to a list of alternatives. */
function areClaims(claims: unknown): boolean {
  if (typeof claims !== 'object' || claims === null || Array.isArray(claims)) return false;
  return Object.values(claims).every(
    value => isText(value) || (Array.isArray(value) && value.length > 0 && value.every(isText)),
  );
}

function readBlocks(block: ConsumedMapping, field: string): readonly ConsumedMapping[] {
  const items = block.take(field);
  if (!Array.isArray(items) || items.length === 0)
    throw new NotRepresentable(`\`${field}\` is not a list, or it is empty.`);
  return items.map((item, index) => new ConsumedMapping(item, [...block.path, field, index], block.writer));
}
