import { App, Chart } from 'cdk8s';
import {
  Backend,
  Caller,
  Gateway,
  type GatewayPart,
  Group,
  type Incoming,
  Oidc,
  type OutgoingStrategy,
  Secret,
} from '../../../../compiler/cdk8s/index.ts';
import { compiledYaml, formatChart, seriousIn } from '../../../support/compiled-yaml.ts';

export const SECRET = Secret.key('keys', 'one');
export const CLIENT = { id: 'gateway', secret: Secret.key('keys', 'client') };

export type Made<T> = (chart: Chart) => T;

export interface Props {
  readonly incoming?: Made<Incoming>;
  readonly outgoing?: Made<OutgoingStrategy>;
  readonly sessions?: GatewayPart;
  readonly telemetry?: Made<GatewayPart>;
}

/** A gateway with one entry; returns the chart's objects by kind. */
export function gatewayWith({ incoming, outgoing, sessions, telemetry }: Props) {
  const chart = new Chart(new App(), 'chart');
  const group = new Group(chart, 'tools');
  const entry = Backend.entry(chart, 'github', {
    group,
    remoteUrl: 'https://github.example.com/mcp',
    transport: 'streamable-http',
  });
  const gateway = new Gateway(chart, 'eng', {
    group,
    incoming: incoming?.(chart) ?? Oidc.inline(chart, 'corp', { issuer: 'https://id.example.com' }).forAudience('eng'),
    ...(outgoing && { outgoing: { backends: { github: outgoing(chart) } } }),
    ...(sessions && { sessions }),
    ...(telemetry && { telemetry: telemetry(chart) }),
  });
  gateway.grant(Caller.any()).call(entry.tool('search'));
  const objects = chart.toJson();
  return {
    serious: seriousIn(compiledYaml(formatChart(chart))),
    spec: (kind: string) => objects.find(object => object.kind === kind)?.spec,
  };
}
