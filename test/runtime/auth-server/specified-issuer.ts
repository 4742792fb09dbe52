/** A gateway whose authorization server is described by a spec, from the text of the spec to the running program. */
import { stringify } from 'yaml';
import { compile, readTexts, SourceText } from '#compiler';
import type { Logger } from '#runtime';
import type { AuthServerPlan, GatewayBundle, OutgoingAuthPlan, UpstreamPlan } from '#schemas';
import { type IssuingGateway, issuingPort, startIssuingGateway } from './issuing-gateway.ts';

export interface SpecifiedOptions {
  /** `spec.authServerConfig` besides the issuer, which may be plain HTTP. */
  readonly server?: Readonly<Record<string, unknown>>;
  readonly port?: number;
  readonly log?: Logger;
  /** Changes the plan where the spec has no field, for example an OpenID provider at plain HTTP. */
  readonly upstream?: (plan: UpstreamPlan) => UpstreamPlan;
  /** Members that replace those of trusted issuers in the plan. */
  readonly trusted?: object;
  /** Settings for which the spec has no field, for example a code that is valid for a second. */
  readonly plan?: Partial<AuthServerPlan>;
  readonly backend?: string;
  readonly auth?: OutgoingAuthPlan;
}

export interface Specified {
  /** The codes and places of the compiler's errors. */
  readonly found: readonly string[];
  readonly plan: AuthServerPlan | undefined;
}

/** @param origin of the gateway, which is also its issuer */
export function specifiedPlan(origin: string, server: Readonly<Record<string, unknown>>): Specified {
  const objects = [
    { kind: 'MCPGroup', metadata: { name: 'g' }, spec: {} },
    {
      kind: 'MCPServerEntry',
      metadata: { name: 'tell' },
      spec: { groupRef: { name: 'g' }, remoteUrl: 'https://tell.example.com/mcp', transport: 'streamable-http' },
    },
    {
      kind: 'MCPOIDCConfig',
      metadata: { name: 'own' },
      spec: { type: 'inline', inline: { issuer: origin, insecureAllowHTTP: true } },
    },
    {
      kind: 'VirtualMCPServer',
      metadata: { name: 'eng' },
      spec: {
        groupRef: { name: 'g' },
        incomingAuth: { type: 'oidc', oidcConfigRef: { name: 'own', audience: origin, resourceUrl: origin } },
        authServerConfig: { issuer: origin, insecureAllowHTTP: true, ...server },
      },
    },
  ];
  const text = objects.map(object => stringify({ apiVersion: 'lintel.dev/v1beta1', ...object })).join('---\n');
  const { gateways, findings } = compile(readTexts([new SourceText('spec.yaml', text)]), {
    purpose: 'build',
    origin: { compilerVersion: 'test', sourceRevision: null },
  });
  return {
    found: findings.diagnostics
      .filter(({ severity }) => severity === 'error')
      .map(({ code, pointer, message }) => `${code} ${pointer.replace('/spec/authServerConfig/', '')}: ${message}`),
    plan: (gateways[0]?.bundle as GatewayBundle | null | undefined)?.authServer,
  };
}

export async function startSpecifiedIssuer(options: SpecifiedOptions): Promise<IssuingGateway> {
  const port = options.port ?? (await issuingPort());
  const { plan, found } = specifiedPlan(`http://127.0.0.1:${port}`, options.server ?? {});
  if (plan === undefined) throw new Error(`the spec has errors: ${found.join(', ')}`);
  const upstreams = plan.upstreams.map(upstream => options.upstream?.(upstream) ?? upstream);
  return startIssuingGateway({
    port,
    plan: {
      ...plan,
      upstreams,
      trustedIssuers: plan.trustedIssuers.map(issuer => ({ ...issuer, ...options.trusted })),
      ...options.plan,
    },
    upstreams: () => upstreams,
    ...(options.log === undefined ? {} : { log: options.log }),
    ...(options.backend === undefined ? {} : { backend: options.backend }),
    ...(options.auth === undefined ? {} : { auth: options.auth }),
  });
}
