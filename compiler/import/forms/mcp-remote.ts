/**
 * `npx mcp-remote URL` is a bridge for clients that only support programs: it connects to a remote server, and a gateway can connect to
 * that server directly.
 *
 * @see https://www.npmjs.com/package/mcp-remote
 */
import type { FoundHeader, FoundRemote } from '../found.ts';

const PACKAGE = /^mcp-remote(?:@[\w.^~-]+)?$/;

/** Options with a value that only concern the bridge. */
const OF_BRIDGE = new Set(['--host', '--auth-timeout', '--ignore-tool', '--callback-port']);

const SIGN_IN = /^--(?:static-oauth|resource)/;

/**
 * @param variables of the program's environment, which headers may refer to
 * @returns undefined for any other program
 */
export function readBridgedRemote(
  command: string,
  args: readonly string[],
  variables: readonly (readonly [string, string])[],
): Omit<FoundRemote, 'tools'> | { readonly reason: string } | undefined {
  const program =
    command
      .replaceAll('\\', '/')
      .split('/')
      .at(-1)
      ?.replace(/\.(?:cmd|exe)$/, '') ?? '';
  // On Windows, clients start `npx` through a shell: `cmd /c npx …`.
  const words = program === 'cmd' ? args.slice(args.findIndex(arg => /^npx(?:\.cmd)?$/.test(arg)) + 1) : args;
  const at = PACKAGE.test(program) ? -1 : words.findIndex(arg => PACKAGE.test(arg));
  if (at === -1 && !PACKAGE.test(program)) return undefined;
  let url: string | undefined;
  let transport: FoundRemote['transport'];
  const headers: FoundHeader[] = [];
  const rest = [...words.slice(at + 1)];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === '--header') headers.push(readHeader(rest.shift() ?? '', new Map(variables)));
    else if (arg === '--transport') transport = rest.shift()?.startsWith('sse') === true ? 'sse' : 'streamable-http';
    else if (arg === '--ignore-tool')
      return {
        reason: 'it hides some of its tools, and which are left is not known: write a filter of those that are',
      };
    else if (SIGN_IN.test(arg))
      return {
        reason:
          'mcp-remote signs people in with a client of its own: see authServerConfig, with which a gateway does that',
      };
    else if (OF_BRIDGE.has(arg)) rest.shift();
    else if (!arg.startsWith('-')) url ??= arg;
  }
  return url === undefined ? { reason: 'mcp-remote is given no URL' } : { url, transport, headers };
}

/** `Name: value`; the value may be a variable of the program, whose value is then examined like that of any other variable. */
function readHeader(text: string, variables: ReadonlyMap<string, string>): FoundHeader {
  const colon = text.indexOf(':');
  const name = colon === -1 ? text : text.slice(0, colon);
  const value = colon === -1 ? '' : text.slice(colon + 1).trim();
  const [, variable] = /^\$\{([A-Za-z_]\w*)\}$/.exec(value) ?? [];
  const variableValue = variable === undefined ? undefined : variables.get(variable);
  return { name: name.trim(), value: variableValue ?? value };
}
