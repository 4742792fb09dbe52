/** Names from the tool lock for completion. */
import type { CompiledGateway } from '../compile/gateways.ts';

export interface GatewayNames {
  /** The backends' original tool names, by backend. */
  readonly tools: ReadonlyMap<string, readonly string[]>;
  /** Names as clients and policies see them, including workflows. */
  readonly shown: readonly string[];
}

/** The names in a gateway; undefined while errors make it unknown which names the gateway has. */
export function listGatewayNames({ model }: CompiledGateway): GatewayNames | undefined {
  const gateway = model();
  if (gateway === null) return undefined;
  const { backends, tools, toolNames, composites } = gateway;
  return {
    tools: new Map(backends.map(({ name }) => [name, [...toolNames.getToolsOf(name).keys()]])),
    shown: [...tools.map(({ name }) => name), ...composites.map(({ name }) => name)],
  };
}
