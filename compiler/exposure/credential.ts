/** A credential in words for reports: what is sent, on whose behalf, and where its secrets are kept; never a value. */
import type { ConfigOutgoingAuth, MCPExternalAuthConfigSpec } from '#schemas';
import { secretsOfConfig, secretsOfStrategy } from './credential-secrets.ts';
import type { Credential, CredentialStrategy, ObjectName } from './exposure.ts';
import { shownUrl } from './shown-url.ts';

export type Strategy = NonNullable<ConfigOutgoingAuth['default']>;

/** What both ways to write a strategy have in common. */
interface Blocks {
  readonly headerInjection?: { readonly headerName: string };
  readonly tokenExchange?: Exchange & { readonly tokenUrl: string };
  readonly upstreamInject?: { readonly providerName: string };
  readonly awsSts?: Roles & { readonly region: string; readonly subjectProviderName?: string };
  readonly obo?: Exchange & {
    readonly tokenUrl?: string;
    readonly authority?: string;
    readonly subjectTokenProviderName?: string;
  };
  readonly xaa?: {
    readonly targetTokenUrl: string;
    readonly targetAudience: string;
    readonly scopes?: readonly string[];
    readonly subjectProviderName?: string;
  };
}

interface Exchange {
  readonly audience?: string;
  readonly scopes?: readonly string[];
  readonly subjectProviderName?: string;
}

interface Roles {
  readonly fallbackRoleArn?: string;
  readonly roleMappings?: readonly { readonly roleArn: string }[];
}

type Details = {
  readonly [M in Exclude<keyof Credential, 'strategy' | 'from' | 'secrets'>]?: Credential[M] | undefined;
};

const STRATEGIES: { readonly [T in MCPExternalAuthConfigSpec['type']]: CredentialStrategy } = {
  unauthenticated: 'none',
  headerInjection: 'header_injection',
  bearerToken: 'bearer_token',
  embeddedAuthServer: 'embedded_auth_server',
  tokenExchange: 'token_exchange',
  upstreamInject: 'upstream_inject',
  awsSts: 'aws_sts',
  obo: 'obo',
  xaa: 'xaa',
};

/** @param upstream whose token is handed in where the strategy names none; undefined for the token of the caller */
export function credentialOfStrategy(written: Strategy, from: ObjectName, upstream: string | undefined): Credential {
  const strategy = written.type === 'unauthenticated' ? 'none' : written.type;
  return { ...describe(strategy, written, from, upstream), secrets: secretsOfStrategy(written) };
}

/** The same for an MCPExternalAuthConfig. */
export function credentialOfConfig(
  config: MCPExternalAuthConfigSpec,
  from: ObjectName,
  upstream: string | undefined,
): Credential {
  return { ...describe(STRATEGIES[config.type], config, from, upstream), secrets: secretsOfConfig(config) };
}

function describe(
  strategy: CredentialStrategy,
  blocks: Blocks,
  from: ObjectName,
  upstream: string | undefined,
): Omit<Credential, 'secrets'> {
  const { identity = 'caller', ...details } = detailsOf(strategy, blocks, upstream);
  const written = Object.entries(details).filter(([, value]) => value !== undefined && value.length > 0);
  return { strategy, identity, from, ...Object.fromEntries(written) };
}

function detailsOf(strategy: CredentialStrategy, blocks: Blocks, upstream: string | undefined): Details {
  const { tokenExchange, awsSts, obo, xaa } = blocks;
  switch (strategy) {
    case 'none':
      return { identity: 'nobody' };
    case 'header_injection':
      return { identity: 'gateway', header: blocks.headerInjection?.headerName };
    case 'bearer_token':
      return { identity: 'gateway', header: 'Authorization' };
    case 'embedded_auth_server':
      return {};
    case 'token_exchange':
      return {
        provider: tokenExchange?.subjectProviderName || upstream,
        tokenUrl: tokenExchange && shownUrl(tokenExchange.tokenUrl),
        audience: tokenExchange?.audience,
        scopes: tokenExchange?.scopes,
      };
    case 'upstream_inject':
      return { provider: blocks.upstreamInject?.providerName };
    case 'aws_sts':
      return { provider: awsSts?.subjectProviderName || upstream, region: awsSts?.region, roles: rolesOf(awsSts) };
    case 'obo': {
      const tokenUrl = obo?.tokenUrl ?? obo?.authority;
      return {
        provider: obo?.subjectTokenProviderName,
        tokenUrl: tokenUrl && shownUrl(tokenUrl),
        audience: obo?.audience,
        scopes: obo?.scopes,
      };
    }
    case 'xaa':
      return {
        provider: xaa?.subjectProviderName || upstream,
        tokenUrl: xaa && shownUrl(xaa.targetTokenUrl),
        audience: xaa?.targetAudience,
        scopes: xaa?.scopes,
      };
  }
}

/** Each once, in the order in which they are written; the one for everybody else comes last. */
function rolesOf({ roleMappings = [], fallbackRoleArn = '' }: Roles = {}): readonly string[] {
  const mapped = roleMappings.map(({ roleArn }) => roleArn);
  return [...new Set([...mapped, ...(fallbackRoleArn === '' ? [] : [fallbackRoleArn])])];
}
