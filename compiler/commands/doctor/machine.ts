/** The checks of `lintel doctor` besides those of the specs: this machine, the clients on it, and the gateway that runs here. */
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { VERSION } from '#schemas';
import { listClientFiles, listUserClientFiles } from '../../connect/index.ts';
import { type AuthReport, examineAuth, requiresNoToken } from '../../doctor/index.ts';
import { getOwnCommand } from '../../own-command.ts';
import { formatList } from '../../text/describe.ts';
import { isPortFree } from '../serving/ports.ts';
import type { DoctorCheck } from './check.ts';

/** Reports the version of Node. It always works, because every command refuses to start on a version that is too old. */
export function checkNode(): DoctorCheck {
  return { check: 'Node', outcome: 'works', seen: `lintel ${VERSION} on Node ${process.versions.node}` };
}

/**
 * Checks that folders can be written: `dev` and `serve` write bundles into the temporary folder, `lock` and `import` write into the working
 * directory.
 */
export function checkFolders(): DoctorCheck {
  const check = 'folders';
  const refused = [process.cwd(), tmpdir()].filter(folder => !isWritable(folder));
  if (refused.length === 0)
    return { check, outcome: 'works', seen: 'the current folder and the folder for temporary files can be written' };
  const advice = 'give yourself the right to write there, or name another folder for temporary files by TMPDIR';
  return { check, outcome: 'broken', seen: `cannot write to ${formatList(refused)}`, advice };
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export function checkClients(url: URL): DoctorCheck {
  const check = 'clients';
  const files = [...listClientFiles(process.cwd()), ...listUserClientFiles()];
  const locations = [url.host, url.host.replace('127.0.0.1', 'localhost')].map(
    host => `${url.protocol}//${host}${url.pathname}`,
  );
  const having = files.filter(({ path }) => {
    if (!existsSync(path)) return false;
    try {
      const text = readFileSync(path, 'utf8');
      return locations.some(location => text.includes(location));
    } catch {
      return false;
    }
  });
  if (having.length > 0)
    return {
      check,
      outcome: 'works',
      seen: `${formatList([...new Set(having.map(({ client }) => client))])} has the gateway`,
    };
  const advice = `\`${getOwnCommand()} connect claude --write\`, or another client in its place`;
  return { check, outcome: 'warning', seen: `no file of a client has ${url.href}`, advice };
}

/**
 * Whether the port is free, or a gateway answers there already; for a running gateway, how it authenticates callers.
 *
 * @param url of the MCP endpoint, as clients know it
 * @param timeoutMs timeout of each request
 */
export async function checkEndpoint(url: URL, timeoutMs: number): Promise<readonly DoctorCheck[]> {
  const [check, signIn] = ['port', 'sign-in'];
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  const isHere = /^(?:127(?:\.\d+){3}|localhost)$/.test(url.hostname);
  if (isHere && (await isPortFree(port)))
    return [
      { check, outcome: 'works', seen: `${port} is free for \`lintel dev\`` },
      { check: signIn, outcome: 'skipped', seen: `no gateway runs at ${url.href}` },
    ];
  const report = await examineAuth(url, { registers: false, clientId: undefined, timeoutMs });
  const [challenge] = report.hops;
  // Any other response comes from a program that does not implement MCP.
  const isServer = requiresNoToken(report) || challenge?.outcome === 'works' || challenge?.outcome === 'warning';
  if (!isServer) {
    const seen = isHere
      ? `${port} is taken by a program that is no MCP server`
      : `no MCP server answers at ${report.url}`;
    const advice = isHere ? 'end it, or start the gateway with --port' : 'start the gateway, or correct --url';
    return [
      { check, outcome: 'broken', seen, advice },
      { check: signIn, outcome: 'skipped', seen: 'there is no gateway to ask' },
    ];
  }
  return [{ check, outcome: 'works', seen: `an MCP server answers at ${report.url}` }, describeSignIn(report, signIn)];
}

function describeSignIn(report: AuthReport, check: string): DoctorCheck {
  if (requiresNoToken(report)) return { check, outcome: 'works', seen: 'callers get in without a token' };
  if (report.works)
    return { check, outcome: 'works', seen: 'a client gets through to the page where a person signs in' };
  const advice = `\`${getOwnCommand()} doctor auth ${report.url}\` says what is wrong there`;
  return { check, outcome: 'broken', seen: `the sign-in fails at: ${report.firstBroken}`, advice };
}
