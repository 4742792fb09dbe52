/** What tests of outgoing credentials share: callers, secrets, a clock, and a token endpoint that records every request. */
import type { IncomingHttpHeaders } from 'node:http';
import { pino } from 'pino';
import {
  type AuthenticatedCaller,
  createIdentity,
  type Identity,
  NO_UPSTREAM_TOKENS,
} from '../../../../runtime/auth/identity.ts';
import {
  type Credential,
  CredentialError,
  type OutgoingAuth,
  type OutgoingRequest,
} from '../../../../runtime/auth/outgoing/credential.ts';
import { createOutgoingAuth } from '../../../../runtime/auth/outgoing/outgoing-auth.ts';
import type { OutgoingAuthPlan, SecretSource } from '../../../../schemas/index.ts';
import { type RawServer, startRawServer } from '../../../support/raw-server.ts';

export const START: number = Date.parse('2026-01-01T00:00:00Z');

export const CALL: OutgoingRequest = { method: 'POST', url: new URL('https://backend.example.com/mcp'), body: '{}' };

export const CALLER_TOKEN = 'eyJhbGciOiJSUzI1NiJ9.Y2FsbGVy.SECRETSIGNATURE';

export const CLIENT_SECRET = 's3cr3t:/+ä of the client';

export const secret = (env: string): SecretSource => ({ env, file: null });

/** A client that is registered at the endpoint. */
export const CLIENT = { id: 'gate-way:1', secret: secret('CLIENT_SECRET') } as const;

/** That client's Basic credentials, encoded by hand. */
export const BASIC = `Basic ${btoa('gate-way%3A1:s3cr3t%3A%2F%2B%C3%A4+of+the+client')}`;

export function createCaller(overrides: Partial<AuthenticatedCaller> = {}): Identity {
  return createIdentity({
    issuer: 'https://idp.example.com',
    subject: 'alice',
    claims: { sub: 'alice', groups: ['staff', 'admins'] },
    expiresAt: START + 3_600_000,
    token: CALLER_TOKEN,
    upstreamTokens: NO_UPSTREAM_TOKENS,
    ...overrides,
  });
}

/** Everything that one test starts. */
export class Bench {
  now = START;
  readonly secrets = new Map<string, string>();
  readonly logLines: string[] = [];
  readonly #open: { close(): Promise<void> }[] = [];

  constructor() {
    this.reset();
  }

  /** A strategy with this bench's clock, secrets and log. */
  async auth(plan: OutgoingAuthPlan): Promise<OutgoingAuth> {
    const auth = await createOutgoingAuth(plan, {
      backend: 'jira',
      secrets: {
        open: ({ env }) => {
          const { secrets } = this;
          return {
            get value() {
              return secrets.get(env ?? '') ?? '';
            },
          };
        },
      },
      log: pino({ level: 'trace' }, { write: (line: string) => this.logLines.push(line) }),
      now: () => this.now,
    });
    return this.own(auth);
  }

  async credential(plan: OutgoingAuthPlan, identity: Identity = createCaller()): Promise<Credential> {
    return (await this.auth(plan)).getCredential(() => identity);
  }

  async endpoint(answer: Answer = {}): Promise<Endpoint> {
    return this.own(await Endpoint.start(answer));
  }

  own<T extends { close(): Promise<void> }>(resource: T): T {
    this.#open.push(resource);
    return resource;
  }

  async close(): Promise<void> {
    await Promise.all(this.#open.splice(0).map(resource => resource.close()));
    this.reset();
  }

  reset(): void {
    this.now = START;
    this.logLines.length = 0;
    this.secrets.clear();
    this.secrets.set('CLIENT_SECRET', CLIENT_SECRET);
  }
}

/** A response of an endpoint: a status, a body (JSON unless it is text), and headers. */
export interface Answer {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the endpoint never responds. */
  readonly hangs?: boolean;
}

export interface Received {
  readonly path: string;
  readonly form: readonly (readonly [string, string])[];
  readonly headers: IncomingHttpHeaders;
}

/** A token endpoint with scripted responses, which records its requests. */
export class Endpoint {
  readonly received: Received[] = [];
  /** The responses, which the endpoint sends in turn; it repeats the last one. */
  answers: Answer[];
  readonly #server: RawServer;

  private constructor(server: RawServer, received: Received[], answers: Answer[]) {
    this.#server = server;
    this.received = received;
    this.answers = answers;
  }

  static async start(answer: Answer): Promise<Endpoint> {
    const received: Received[] = [];
    const server = await startRawServer(({ path, headers, body }, response) => {
      received.push({ path, headers, form: [...new URLSearchParams(body)] });
      const { answers } = endpoint;
      const {
        status = 200,
        body: sent,
        headers: sentHeaders,
        hangs,
      } = (answers.length > 1 ? answers.shift() : answers[0]) ?? {};
      if (hangs === true) return;
      response.writeHead(status, { 'Content-Type': 'application/json', ...sentHeaders });
      response.end(typeof sent === 'string' ? sent : JSON.stringify(sent));
    });
    const endpoint = new Endpoint(server, received, [answer]);
    return endpoint;
  }

  get url(): string {
    return `${this.#server.origin}/token`;
  }

  get host(): string {
    return new URL(this.#server.origin).host;
  }

  close(): Promise<void> {
    return this.#server.close();
  }
}

/** An RFC 8693 response with a token of that name. */
export function issued(token: string, overrides: Readonly<Record<string, unknown>> = {}): Answer {
  return {
    body: {
      access_token: token,
      issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      token_type: 'Bearer',
      expires_in: 3600,
      ...overrides,
    },
  };
}

/** The error with which an attempt fails to get a credential. */
export async function refusal(attempt: () => unknown): Promise<CredentialError> {
  try {
    await attempt();
  } catch (error) {
    if (error instanceof CredentialError) return error;
    throw error;
  }
  throw new Error('there was a credential');
}
