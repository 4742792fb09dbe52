/** What the tests use of oidc-provider, which brings no types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  export interface Context {
    body: unknown;
    get(header: string): string;
    readonly oidc: {
      readonly client: { readonly clientId: string };
      readonly params: Readonly<Record<string, string | undefined>>;
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

  export default class Provider {
    constructor(issuer: string, configuration: object);
    readonly ClientCredentials: {
      new (init: object): Token;
      find(value: string): Promise<Token | undefined>;
    };
    readonly ResourceServer: new (
      identifier: string,
      data: object,
    ) => object;
    callback(): (req: IncomingMessage, res: ServerResponse) => void;
    registerGrantType(name: string, handler: (ctx: Context) => Promise<void>, params: readonly string[]): void;
  }

  export namespace errors {
    class InvalidGrant extends Error {
      constructor(description: string);
    }
  }
}
