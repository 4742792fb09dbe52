/** Plans the conversion: servers of a new gateway, and a reason for everything that is not converted. */
import { GATEWAY_PORT, MCP_PATH } from '#schemas';
import { isSecretHeader, isSecretName } from '../source/secret-name.ts';
import { isHarmless } from '../starter/harmless.ts';
import { freeName, toObjectName } from '../starter/object-name.ts';
import { isOnThisMachine } from '../starter/on-this-machine.ts';
import { listSecretVariables, type SecretVariable } from '../starter/secret-variables.ts';
import { findServerProblem } from '../starter/server-problem.ts';
import { isProgram, type StarterServer } from '../starter/starter-server.ts';
import { findUrlProblem, type UrlProblem } from '../starter/url-secret.ts';
import { carryArguments, isHook, isPlainPath, isPlainSetting, isPlainUrl } from './argument.ts';
import type { FoundObject, FoundProgram, FoundRemote, FoundServer, FoundServers } from './found.ts';
import { describeValue, findReferences, isLiteral, isOfTransport, isPlainHeader, isWrittenOut } from './header.ts';

export interface FoundFile {
  /** The path of the file, as messages show it. */
  readonly file: string;
  readonly found: FoundServers;
}

export interface CarriedVariable extends SecretVariable {
  /** Where its value comes from. */
  readonly recipe: string;
  /** The file contains the value itself rather than a reference. */
  readonly isWrittenOut: boolean;
  /**
   * Whether `--plain` with the name of the variable would write the value into the specs. False for an argument, because Lintel has chosen the
   * name of its variable.
   */
  readonly mayBePlain: boolean;
}

export interface CarriedServer {
  readonly file: string;
  readonly place: string;
  readonly server: StarterServer;
  readonly variables: readonly CarriedVariable[];
  /** Whether the transport is a guess, because the client would detect it. */
  readonly isTransportGuessed: boolean;
  /** Settings that only concern the client. */
  readonly ofClient: readonly string[];
  /** The server has no credential in the file. If it requires a sign-in, the client handled that without any setting. */
  readonly mayAskForSignIn: boolean;
}

export interface NotCarried {
  readonly file: string;
  readonly place: string;
  readonly reason: string;
}

export interface CarriedObject extends FoundObject {
  readonly file: string;
}

export interface ImportPlan {
  readonly carried: readonly CarriedServer[];
  /** Objects in their original order; they are not servers of the new gateway. */
  readonly objects: readonly CarriedObject[];
  /** The group of a gateway among the objects, which the servers join: then there is no new gateway. */
  readonly group: string | undefined;
  readonly notCarried: readonly NotCarried[];
  /** Disabled entries: nothing is lost without them. */
  readonly off: readonly NotCarried[];
}

export interface PlanOptions {
  /** Names of existing objects. */
  readonly taken: ReadonlySet<string>;
  /** Names of headers, variables and query parameters, `path` and `args`, that the operator declared not to be secret. */
  readonly plain: ReadonlySet<string>;
  /** The existing group that the servers join; undefined for a new gateway, and when an object of the files has the group. */
  readonly group?: string | undefined;
}

export function planImport(files: readonly FoundFile[], { taken, plain, group }: PlanOptions): ImportPlan {
  const namesOfObjects = files.flatMap(({ found }) =>
    (found.objects ?? []).map(({ place: location }) => location.replace(/^.*[ /]/, '')),
  );
  const names = new Set([...taken, ...namesOfObjects]);
  const variables = new Set<string>();
  const carried: CarriedServer[] = [];
  const notCarried: NotCarried[] = [];
  const off: NotCarried[] = [];
  const objects = files.flatMap(({ file, found }) => (found.objects ?? []).map(object => ({ ...object, file })));
  for (const { file, found } of files) {
    for (const { part, reason } of found.lost) notCarried.push({ file, place: part, reason });
    for (const server of found.servers) {
      const { outcome, place: location, lost } = server;
      if (outcome.type === 'off' || outcome.type === 'refused') {
        (outcome.type === 'off' ? off : notCarried).push({ file, place: location, reason: outcome.reason });
        continue;
      }
      if (outcome.type === 'remote' && isGatewayItself(outcome.remote)) {
        off.push({ file, place: location, reason: GATEWAY_ITSELF });
        continue;
      }
      const taken = { names, variables, plain };
      const planned =
        outcome.type === 'remote'
          ? carryServer(file, server, outcome.remote, taken)
          : carryProgram(file, server, outcome.program, taken);
      if ('reason' in planned) {
        notCarried.push({ file, place: location, reason: planned.reason });
        continue;
      }
      names.add(planned.server.name);
      for (const { name } of planned.variables) variables.add(name);
      carried.push(planned);
      for (const { part, reason } of lost) notCarried.push({ file, place: `${location}.${part}`, reason });
    }
  }
  return joinObjects({ carried, objects, group, notCarried, off }, files);
}

/** An entry that `lintel connect` wrote: a gateway in front of itself would call itself endlessly. */
function isGatewayItself({ url }: FoundRemote): boolean {
  const { port, pathname } = URL.parse(url) ?? {};
  return port === String(GATEWAY_PORT) && pathname === MCP_PATH && isOnThisMachine({ url });
}

const GATEWAY_ITSELF = 'this is where `lintel dev` serves the gateway itself';

const NO_MEMBERS =
  'the servers of its group are not in this file: import it together with what `thv export` writes for each of them';
const NOT_IN_GROUP = 'a server on this machine is in no group: write it into config.backends of the gateway';

/** A gateway without backends of its own gets the servers of the other files. */
function joinObjects(plan: ImportPlan, files: readonly FoundFile[]): ImportPlan {
  const gateway = files.find(({ found }) => found.group !== undefined);
  const group = plan.group ?? gateway?.found.group;
  if (group === undefined) return plan;
  const isLocal = ({ server }: CarriedServer) => !isProgram(server) && isOnThisMachine(server);
  const [local, carried] = [plan.carried.filter(isLocal), plan.carried.filter(server => !isLocal(server))];
  const missing =
    carried.length > 0 || gateway === undefined ? [] : [{ file: gateway.file, place: 'group', reason: NO_MEMBERS }];
  const outsideGroup = local.map(({ file, place: location }) => ({ file, place: location, reason: NOT_IN_GROUP }));
  return { ...plan, group, carried, notCarried: [...plan.notCarried, ...outsideGroup, ...missing] };
}

interface TakenNames {
  readonly names: ReadonlySet<string>;
  readonly variables: ReadonlySet<string>;
  readonly plain: ReadonlySet<string>;
}

function carryServer(
  file: string,
  found: FoundServer,
  remote: FoundRemote,
  taken: TakenNames,
): CarriedServer | { readonly reason: string } {
  const problem = findUrlProblem(remote.url, taken.plain);
  if (problem !== undefined) return { reason: describeUrlProblem(problem) };
  const url = new URL(remote.url);
  url.hash = '';
  const guessed = url.pathname.endsWith('/sse') ? 'sse' : 'streamable-http';
  const headers = remote.headers.filter(header => !isOfTransport(header));
  const small = new Set([...taken.plain].map(name => name.toLowerCase()));
  const plainHeaders = headers.filter(header => isPlainHeader(header, small));
  const secretHeaders = headers.filter(header => !plainHeaders.includes(header));
  const named = (name: string): StarterServer => ({
    name,
    // As written, without parts that are never sent.
    url: remote.url.replace(/#.*$/s, ''),
    transport: remote.transport ?? guessed,
    plainHeaders: Object.fromEntries(plainHeaders.map(header => [header.name, header.value])),
    secretHeaders: secretHeaders.map(header => header.name),
    tools: remote.tools,
  });
  const server = named(freeServerName(found.name, named, taken));
  const reason = findServerProblem(server);
  if (reason !== undefined) return { reason };
  const variables = listSecretVariables(server).map((variable, index) => {
    const header = secretHeaders[index];
    const { value } = header ?? { value: '' };
    return {
      ...variable,
      recipe: header === undefined ? '' : describeValue(header),
      isWrittenOut: isWrittenOut(value),
      mayBePlain: isLiteral(value),
    };
  });
  const { place: location, ofClient } = found;
  return {
    file,
    place: location,
    server,
    variables,
    isTransportGuessed: remote.transport === undefined,
    ofClient,
    mayAskForSignIn: secretHeaders.length === 0 && !isOnThisMachine(remote),
  };
}

function describeUrlProblem({ reason, plainName }: UrlProblem): string {
  return plainName === undefined
    ? reason
    : `${reason}; if it is none, \`lintel import --plain ${plainName}\` writes it into the specs`;
}

function carryProgram(
  file: string,
  found: FoundServer,
  program: FoundProgram,
  taken: TakenNames,
): CarriedServer | { readonly reason: string } {
  const { command, inherited, workingDir, tools } = program;
  // If two variables have the same name, the later one counts, as in a process's environment.
  const variables = [...new Map(program.variables)];
  const isPlain = ([name, value]: readonly [string, string]) =>
    !value.includes('${') &&
    (taken.plain.has(name) ||
      (!isSecretHeader(name.replaceAll('_', '-')) && (isHarmless(value) || isPlainPath(value))) ||
      (!isSecretName(name) && !isHook(name) && isPlainUrl(value, taken.plain)) ||
      isPlainSetting(name, value));
  const args = carryArguments(program.args, taken.plain, new Set(variables.map(([name]) => name)));
  const secrets: (readonly [name: string, value: string, ofArgument?: string])[] = [
    ...variables.filter(variable => !isPlain(variable)),
    ...args.flatMap(({ variable, text }, at) =>
      variable === undefined
        ? []
        : [[variable.name, variable.value, formatArgumentRecipe(text, variable, program, at)] as const],
    ),
  ];
  const named = (name: string): StarterServer => ({
    name,
    command,
    args: args.map(({ text }) => text),
    workingDir,
    plainVariables: Object.fromEntries(variables.filter(isPlain)),
    secretVariables: secrets.map(([name]) => name),
    ...(inherited !== undefined && { inherited }),
    tools,
  });
  const server = named(freeServerName(found.name, named, taken));
  const reason = findServerProblem(server);
  if (reason !== undefined) return { reason };
  const carried = listSecretVariables(server).map((variable, index) => {
    const [name = '', value = '', ofArgument] = secrets[index] ?? [];
    return {
      ...variable,
      recipe: ofArgument ?? describeValue({ name, value }),
      isWrittenOut: isWrittenOut(value),
      mayBePlain: ofArgument === undefined && isLiteral(value),
    };
  });
  const { place: location, ofClient } = found;
  return {
    file,
    place: location,
    server,
    variables: carried,
    isTransportGuessed: false,
    ofClient,
    mayAskForSignIn: false,
  };
}

/** Describes the argument, since its name may say nothing. Only a flag from the client's own text is repeated. */
function formatArgumentRecipe(
  text: string,
  variable: { readonly name: string; readonly value: string },
  { args, firstArgument = 0 }: FoundProgram,
  at: number,
): string {
  const before = text.slice(0, text.indexOf(`$(${variable.name})`));
  // Lintel itself wrote the arguments before, from other settings.
  if (at < firstArgument) return `what the imported file has for ${args[at - 1]}`;
  const location = `argument ${at + 1 - firstArgument} in the imported file`;
  const what = before === '' ? location : `what stands behind ${before} in ${location}`;
  const references = findReferences(variable.value);
  if (references === undefined) return what;
  return references.isWhole ? `${what}: ${references.what}` : `${what}, with ${references.what} filled in`;
}

/** A name that neither an object nor another server's variable has: server `a-b` with header `c` has the variable of server `a` with `b-c`. */
function freeServerName(
  preferred: string,
  named: (name: string) => StarterServer,
  { names, variables }: TakenNames,
): string {
  const refused = new Set(names);
  for (;;) {
    const name = freeName(toObjectName(preferred, 'server'), refused);
    if (listSecretVariables(named(name)).every(variable => !variables.has(variable.name))) return name;
    refused.add(name);
  }
}
