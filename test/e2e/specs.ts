/** Specs for the tests of this folder. */

import { listNotChecked } from '../../compiler/diagnostics/not-checked.ts';
import { lockNote } from '../../compiler/diagnostics/render/summary.ts';

export const GROUP = `apiVersion: lintel.dev/v1beta1
kind: MCPGroup
metadata: { name: tools }
`;

/** A member of the group whose address does not respond. */
export const ENTRY = `apiVersion: lintel.dev/v1beta1
kind: MCPServerEntry
metadata: { name: github }
spec: { remoteUrl: "https://github.example.com/mcp", transport: streamable-http, groupRef: { name: tools } }
`;

/** A gateway over the members of the group. */
export function gateway(name: string, config = '{}'): string {
  return `apiVersion: lintel.dev/v1beta1
kind: VirtualMCPServer
metadata: { name: ${name} }
spec:
  groupRef: { name: tools }
  incomingAuth: { type: anonymous }
  config: ${config}
`;
}

/** A gateway with one backend at a URL of the test; `tool` is its entry in `aggregation.tools`, as YAML in flow style. */
export function inlineGateway(name: string, url: string, tool = '{ workload: backend }'): string {
  return `apiVersion: lintel.dev/v1beta1
kind: VirtualMCPServer
metadata: { name: ${name} }
spec:
  groupRef: { name: tools }
  incomingAuth: { type: anonymous }
  outgoingAuth: { source: inline }
  config:
    backends:
      - { name: backend, url: "${url}", transport: streamable-http }
    aggregation:
      tools:
        - ${tool}
`;
}

/** The lines after the last line of a check without errors and without a tool lock, from the register. */
export const UNLOCKED: string = `${lockNote({ counts: { error: 0 } }, { notChecked: listNotChecked(false, true) }, false)}\n`;

export const CLEAN: { readonly [path: string]: string } = {
  'group.yaml': GROUP,
  'entry.yaml': ENTRY,
  'gateway.yaml': gateway('eng'),
};

/** Specs with an error: the mode `prefics` does not exist. */
export const WITH_ERROR: { readonly [path: string]: string } = {
  ...CLEAN,
  'gateway.yaml': gateway('eng', '{ aggregation: { conflictResolution: prefics } }'),
};

/** Specs with a warning: only the mode `priority` uses the order. */
export const WITH_WARNING: { readonly [path: string]: string } = {
  ...CLEAN,
  'gateway.yaml': gateway('eng', '{ aggregation: { conflictResolutionConfig: { priorityOrder: [github] } } }'),
};

/** Specs with code mode, which the runtime does not support yet: an error, and a hint if only the specs are checked. */
export const WITH_UNSUPPORTED: { readonly [path: string]: string } = {
  ...CLEAN,
  'gateway.yaml': gateway('eng', '{ codeMode: { enabled: true } }'),
};

export const FOREIGN = `apiVersion: v1
kind: Service
metadata: { name: web }
`;
