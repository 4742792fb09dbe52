import type { Construct } from 'constructs';
import { Caller, Gateway, type GroupReference, type OidcIssuer, OutgoingAuth, Secret, Tools } from 'lintel/cdk8s';
import type { Stage } from './stage.ts';

/** What the platform team passes to the gateway of each team. */
export interface TeamProps {
  readonly stage: Stage;
  readonly issuer: OidcIssuer;
}

export interface TeamGatewayProps extends TeamProps {
  readonly group: GroupReference;
}

/**
 * A gateway that follows the standards of the platform team: people sign in with the company's identity provider, a token is valid for one
 * gateway only, no caller may use destructive tools, and labels name the team. Teams only add permissions for their members.
 */
export class TeamGateway extends Gateway {
  /** @param team names the gateway, its address and the audience of its tokens */
  constructor(scope: Construct, team: string, { stage, issuer, group }: TeamGatewayProps) {
    super(scope, team, {
      group,
      incoming: issuer.forAudience(`${team}-gateway`, { resourceUrl: `https://${stage.host}/${team}/mcp` }),
      labels: { 'acme.example/team': team, 'acme.example/stage': stage.name },
      ...stage.scale,
    });
    this.forbid(Caller.any(), { id: 'nobody-destroys' }).call(Tools.destructive());
  }
}

/** The gateway sends the backend a token of the calling person that is valid only at this backend. */
export function personalToken(scope: Construct, backend: string, stage: Stage): OutgoingAuth {
  return OutgoingAuth.tokenExchange(scope, `${backend}-token`, {
    tokenUrl: `${stage.issuer}/token`,
    audience: backend,
    // lintel-ignore LNT2004: in every cluster from the vault (owner: @platform)
    client: { id: 'mcp-gateways', secret: Secret.key('mcp-gateways', 'client-secret') },
  });
}
