/** The Gateway construct covers each field of the spec: as a prop, or because the construct writes the field itself. */
import { expect, test } from 'vitest';
import type { GatewayConfig, VirtualMCPServerSpec } from '#schemas';
import { GATEWAY_PROPS } from '../../../../compiler/cdk8s/gateway/gateway-props.ts';
import virtualMcpServer from '../../../../schemas/generated/json/virtualmcpserver.json' with { type: 'json' };

/** For each field without a prop of the same name: how a program sets it. */
const SPEC: { readonly [F in keyof VirtualMCPServerSpec]?: string } = {
  groupRef: 'group',
  incomingAuth: 'incoming',
  outgoingAuth: 'outgoing',
  config: 'the props of its fields',
  authServerConfig: 'the AuthServer that incoming takes',
  telemetryConfigRef: 'telemetry',
  sessionStorage: 'sessions',
};

const CONFIG: { readonly [F in keyof GatewayConfig]?: string } = {
  name: 'the name of the object',
  groupRef: 'group',
  aggregation: 'conflicts, defaultToolVisibility, excludeAllTools and expose()',
  backends: 'the members of the group',
  compositeTools: 'workflows of the gateway',
  compositeToolRefs: 'workflows that gateways share',
  incomingAuth: 'incoming',
  outgoingAuth: 'outgoing',
  passthroughHeaders: 'passthroughHeaders of the spec',
  sessionStorage: 'sessions',
  telemetry: 'telemetry',
};

const { spec } = virtualMcpServer.properties;

test.each([
  ['spec', spec.properties, SPEC],
  ['spec.config', spec.properties.config.properties, CONFIG],
])(
  'each field of %s has a prop of the Gateway construct, or is listed in this test with the method that sets it',
  (_where, fields, otherwise) => {
    const names = Object.keys(fields);
    const missing = names.filter(name => !(name in GATEWAY_PROPS) && !(name in otherwise));
    expect(missing, 'add it to compiler/cdk8s/gateway/gateway-props.ts, or say here what sets it').toEqual([]);
    expect(Object.keys(otherwise).filter(name => !names.includes(name))).toEqual([]);
  },
);
