/** What `lintel doctor` looks at besides the specs: this machine, the clients on it, and the gateway that runs here. */
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { INTERNAL_PORT, VERSION } from '#schemas';
import { clientFilesIn, clientFilesOfPerson } from '../../connect/index.ts';
import { asksNobody, examineAuth } from '../../doctor/index.ts';
import { listed } from '../../text/describe.ts';
import { NoStatusError, readStatus, statusUrl } from '../../top/index.ts';
import { isPortFree } from '../serving/ports.ts';
import type { Check } from './check.ts';

/** The oldest version is refused before any command begins. */
export function checkNode(): Check {
  return { check: 'Node', outcome: 'works', seen: `lintel ${VERSION} on Node ${process.versions.node}` };
}

/** `dev` and `serve` write bundles into one, `lock` and `import` into the other. */
export function checkFolders(): Check {
  const check = 'folders';
  const refused = [process.cwd(), tmpdir()].filter(folder => !isWritable(folder));
  if (refused.length === 0)
    return { check, outcome: 'works', seen: 'this one and that of temporary files can be written' };
  const advice = 'give yourself the right to write there, or name another folder for temporary files by TMPDIR';
  return { check, outcome: 'broken', seen: `cannot write to ${listed(refused)}`, advice };
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Whether a gateway runs here, or could be started. */
export interface PortsFound {
  readonly checks: readonly Check[];
  readonly isTaken: boolean;
}

/** @param url of the MCP endpoint, as clients have it */
export async function checkPorts(url: URL): Promise<PortsFound> {
  const check = 'ports';
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  if (!/^(?:127(?:\.\d+){3}|localhost)$/.test(url.hostname)) {
    return { checks: [{ check, outcome: 'skipped', seen: `${url.hostname} is another machine` }], isTaken: true };
  }
  const isFree = await isPortFree(port);
  if (isFree)
    return { checks: [{ check, outcome: 'works', seen: `${port} is free for \`lintel dev\`` }], isTaken: false };
  try {
    await readStatus(statusUrl(`127.0.0.1:${INTERNAL_PORT}`));
    return {
      checks: [{ check, outcome: 'works', seen: `a gateway runs, and has ${INTERNAL_PORT} for its status` }],
      isTaken: true,
    };
  } catch (error) {
    if (!(error instanceof NoStatusError)) throw error;
    const seen = `${port} is taken, and no gateway has ${INTERNAL_PORT} for its status`;
    const advice = 'if that is another program, end it, or start with --port 0';
    return { checks: [{ check, outcome: 'warning', seen, advice }], isTaken: true };
  }
}

export function checkClients(url: URL): Check {
  const check = 'clients';
  const files = [...clientFilesIn(process.cwd()), ...clientFilesOfPerson()];
  const places = [url.host, url.host.replace('127.0.0.1', 'localhost')].map(
    host => `${url.protocol}//${host}${url.pathname}`,
  );
  const having = files.filter(({ path }) => {
    if (!existsSync(path)) return false;
    try {
      const text = readFileSync(path, 'utf8');
      return places.some(place => text.includes(place));
    } catch {
      return false;
    }
  });
  if (having.length > 0)
    return {
      check,
      outcome: 'works',
      seen: `${listed([...new Set(having.map(({ client }) => client))])} has the gateway`,
    };
  const advice = '`npx lintel connect claude --write`, or another client in its place';
  return { check, outcome: 'warning', seen: `no file of a client has ${url.href}`, advice };
}

export async function checkSignIn(url: URL, isTaken: boolean, timeoutMs: number): Promise<Check> {
  const check = 'sign-in';
  if (!isTaken) return { check, outcome: 'skipped', seen: `no gateway runs at ${url.href}` };
  const report = await examineAuth(url, { registers: false, clientId: undefined, timeoutMs });
  if (!report.isReached) return { check, outcome: 'skipped', seen: `${report.url} does not answer` };
  if (asksNobody(report)) return { check, outcome: 'works', seen: 'the gateway lets callers in without a token' };
  if (report.works)
    return { check, outcome: 'works', seen: 'a client gets through to the page where a person signs in' };
  const advice = `\`npx lintel doctor auth ${report.url}\` says what is wrong there`;
  return { check, outcome: 'broken', seen: `it breaks at: ${report.firstBroken}`, advice };
}
