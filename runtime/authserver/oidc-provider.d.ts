/**
 * Types of the used part of oidc-provider, which has none. `@types/oidc-provider` (5,400 lines) is for another minor version, and depends on the
 * types of koa and keygrip. The few members used here are verified by tests against the library.
 */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  export interface Context {
    body: unknown;
    get(header: string): string;
    set(headers: object): void;
    readonly oidc: {
      readonly client: { readonly clientId: string };
      readonly params: Record<string, string | undefined>;
      readonly provider: Provider;
      /** The objects that were found for the request. */
      readonly entities: { readonly Grant?: Grant };
      /** The person's decision; undefined before it. */
      readonly result?: {
        readonly login?: { readonly accountId: string };
        readonly consent?: { readonly grantId?: string };
      };
      entity(kind: string, token: object): void;
    };
  }

  interface Token {
    extra: Readonly<Record<string, unknown>> | undefined;
    resourceServer: object;
    readonly expiration: number;
    readonly isValid: boolean;
    save(): Promise<string>;
  }

  export interface Client {
    readonly clientId: string;
    readonly clientName?: string;
    readonly clientSecret?: string;
    readonly scope?: string;
    metadata(): Readonly<Record<string, unknown>>;
  }

  export interface Grant {
    jti: string;
    /** The claims of the person who signed in: a member that this server adds. */
    names?: { readonly name?: string; readonly email?: string };
    addOIDCScope(scope: string): void;
    addResourceScope(resource: string, scope: string): void;
    save(): Promise<string>;
  }

  /** An authorization request that waits for a person. */
  export interface Interaction {
    readonly uid: string;
    readonly params: {
      readonly client_id?: string;
      readonly redirect_uri?: string;
      readonly scope?: string;
      readonly resource?: string | readonly string[];
    };
    readonly returnTo: string;
    result: object | undefined;
    persist(): Promise<string>;
  }

  interface Check {
    readonly reason: string;
  }

  export const interactionPolicy: {
    readonly Check: new (reason: string, description: string, check: (ctx: Context) => boolean) => Check;
    readonly Prompt: new (
      init: { readonly name: string; readonly requestable?: boolean },
      ...checks: readonly Check[]
    ) => object;
  };

  export default class Provider {
    constructor(issuer: string, configuration: object);
    /** Whether `X-Forwarded-*` headers are trusted. */
    proxy: boolean;
    readonly Client: {
      new (metadata: object): Client;
      readonly prototype: { compareClientSecret(actual: string): boolean };
      readonly adapter: { upsert(id: string, metadata: object): Promise<void> };
      find(id: string): Promise<Client | undefined>;
    };
    readonly Grant: {
      new (init: { readonly accountId: string; readonly clientId: string }): Grant;
      find(id: string): Promise<Grant | undefined>;
      /** The members that are stored. */
      readonly IN_PAYLOAD: readonly string[];
    };
    readonly Interaction: { find(uid: string): Promise<Interaction | undefined> };
    readonly ClientCredentials: {
      new (init: object): Token;
      find(value: string): Promise<Token | undefined>;
    };
    readonly ResourceServer: new (
      identifier: string,
      data: object,
    ) => object;
    callback(): (req: IncomingMessage, res: ServerResponse) => void;
    interactionDetails(req: IncomingMessage, res: ServerResponse): Promise<Interaction>;
    on(event: string, listener: (...args: never[]) => void): void;
    registerGrantType(
      name: string,
      handler: (ctx: Context) => Promise<void>,
      params: readonly string[],
      repeatable?: readonly string[],
    ): void;
  }

  export namespace errors {
    class OIDCProviderError extends Error {
      readonly error: string;
      readonly error_description?: string;
      readonly statusCode: number;
    }
    class InvalidClient extends OIDCProviderError {
      constructor(description: string);
    }
    class InvalidGrant extends OIDCProviderError {
      constructor(description: string);
    }
    class TemporarilyUnavailable extends OIDCProviderError {
      constructor(description: string, options?: ErrorOptions);
    }
    class InvalidRequest extends OIDCProviderError {
      constructor(description: string);
    }
    class InvalidScope extends OIDCProviderError {
      constructor(description: string);
    }
    class InvalidTarget extends OIDCProviderError {
      constructor(description?: string);
    }
  }
}
