/** A gateway `eng` in front of one stdio server `peer`, whose options can be given. */
import { PEER } from './running-bridge.ts';

export interface StdioSpecOptions {
  readonly command?: string;
  /** Arguments besides the file of the server. */
  readonly args?: readonly string[];
  /** Lines that follow in the spec of the server, with two spaces before each and a line break behind. */
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
