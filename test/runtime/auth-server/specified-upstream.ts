/** Gateways whose upstream a spec describes, each with an upstream that records the requests that it receives. They end with the test. */

import { decodeJwt } from 'jose';
import { onTestFinished } from 'vitest';
import type { UpstreamPlan } from '#schemas';
import { RawOAuthClient } from './client.ts';
import type { IssuingGateway } from './issuing-gateway.ts';
import { type RecordingUpstream, startRecordingUpstream } from './recording-upstream.ts';
import { type SpecifiedOptions, startSpecifiedIssuer } from './specified-issuer.ts';

export const SECRET = 'the secret of the gateway';
process.env.LINTEL_UPSTREAM_CLIENT_SECRET_COMPANY = SECRET;
process.env.LINTEL_UPSTREAM_CLIENT_SECRET_FORGE = SECRET;

export const ORIGIN = 'http://127.0.0.1:4483';

const COMPANY = 'https://company.example.com';

export const SOME_UPSTREAM = {
  upstreamProviders: [{ name: 'company', type: 'oidc', oidcConfig: { issuerUrl: COMPANY, clientId: 'gw' } }],
};

export const codeAndPlace = (finding: string) => finding.replace(/:.*/, '');

export type Fields = Readonly<Record<string, unknown>>;

/** Writes a number in JSON unchanged, which TypeScript's library does not declare yet. */
export const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };

interface Started {
  readonly gateway: IssuingGateway;
  readonly upstream: RecordingUpstream;
}

async function started(options: (upstream: RecordingUpstream) => SpecifiedOptions): Promise<Started> {
  const upstream = await startRecordingUpstream();
  onTestFinished(() => upstream.close());
  const gateway = await startSpecifiedIssuer(options(upstream));
  onTestFinished(() => gateway.stop());
  return { gateway, upstream };
}

const atOrigin = (plan: UpstreamPlan, origin: string): UpstreamPlan =>
  JSON.parse(JSON.stringify(plan).replaceAll(COMPANY, origin));

/** An OpenID provider must use https by the spec, but plain HTTP in the test. */
export const oidc = (
  fields: (upstream: RecordingUpstream) => Fields = () => ({}),
  more: Partial<SpecifiedOptions> = {},
) =>
  started(upstream => ({
    ...more,
    server: {
      upstreamProviders: [
        {
          name: 'company',
          type: 'oidc',
          oidcConfig: {
            issuerUrl: COMPANY,
            clientId: 'gw',
            clientSecretRef: { name: 'company', key: 'secret' },
            ...fields(upstream),
          },
        },
      ],
      ...more.server,
    },
    upstream: plan => ({ ...atOrigin(plan, upstream.origin), allowsHttp: true }),
  }));

const oauth2Fields = ({ origin }: Pick<RecordingUpstream, 'origin'>, fields: Fields = {}): Fields => ({
  authorizationEndpoint: `${origin}/authorize`,
  tokenEndpoint: `${origin}/token`,
  clientId: 'gw',
  clientSecretRef: { name: 'forge', key: 'secret' },
  insecureAllowHTTP: true,
  allowPrivateIPs: true,
  ...fields,
});

export const serverWithUpstream = (upstream: Pick<RecordingUpstream, 'origin'>, fields: Fields = {}) => ({
  upstreamProviders: [{ name: 'forge', type: 'oauth2', oauth2Config: oauth2Fields(upstream, fields) }],
});

export const oauth2 = (
  fields: (upstream: RecordingUpstream) => Fields = () => ({}),
  more: Partial<SpecifiedOptions> = {},
) =>
  started(upstream => ({
    ...more,
    server: { ...serverWithUpstream(upstream, fields(upstream)), ...more.server },
  }));

/** Claims of the token that a client gets for a user who signs in. */
export async function issuedClaims(gateway: IssuingGateway) {
  const client = await RawOAuthClient.registered(gateway);
  return decodeJwt((await client.signIn()).access_token);
}
