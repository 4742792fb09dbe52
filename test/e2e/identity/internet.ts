/** Two internet services that a test machine cannot reach, simulated behind one https port: AWS STS, and a Microsoft directory. */
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import type { IdentityProvider } from '../../support/identity-provider.ts';

export const STS_HOST = 'sts.us-east-1.amazonaws.com';
export const DIRECTORY_HOST = 'login.microsoftonline.com';

/** The self-signed certificate of both hosts, valid until 2125. Its key is only for tests and not secret. */
export const INTERNET_CERTIFICATE: string = `-----BEGIN CERTIFICATE-----
MIIBpTCCAUqgAwIBAgIBAjAKBggqhkjOPQQDAjAfMR0wGwYDVQQDDBRsaW50ZWwg
dGVzdCBpbnRlcm5ldDAgFw0yMDAxMDEwMDAwMDBaGA8yMTI1MDEwMTAwMDAwMFow
HzEdMBsGA1UEAwwUbGludGVsIHRlc3QgaW50ZXJuZXQwWTATBgcqhkjOPQIBBggq
hkjOPQMBBwNCAARqh4kYzbD5eOevXbJxfqDfKs26b9ZSG/IoiaMqJbEbwBcTwa7M
6KJxzHFK18H6riaIMAoWvcvUFoe+eoCHe3kTo3UwczBBBgNVHREEOjA4ghtzdHMu
dXMtZWFzdC0xLmFtYXpvbmF3cy5jb22CGWxvZ2luLm1pY3Jvc29mdG9ubGluZS5j
b20wDwYDVR0TAQH/BAUwAwEB/zAdBgNVHQ4EFgQUvihFxTJUDO5wHZPepUnHxCQt
enwwCgYIKoZIzj0EAwIDSQAwRgIhANEcvy0xpRW4pKnCc9pm8xaVUK1m52I+6qUH
S+S0uA9/AiEAj3jl4qqrAd/Bj8k01LhXNJjMWYSxQfZmjgFPtfAdOUQ=
-----END CERTIFICATE-----
`;

const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgd5/vX5lTtmZy9+mt
pWa2sND7Q9EbGmlc1uEMPrHfOBmhRANCAARqh4kYzbD5eOevXbJxfqDfKs26b9ZS
G/IoiaMqJbEbwBcTwa7M6KJxzHFK18H6riaIMAoWvcvUFoe+eoCHe3kT
-----END PRIVATE KEY-----
`;

/** The session to which an AWS access key belongs. */
export interface AwsSession {
  readonly role: string;
  readonly name: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface Internet {
  readonly port: number;
  /** The sessions by their session token. */
  readonly awsSessions: ReadonlyMap<string, AwsSession>;
  close(): Promise<void>;
}

/** Starts both services. They trust this provider's tokens, and the provider also issues the directory's own tokens. */
export async function startInternet(idp: IdentityProvider): Promise<Internet> {
  const awsSessions = new Map<string, AwsSession>();
  const keys = createRemoteJWKSet(new URL(idp.jwksUrl));

  /** @see https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRoleWithWebIdentity.html */
  async function assumeRole(form: URLSearchParams): Promise<string> {
    if (form.get('Action') !== 'AssumeRoleWithWebIdentity') throw new Error(`action ${form.get('Action')}`);
    await jwtVerify(form.get('WebIdentityToken') ?? '', keys, { issuer: idp.issuer });
    const number = awsSessions.size;
    const token = `session+token/${number}==`;
    const session: AwsSession = {
      role: form.get('RoleArn') ?? '',
      name: form.get('RoleSessionName') ?? '',
      accessKeyId: `ASIAEXAMPLE${String(number).padStart(9, '0')}`,
      secretAccessKey: `secret/${number}+EXAMPLEKEY`,
    };
    awsSessions.set(token, session);
    return `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
  <AssumeRoleWithWebIdentityResult>
    <Credentials>
      <AccessKeyId>${session.accessKeyId}</AccessKeyId>
      <SecretAccessKey>${session.secretAccessKey}</SecretAccessKey>
      <SessionToken>${token}</SessionToken>
      <Expiration>${new Date(Date.now() + 3_600_000).toISOString()}</Expiration>
    </Credentials>
  </AssumeRoleWithWebIdentityResult>
</AssumeRoleWithWebIdentityResponse>`;
  }

  /** The scope names the application for which the token is issued. */
  async function onBehalfOf(form: URLSearchParams, authorization: string): Promise<Response> {
    if (form.get('requested_token_use') !== 'on_behalf_of') throw new Error('not on behalf of anybody');
    const [, audience = ''] = /^(\S+)\/\.default$/.exec(form.get('scope') ?? '') ?? [];
    form.set('audience', audience);
    form.delete('scope');
    return fetch(idp.tokenUrl, { method: 'POST', headers: { authorization }, body: form });
  }

  const server = createServer({ cert: INTERNET_CERTIFICATE, key: KEY }, async (request, response) => {
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const form = new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
      const at = `${request.method} ${request.headers.host}${request.url}`;
      if (at === `POST ${STS_HOST}/`) {
        response.writeHead(200, { 'content-type': 'text/xml' }).end(await assumeRole(form));
      } else if (at === `POST ${DIRECTORY_HOST}/corp/oauth2/v2.0/token`) {
        const answer = await onBehalfOf(form, request.headers.authorization ?? '');
        response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
      } else response.writeHead(404).end(at);
    } catch (error) {
      response.writeHead(400).end(String(error));
    }
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    awsSessions,
    close: () => {
      const closed = new Promise<void>(resolve => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
}
