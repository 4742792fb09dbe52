/** A hand-written OAuth client, which can also send requests that no correct client sends. */
import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { TestBrowser, type Visit } from './browser.ts';

export const CALLBACK = 'http://127.0.0.1:41234/callback';

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Headers;
}

export class RawOAuthClient {
  readonly gateway: { readonly issuer: string };
  readonly verifier: string = randomBytes(32).toString('base64url');
  readonly browser = new TestBrowser();
  id = '';

  constructor(gateway: { readonly issuer: string }) {
    this.gateway = gateway;
  }

  static async registered(gateway: { readonly issuer: string }, metadata: object = {}): Promise<RawOAuthClient> {
    const client = new RawOAuthClient(gateway);
    const { status, body } = await client.register(metadata);
    expect(status, JSON.stringify(body)).toBe(201);
    client.id = String(body.client_id);
    return client;
  }

  register(metadata: object): Promise<Answer> {
    return this.#post(
      '/oauth/register',
      JSON.stringify({ redirect_uris: [CALLBACK], ...metadata }),
      'application/json',
    );
  }

  authorizationUrl(more: Readonly<Record<string, string | undefined>> = {}): string {
    const url = new URL(`${this.gateway.issuer}/oauth/authorize`);
    const params = {
      client_id: this.id,
      response_type: 'code',
      redirect_uri: CALLBACK,
      state: 'the state of the client',
      code_challenge: createHash('sha256').update(this.verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...more,
    };
    for (const [name, value] of Object.entries(params)) if (value !== undefined) url.searchParams.set(name, value);
    return url.href;
  }

  /** Opens the sign-in and continues it to its end: the client's redirect, or a page. */
  async visit(more: Readonly<Record<string, string | undefined>> = {}, decision = 'allow'): Promise<Visit> {
    const stopAt = (more.redirect_uri ?? CALLBACK).replace(/\?.*$/, '');
    const page = await this.browser.open(this.authorizationUrl(more), stopAt);
    return page.text.includes('<form') ? this.browser.submit(page, decision, stopAt) : page;
  }

  async code(more: Readonly<Record<string, string | undefined>> = {}): Promise<string> {
    const end = await this.visit(more);
    const code = end.url.searchParams.get('code');
    expect(code, `${end.url} ${end.text}`).not.toBeNull();
    return code ?? '';
  }

  async signIn(): Promise<Tokens> {
    const { status, body } = await this.redeem(await this.code());
    expect(status, JSON.stringify(body)).toBe(200);
    return body as unknown as Tokens;
  }

  redeem(code: string, more: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.token({
      grant_type: 'authorization_code',
      code,
      redirect_uri: CALLBACK,
      code_verifier: this.verifier,
      ...more,
    });
  }

  refresh(refreshToken: string, more: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.token({ grant_type: 'refresh_token', refresh_token: refreshToken, ...more });
  }

  token(form: Readonly<Record<string, string>>): Promise<Answer> {
    const body = new URLSearchParams({ client_id: this.id, ...form }).toString();
    return this.#post('/oauth/token', body, 'application/x-www-form-urlencoded');
  }

  async #post(path: string, body: string, type: string): Promise<Answer> {
    const answer = await fetch(`${this.gateway.issuer}${path}`, {
      method: 'POST',
      body,
      headers: { 'content-type': type },
    });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? {} : JSON.parse(text), headers: answer.headers };
  }
}

/** The status that a caller with the token gets. */
export async function callerStatus({ url }: { readonly url: string }, token: string): Promise<number> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    }),
  });
  await answer.text();
  return answer.status;
}
