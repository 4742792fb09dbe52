/** Tokens from a sign-in are exchanged for backend credentials, end to end. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { decodeJwt } from 'jose';
import { afterEach, expect, test } from 'vitest';
import type { OutgoingAuthPlan } from '#schemas';
import { startRawServer } from '../../support/raw-server.ts';
import { callerStatus, RawOAuthClient } from './client.ts';
import { issuingPort, startIssuingGateway } from './issuing-gateway.ts';
import { startToolBackend } from './tool-backend.ts';
import { oauth2Plan, oidcPlan, startOAuth2Upstream, startOidcUpstream, UPSTREAM_SECRET_VARIABLE } from './upstreams.ts';

const opened: { close?(): Promise<unknown>; stop?(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await (one.close?.() ?? one.stop?.());
});

const INJECTED: OutgoingAuthPlan = { type: 'upstream_inject', provider: 'forge' };

const secret = { env: UPSTREAM_SECRET_VARIABLE, file: null };
const client = { id: 'gateway', secret };
const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';

/** Token endpoints of every kind. They accept every request until a test makes them refuse, and the test checks the requests. */
async function startTokenEndpoints(refuses: () => boolean) {
  const server = await startRawServer(({ path, body }, out) => {
    if (refuses()) {
      const [type, text] = path === '/sts' ? ['text/xml', EXPIRED] : ['application/json', '{"error":"invalid_grant"}'];
      out.writeHead(400, { 'content-type': type }).end(text);
      return;
    }
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

const EXPIRED = '<ErrorResponse><Error><Code>ExpiredTokenException</Code></Error></ErrorResponse>';

interface Case {
  readonly plan: (at: string) => OutgoingAuthPlan;
  /** Which token is sent, in which field, and what the backend gets. */
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

/** A gateway that sends users first to a company and then to a forge, and a user who has signed in. */
async function serve(plan: Case['plan']) {
  const state = { refuses: false };
  const endpoints = await startTokenEndpoints(() => state.refuses);
  const authorizations: (string | undefined)[] = [];
  const backend = await startToolBackend(
    ['act'],
    headers => void authorizations.push(headers.authorization),
    () => state.refuses,
  );
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
  return { state, endpoints, authorizations, company, forge, gateway, person };
}

async function call({ url }: { readonly url: string }, token: string): Promise<unknown> {
  const caller = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await caller.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  try {
    return await caller.callTool({ name: 'tell_act', arguments: {} });
  } finally {
    await caller.close();
  }
}

const DONE = { content: [{ text: 'done' }] };

test.each(Object.entries(CASES))(
  '%s exchanges the token that the upstream issued, and never the token that the gateway issued',
  async (_, { plan, field, issuer, sent }) => {
    const { endpoints, authorizations, company, forge, gateway, person } = await serve(plan);
    const { access_token: token } = await person.signIn();
    expect(await call(gateway, token)).toMatchObject(DONE);
    // Health probes use the gateway's own token.
    const handedIn = endpoints.requests.flatMap(({ body }) => new URLSearchParams(body).get(field) ?? []);
    expect(decodeJwt(handedIn[0] ?? '').iss).toBe({ company, forge }[issuer].origin);
    expect(authorizations.at(-1)).toMatch(sent);
    // The gateway's own token is used only for its own requests.
    expect(JSON.stringify([authorizations, endpoints.requests])).not.toContain(token);
  },
);

test.each([
  ['upstream_inject', () => INJECTED] as const,
  ...Object.entries(CASES).map(([name, { plan }]) => [name, plan] as const),
])(
  'the gateway drops an upstream token that a backend or token endpoint refuses (%s), and the person has to sign in again',
  async (_, plan) => {
    const { state, forge, gateway, person } = await serve(plan);
    const [first, other] = [await person.signIn(), new RawOAuthClient(gateway)];
    other.id = person.id;
    forge.person = 'bob';
    const visits = () => forge.issued.length / 2;
    expect(visits()).toBe(1);
    state.refuses = true;
    await expect(call(gateway, first.access_token)).rejects.toMatchObject({ code: 401 });
    state.refuses = false;
    // Neither the gateway's token nor a renewed one is accepted: the client has to send the user to sign in.
    expect(await callerStatus(gateway, first.access_token)).toBe(401);
    expect((await person.refresh(first.refresh_token)).body.error).toBe('invalid_grant');
    const again = await other.signIn();
    expect(visits(), 'the upstream is not skipped').toBe(plan(gateway.origin).type === 'xaa' ? 1 : 2);
    expect(await call(gateway, again.access_token)).toMatchObject(DONE);
  },
);
