/** MCP servers that verify every credential and record its owner. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { expectedSignature, readAuthorization, type SignedRequest } from '../../runtime/auth/outgoing/sigv4.ts';
import type { IdentityProvider } from '../../support/identity-provider.ts';
import { startSdkServer } from '../../support/sdk-server.ts';
import type { Internet } from './internet.ts';

/** The claims of a verified credential; empty when there was none. */
export type Facts = { readonly [fact: string]: unknown };

export interface Call {
  /** The host name by which the backend was reached. */
  readonly host: string;
  readonly facts: Facts;
}

export interface AskingBackends {
  readonly port: number;
  /** Tool calls since `forget`, in order. */
  readonly calls: readonly Call[];
  /** Every request with all its headers, whether accepted or not. */
  readonly received: readonly IncomingHttpHeaders[];
  forget(): void;
  close(): Promise<void>;
}

/** Every host name leads to an MCP server with its own sessions. Answers 401 to an invalid credential. */
export async function startAskingBackends(idp: IdentityProvider, internet: Internet): Promise<AskingBackends> {
  const keys = createRemoteJWKSet(new URL(idp.jwksUrl));
  const server = await startSdkServer({ transport: 'streamable-http', json: true });
  const calls: Call[] = [];
  const received: IncomingHttpHeaders[] = [];

  async function factsOf(signed: SignedRequest): Promise<Facts> {
    const { authorization = '', 'x-key': key } = signed.headers;
    if (String(authorization).startsWith('AWS4-HMAC-SHA256 ')) return awsFacts(signed);
    if (authorization !== '') {
      const token = String(authorization).replace(/^Bearer /, '');
      const { payload } = await jwtVerify(token, keys, { issuer: idp.issuer });
      const { sub, aud, act } = payload;
      return { sub, aud, act };
    }
    return key === undefined ? {} : { key };
  }

  function awsFacts(signed: SignedRequest): Facts {
    const session = internet.awsSessions.get(String(signed.headers['x-amz-security-token']));
    if (session === undefined) throw new Error('no such session');
    const { role, name, ...key } = session;
    const { signature, accessKeyId } = readAuthorization(String(signed.headers.authorization));
    const expected = expectedSignature(signed, { ...key, region: 'us-east-1', service: 'aws-mcp' });
    if (signature !== expected || accessKeyId !== key.accessKeyId) throw new Error('another signature');
    return { role, session: name };
  }

  async function pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString('utf8');
    const { method = '', url: path = '', headers } = incoming;
    received.push(headers);
    try {
      const facts = await factsOf({ method, path, headers, body });
      if (body.includes('"tools/call"')) calls.push({ host: (headers.host ?? '').replace(/:\d+$/, ''), facts });
    } catch {
      response.writeHead(401, { 'www-authenticate': 'Bearer error="invalid_token"' }).end();
      return;
    }
    const { host: _host, ...rest } = headers;
    const onward = request(server.url, { method, headers: rest, agent: false }, answer => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response).on('error', () => answer.destroy());
      answer.on('error', () => response.destroy());
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    onward.end(body);
  }

  const door = createServer((incoming, response) => void pass(incoming, response));
  await new Promise<void>(resolve => door.listen(0, '127.0.0.1', resolve));
  return {
    port: (door.address() as AddressInfo).port,
    calls,
    received,
    forget: () => void calls.splice(0),
    close: async () => {
      const closed = new Promise<void>(resolve => door.close(() => resolve()));
      door.closeAllConnections();
      await Promise.all([closed, server.close()]);
    },
  };
}
