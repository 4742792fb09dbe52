import { type GatewayProps, type HttpsUrl, Sessions } from 'lintel/cdk8s';

/** What differs between the stages. Everything else is the same, so that dev tries what prod will be. */
export interface Stage {
  readonly name: 'dev' | 'prod';
  /** Who signs the tokens of our people. */
  readonly issuer: HttpsUrl;
  /** Host under which clients reach the gateways. */
  readonly host: string;
  /** Whether there is what the runtime does not run yet: it can be checked and tested, but not be built. */
  readonly previews: boolean;
  readonly scale: Pick<GatewayProps, 'replicas' | 'sessions' | 'podTemplateSpec'>;
}

export const DEV: Stage = {
  name: 'dev',
  issuer: 'https://id.dev.acme.example',
  host: 'mcp.dev.acme.example',
  previews: true,
  scale: { replicas: 1, sessions: Sessions.memory() },
};

export const PROD: Stage = {
  name: 'prod',
  issuer: 'https://id.acme.example',
  host: 'mcp.acme.example',
  previews: false,
  // One replica, since sessions are in its memory: with two, `lintel check` reports that.
  scale: {
    replicas: 1,
    sessions: Sessions.memory(),
    podTemplateSpec: { spec: { priorityClassName: 'production' } },
  },
};
