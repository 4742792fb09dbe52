/** What the tool lock says that gateways have: names for completion. */
import type { CompiledGateway } from '../compile/gateways.ts';

export interface GatewayNames {
  /** The backends' own names of their tools, by backend. */
  readonly tools: ReadonlyMap<string, readonly string[]>;
  /** As clients and policies see them, workflows too. */
  readonly shown: readonly string[];
}

/** Undefined while an error makes the gateway other than it is meant. */
export function gatewayNames({ model }: CompiledGateway): GatewayNames | undefined {
  const gateway = model();
  if (gateway === null) return undefined;
  const { backends, tools, toolNames, composites } = gateway;
  return {
    tools: new Map(backends.map(({ name }) => [name, [...toolNames.of(name).keys()]])),
    shown: [...tools.map(({ name }) => name), ...composites.map(({ name }) => name)],
  };
}
