/** What the routes need of an authorization server. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type Provider from 'oidc-provider';
import type { AuthServerPlan } from '#schemas';
import type { Logger } from '../observe/log.ts';
import type { JwtBearer } from './delegation/jwt-bearer.ts';
import type { SignIn } from './sign-in.ts';
import type { SigningKey } from './signing-keys.ts';
import type { PublicDocuments } from './well-known.ts';

/** The current keys, secrets and configuration. */
export interface ActiveConfiguration {
  readonly documents: PublicDocuments;
  readonly provider: Provider;
  /** oidc-provider's request handler, created once. */
  readonly handle: (req: IncomingMessage, res: ServerResponse) => void;
  /** The first key signs. */
  readonly keys: readonly SigningKey[];
}

export interface ServerOptions {
  readonly plan: AuthServerPlan;
  /** The current configuration; a promise only after keys or secrets have changed. */
  readonly now: () => ActiveConfiguration | Promise<ActiveConfiguration>;
  readonly signIn: SignIn;
  readonly jwtBearer: JwtBearer;
  readonly log: Logger;
  readonly onRegistration: (outcome: 'registered' | 'refused' | 'limited') => void;
}

export type Route = (req: IncomingMessage, res: ServerResponse) => void | Promise<void>;
