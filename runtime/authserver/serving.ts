/** What a server serves, and with what. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type Provider from 'oidc-provider';
import type { AuthServerPlan } from '#schemas';
import type { Logger } from '../observe/log.ts';
import type { JwtBearer } from './delegation/jwt-bearer.ts';
import type { SignIn } from './sign-in.ts';
import type { SigningKey } from './signing-keys.ts';
import type { PublicDocuments } from './well-known.ts';

/** What is in force, with the current keys and secrets. */
export interface Serving {
  readonly documents: PublicDocuments;
  readonly provider: Provider;
  /** Its handler, made once. */
  readonly handle: (req: IncomingMessage, res: ServerResponse) => void;
  /** The first signs. */
  readonly keys: readonly SigningKey[];
}

export interface ServerOptions {
  readonly plan: AuthServerPlan;
  /** A promise only while keys or secrets have changed. */
  readonly now: () => Serving | Promise<Serving>;
  readonly signIn: SignIn;
  readonly jwtBearer: JwtBearer;
  readonly log: Logger;
  readonly onRegistration: (outcome: 'registered' | 'refused' | 'limited') => void;
}

export type Route = (req: IncomingMessage, res: ServerResponse) => void | Promise<void>;
