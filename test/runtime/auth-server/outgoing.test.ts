/** What upstreams gave at a sign-in is traded for what backends take, end to end. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { decodeJwt } from 'jose';
import { afterEach, expect, test } from 'vitest';
import type { OutgoingAuthPlan } from '#schemas';
import { startRawServer } from '../../support/raw-server.ts';
import { RawOAuthClient } from './client.ts';
import { issuingPort, startIssuingGateway } from './issuing-gateway.ts';
import { startToolBackend } from './tool-backend.ts';
import { oauth2Plan, oidcPlan, startOAuth2Upstream, startOidcUpstream, UPSTREAM_SECRET_VARIABLE } from './upstreams.ts';

const opened: { close?(): Promise<unknown>; stop?(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await (one.close?.() ?? one.stop?.());
});

const secret = { env: UPSTREAM_SECRET_VARIABLE, file: null };
const client = { id: 'gateway', secret };
const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';

/** Token endpoints of every kind. They take whatever they are sent, and the test looks at that. */
async function startTokenEndpoints() {
  const server = await startRawServer(({ path, body }, out) => {
    if (path === '/sts') {
      out.writeHead(200, { 'content-type': 'text/xml' }).end(ASSUMED);
      return;
    }
    const isAssertion = new URLSearchParams(body).get('requested_token_type') === ID_JAG;
    out.writeHead(200, { 'content-type': 'application/json' }).end(
      JSON.stringify({
        access_token: `issued-at${path.replace('/', '-')}`,
        token_type: isAssertion ? 'N_A' : 'Bearer',
        issued_token_type: isAssertion ? ID_JAG : ACCESS_TOKEN,
        expires_in: 300,
      }),
    );
  });
  opened.push(server);
  return server;
}

const ASSUMED = `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>ASIAEXAMPLE000000000</AccessKeyId><SecretAccessKey>wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY</SecretAccessKey><SessionToken>FwoGZXIvYXdzEXAMPLE</SessionToken><Expiration>2999-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`;

interface Case {
  readonly plan: (at: string) => OutgoingAuthPlan;
  /** Which token is handed in, in which field, and what the backend gets. */
  readonly field: string;
  readonly issuer: 'company' | 'forge';
  readonly sent: RegExp;
}

const CASES: { readonly [strategy: string]: Case } = {
  token_exchange: {
    plan: at => ({
      type: 'token_exchange',
      tokenUrl: `${at}/exchange`,
      client,
      audience: 'backend',
      resource: null,
      scopes: [],
      subjectTokenType: ACCESS_TOKEN,
      subject: { type: 'upstream', provider: 'forge' },
    }),
    field: 'subject_token',
    issuer: 'forge',
    sent: /^Bearer issued-at-exchange$/,
  },
  xaa: {
    plan: at => ({
      type: 'xaa',
      idp: { tokenUrl: `${at}/idp`, client },
      target: { tokenUrl: `${at}/target`, client, audience: 'https://target.example', resource: null },
      scopes: [],
      provider: 'company',
    }),
    field: 'subject_token',
    issuer: 'company',
    sent: /^Bearer issued-at-target$/,
  },
  aws_sts: {
    plan: at => ({
      type: 'aws_sts',
      region: 'eu-west-1',
      service: 'aws-mcp',
      mappings: [],
      fallbackRoleArn: 'arn:aws:iam::123456789012:role/tools',
      roleClaim: 'groups',
      sessionDurationSeconds: 3600,
      sessionNameClaim: 'sub',
      subject: { type: 'upstream', provider: 'forge' },
      stsUrl: `${at}/sts`,
    }),
    field: 'WebIdentityToken',
    issuer: 'forge',
    sent: /^AWS4-HMAC-SHA256 Credential=ASIAEXAMPLE000000000\//,
  },
};

test.each(Object.entries(CASES))(
  '%s trades what the upstream gave, and never the token of the gateway',
  async (_, { plan, field, issuer, sent }) => {
    const endpoints = await startTokenEndpoints();
    const authorizations: (string | undefined)[] = [];
    const backend = await startToolBackend(['act'], headers => authorizations.push(headers.authorization));
    const port = await issuingPort();
    const callback = `http://127.0.0.1:${port}/oauth/callback`;
    const [company, forge] = [await startOidcUpstream(callback), await startOAuth2Upstream(callback)];
    forge.claims = { iss: forge.origin };
    const gateway = await startIssuingGateway({
      port,
      backend: `${backend.origin}/mcp`,
      auth: plan(endpoints.origin),
      upstreams: at => [oidcPlan('company', company, at), oauth2Plan('forge', forge, at)],
    });
    opened.push(backend, company, forge, gateway);
    const person = await RawOAuthClient.registered(gateway);
    const { access_token: token } = await person.signIn();
    const caller = new Client({ name: 'test', version: '1' });
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await caller.connect(new StreamableHTTPClientTransport(new URL(gateway.url), { requestInit }));
    expect(await caller.callTool({ name: 'tell_act', arguments: {} })).toMatchObject({ content: [{ text: 'done' }] });
    await caller.close();
    // Health probes ask in the name of the gateway itself.
    const handedIn = endpoints.requests.flatMap(({ body }) => new URLSearchParams(body).get(field) ?? []);
    expect(decodeJwt(handedIn[0] ?? '').iss).toBe({ company, forge }[issuer].origin);
    expect(authorizations.at(-1)).toMatch(sent);
    // The gateway's own token is nobody's but its own.
    expect(JSON.stringify([authorizations, endpoints.requests])).not.toContain(token);
  },
);
