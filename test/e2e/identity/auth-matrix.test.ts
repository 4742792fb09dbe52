/**
 * Every authentication method, from the specs to a backend that verifies the credential, with the built programs. The cells are those of the
 * table in compiler/lower/outgoing/README.md. Each gives one outcome here: a successful call, or an error that names the alternatives.
 */
import { readFile } from 'node:fs/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type IdentityProvider, startIdentityProvider } from '../../support/identity-provider.ts';
import { runLintel } from '../../support/lintel.ts';
import { eventually, PROGRAM, start, type TemporaryFolder, temporaryFolder } from '../../support/process.ts';
import { type Announcement, FREE_PORTS } from '../served.ts';
import { type AskingBackends, type Facts, startAskingBackends } from './asking-backends.ts';
import { DIRECTORY_HOST, INTERNET_CERTIFICATE, type Internet, STS_HOST, startInternet } from './internet.ts';
import { AUDIENCE, type Cell, nameBackend, nameGateway, nameHost, ROLE, readMatrix, specsFor } from './matrix.ts';
import { CLUSTER_ADDRESS, type Host, inNetwork, PUBLIC_ADDRESS } from './network.ts';

const matrix = readMatrix();

/** Upstream tokens need an authorization server in the gateway, which nothing serves yet. */
const ofUpstream = matrix.filter(({ outcome }) => ['upstream_inject', 'xaa'].includes(outcome));
const refused = matrix.filter(({ outcome }) => outcome.startsWith('LNT'));
const absent = matrix.filter(({ outcome }) => outcome === '–');
const answered = matrix.filter(cell => ![ofUpstream, refused, absent].some(others => others.includes(cell)));

test('the authentication matrix has a row for each combination of caller, credential and backend', () => {
  expect(matrix).toHaveLength((9 + 9 + 9 + 7 + 7) * 4 * 2);
  expect([answered, ofUpstream, refused, absent].map(({ length }) => length)).toEqual([182, 62, 34, 50]);
});

let idp: IdentityProvider;
let internet: Internet;
let backends: AskingBackends;
let folder: TemporaryFolder;

beforeAll(async () => {
  idp = await startIdentityProvider();
  internet = await startInternet(idp);
  backends = await startAskingBackends(idp, internet);
  folder = await temporaryFolder({
    'answered/all.yaml': specsFor(answered, idp),
    'refused/all.yaml': specsFor([...refused, ...ofUpstream], idp),
    'sign-in/all.yaml': specsFor(ofUpstream, { ...idp, issuer: SIGN_IN_ISSUER }, SIGN_IN),
    'internet.pem': INTERNET_CERTIFICATE,
  });
  const { code, stderr } = await runLintel(['build', 'answered', '--out', 'out'], { cwd: folder.path });
  expect([code, stderr]).toEqual([0, expect.anything()]);
});

afterAll(async () => {
  await Promise.all([backends.close(), internet.close(), idp.close(), folder[Symbol.asyncDispose]()]);
});

const SIGN_IN_ISSUER = 'https://auth.example';

const SIGN_IN = `
  authServerConfig: { issuer: "${SIGN_IN_ISSUER}", upstreamProviders: [{ name: okta, type: oidc, oidcConfig: { issuerUrl: "https://okta.example", clientId: gw } }] }`;

const KEY = 'k3y of the gateway';

/** What a backend learns from a call, by type: the identity of the current caller where the type has one credential per caller. */
const FACTS: { readonly [type: string]: (user: string) => Facts } = {
  unauthenticated: () => ({}),
  headerInjection: () => ({ key: KEY }),
  tokenExchange: sub => ({ sub, aud: 'urn:exchanged', act: { sub: idp.client.id } }),
  awsSts: session => ({ role: ROLE, session }),
  obo: sub => ({ sub, aud: 'urn:on-behalf', act: { sub: idp.client.id } }),
};

describe('a gateway and the credentials of its callers', () => {
  test.each([...Map.groupBy(answered, nameGateway)])(
    'a gateway sends its backends the credentials of each caller: %s',
    async (gateway, cells) => {
      const hosts: Record<string, Host> = {
        [STS_HOST]: { address: PUBLIC_ADDRESS, port: internet.port },
        [DIRECTORY_HOST]: { address: PUBLIC_ADDRESS, port: internet.port },
      };
      for (const cell of cells) hosts[nameHost(cell)] = { address: CLUSTER_ADDRESS, port: backends.port };
      const env = {
        NODE_EXTRA_CA_CERTS: folder.file('internet.pem'),
        LINTEL_KEY: KEY,
        LINTEL_CLIENT: idp.client.secret,
        LINTEL_HEADER_INJECTION_VALUE_HEADER_INJECTION: KEY,
        LINTEL_TOKEN_EXCHANGE_CLIENT_SECRET_TOKEN_EXCHANGE: idp.client.secret,
        LINTEL_OBO_CLIENT_SECRET_OBO: idp.client.secret,
      };
      const options = inNetwork(hosts, { cwd: folder.path, env });
      await using runtime = start(PROGRAM.runtime, ['--bundle', 'out', '--gateway', gateway, ...FREE_PORTS], options);
      const { url } = await runtime.announcement<Announcement>();
      for (const user of ['alice', 'bob']) {
        const token = await idp.issue({ audience: AUDIENCE, claims: { sub: user, groups: ['staff'] } });
        const client = new Client({ name: 'test', version: '1' });
        const requestInit = { headers: { Authorization: `Bearer ${token}` } };
        await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }) as never);
        // Backends without authentication appear once they have responded; a start waits for them for a limited time.
        const expected = cells.map(cell => `${nameBackend(cell)}_echo`);
        await eventually(async () => {
          const names = (await client.listTools()).tools.map(({ name }) => name);
          return expected.every(name => names.includes(name));
        });
        backends.forget();
        for (const cell of cells) {
          const { content } = await client.callTool({ name: `${nameBackend(cell)}_echo`, arguments: { user } });
          expect(content, nameBackend(cell)).toEqual([{ type: 'text', text: JSON.stringify({ user }) }]);
        }
        expect(backends.calls).toEqual(
          cells.map(cell => ({
            host: nameHost(cell),
            facts: FACTS[cell.outcome === 'not read' ? 'unauthenticated' : cell.type]?.(user),
          })),
        );
        await client.close();
        expect(JSON.stringify(backends.received)).not.toContain(token);
      }
      expect(runtime.stderr.text).not.toContain(KEY);
    },
    120_000,
  );
});

interface Finding {
  readonly severity: string;
  readonly code: string;
  readonly message: string;
  readonly fix?: string;
  readonly pointer: string;
  readonly object: { readonly name: string };
}

/** Names of the gateways in a build; their backends are servers with bundles of their own. */
async function gatewaysIn(out: string): Promise<readonly string[]> {
  const index = JSON.parse(await readFile(folder.file(`${out}/index.json`), 'utf8')) as {
    bundles: { kind: string; name: string }[];
  };
  return index.bundles.filter(({ kind }) => kind === 'gateway').map(({ name }) => name);
}

async function errorsOf(specs: string): Promise<readonly Finding[]> {
  const args = ['build', specs, '--out', `out-of-${specs}`, '--format', 'json', '--output', `${specs}.json`];
  const { code } = await runLintel(args, { cwd: folder.path });
  expect([code, await gatewaysIn(`out-of-${specs}`)]).toEqual([1, []]);
  const report = JSON.parse(await readFile(folder.file(`${specs}.json`), 'utf8')) as { diagnostics: Finding[] };
  return report.diagnostics.filter(({ severity }) => severity === 'error');
}

/** Whether the finding is about this cell: at the choice itself, or at the backend's reference. */
function isAbout(cell: Cell, { message, pointer, object }: Finding): boolean {
  const [gateway, backend] = [nameGateway(cell), nameBackend(cell)];
  if (cell.place === 'own reference') {
    return [gateway, backend].every(name => name === object.name || message.includes(`"${name}"`));
  }
  const choice = cell.place.endsWith('default') ? '/outgoingAuth/default/' : `/outgoingAuth/backends/${backend}/`;
  return object.name === gateway && pointer.includes(choice) && pointer.startsWith(`/spec/${prefixOf(cell)}`);
}

const prefixOf = ({ place }: Cell) => (place.startsWith('config') ? 'config/' : 'outgoingAuth/');

describe('an impossible credential is an error of the build, at each place where it is written', () => {
  test('without an authorization server, `lintel build` reports exactly one error for each impossible credential', async () => {
    const errors = await errorsOf('refused');
    for (const cell of [...refused, ...ofUpstream]) {
      const [error, ...more] = errors.filter(found => isAbout(cell, found));
      expect([error?.code, more]).toEqual([refused.includes(cell) ? 'LNT2003' : 'LNT6006', []]);
    }
    expect([...new Set(errors.map(({ code }) => code))].sort()).toEqual(['LNT2003', 'LNT6006']);
  });
});

test('`lintel build` builds specs that need tokens of an upstream provider if the gateway has an authorization server', async () => {
  const args = ['build', 'sign-in', '--out', 'out-of-sign-in'];
  const { code } = await runLintel(args, { cwd: folder.path });
  expect([code, new Set(await gatewaysIn('out-of-sign-in'))]).toEqual([0, new Set(ofUpstream.map(nameGateway))]);
});
