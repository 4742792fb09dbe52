/** A gateway `eng` in front of one stdio server `peer` with the given options. */
import { PEER } from './running-bridge.ts';

export interface StdioSpecOptions {
  readonly command?: string;
  /** Arguments after the file of the server. */
  readonly args?: readonly string[];
  /** Lines to append to the spec of the server, each indented by two spaces and ending with a line break. */
  readonly more?: string;
  readonly incomingAuth?: string;
}

export function stdioSpec({
  command = 'node',
  args = [],
  more = '',
  incomingAuth = 'local',
}: StdioSpecOptions = {}): string {
  return `apiVersion: lintel.dev/v1beta1
kind: MCPGroup
metadata: { name: tools }
spec: { description: Tools. }
---
apiVersion: lintel.dev/v1beta1
kind: MCPServer
metadata: { name: peer }
spec:
  groupRef: { name: tools }
  command: ${JSON.stringify(command)}
  args: ${JSON.stringify([PEER, ...args])}
${more}---
apiVersion: lintel.dev/v1beta1
kind: VirtualMCPServer
metadata: { name: eng }
spec:
  groupRef: { name: tools }
  config:
    incomingAuth: { type: ${incomingAuth} }
`;
}
