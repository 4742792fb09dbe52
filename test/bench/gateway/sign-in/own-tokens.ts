/** Measures calls with tokens that the gateway issued, compared with calls with tokens of another issuer. */
import { readSigningKey } from '../../../../runtime/authserver/signing-keys.ts';
import { type CallCost, type CostOptions, measureCost, sessionHeads, type Target } from '../call-cost.ts';
import { sessionCall, statelessCall, statelessHead } from '../calls.ts';
import type { CallJob } from '../load.ts';
import { startBackend, startGateway } from '../processes.ts';
import { startTokenIssuer } from '../token-issuer.ts';
import { AUDIENCE, type TokenOrder } from '../tokens.ts';
import { startIssuer } from './issuer.ts';
import { newKey } from './measure.ts';

const TOOL = 'json_tool_0';
const SUBJECT = 'somebody';

/** Most tokens that one slice may use. */
const TOKENS_OF_A_SLICE = 1_500;

/** Measures the calls. The upstream is stopped, so a call for which the gateway needed it would fail. */
export async function measureOwnTokens(options: CostOptions): Promise<readonly CallCost[]> {
  const { folder } = options;
  const pem = newKey();
  await using backend = await startBackend();
  await using foreign = await startTokenIssuer();
  await using own = await startIssuer({
    folder,
    pem,
    signIns: 1,
    resource: AUDIENCE,
    backend: `${backend.url}json/mcp`,
  });
  const names = new Map([['json', 'json/mcp']]);
  const incomingAuth = { ...foreign.plan, requiredScopes: [] };
  await using other = await startGateway(folder, backend, names, { policy: { incomingAuth } });
  const { jwk } = await readSigningKey(pem);
  const [signedIn] = own.signedIn;
  if (signedIn === undefined) throw new Error('nobody has signed in');
  const { sub, tsid } = JSON.parse(String(Buffer.from(signedIn.access_token.split('.')[1] ?? '', 'base64url')));
  const ownOrder: TokenOrder = {
    issuer: own.issuer,
    key: jwk as TokenOrder['key'],
    count: TOKENS_OF_A_SLICE,
    subject: sub,
    claims: { tsid, client_id: own.clientId },
  };
  const known = async (gateway: Target['gateway'], name: string, token: string): Promise<Target> => ({
    name,
    gateway,
    job: { url: gateway.url, heads: await sessionHeads(gateway.url, token), body: sessionCall(TOOL) },
  });
  const renewed = (gateway: Target['gateway'], name: string, tokens: CallJob['tokens']): Target => ({
    name,
    gateway,
    job: {
      url: gateway.url,
      heads: [statelessHead(TOOL)],
      body: statelessCall(TOOL),
      ...(tokens === undefined ? {} : { tokens }),
    },
  });
  return [
    ...(await measureCost(
      await known(other, 'foreign', await foreign.token(SUBJECT)),
      [await known(own, 'known token of its own', signedIn.access_token)],
      options,
    )),
    ...(await measureCost(
      renewed(other, 'foreign', foreign.order('ES256', TOKENS_OF_A_SLICE, SUBJECT)),
      [renewed(own, 'new ES256 token of its own', ownOrder)],
      options,
    )),
  ];
}
