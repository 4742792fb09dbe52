/** Examples of codes: whole documents, which the tests compile. */

/** What stands next to every example, so that each shows its own point only. */
export const AROUND_EXAMPLES: string = `apiVersion: lintel.dev/v1beta1
kind: MCPGroup
metadata: { name: tools }
---
apiVersion: lintel.dev/v1beta1
kind: MCPServerEntry
metadata: { name: github }
spec: { remoteUrl: https://github.example.com/mcp, transport: streamable-http, groupRef: { name: tools } }
`;

/** What `drafts.json` next to the examples holds. */
export const ENTRIES_BESIDE_EXAMPLES: string = JSON.stringify({
  data: { servers: [{ name: 'com.example/weather', description: 'Forecasts.', version: '1.0.0' }] },
});

/** The objects in words. */
export const AROUND_EXAMPLES_TEXT =
  'The examples stand next to an MCPGroup `tools` with one member, the MCPServerEntry `github`.';
