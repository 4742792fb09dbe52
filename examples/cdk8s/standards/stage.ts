import { type GatewayProps, type HttpsUrl, Sessions } from 'lintel/cdk8s';

/** The settings that differ between the stages. All other settings are equal, so that `dev` tests what will run in `prod`. */
export interface Stage {
  readonly name: 'dev' | 'prod';
  /** The issuer of employees' tokens. */
  readonly issuer: HttpsUrl;
  /** The host under which clients reach the gateways. */
  readonly host: string;
  /** Whether to include features that the runtime does not support yet: they can be checked and tested, but not built. */
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
  // One replica, because it keeps the sessions in its memory. `lintel check` reports a second replica without shared sessions.
  scale: {
    replicas: 1,
    sessions: Sessions.memory(),
    podTemplateSpec: { spec: { priorityClassName: 'production' } },
  },
};
