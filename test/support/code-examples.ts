/** Examples of codes, each with the other objects that the register lists for it. */
import { SourceText } from '#compiler';

/** Objects that are added to an example so that it has only its own finding. */
export const AROUND_EXAMPLES = `apiVersion: lintel.dev/v1beta1
kind: MCPGroup
metadata: { name: tools }
---
apiVersion: lintel.dev/v1beta1
kind: MCPServerEntry
metadata: { name: github }
spec: { remoteUrl: https://github.example.com/mcp, transport: streamable-http, groupRef: { name: tools } }
`;

const ENTRIES = JSON.stringify({
  data: { servers: [{ name: 'com.example/weather', description: 'Forecasts.', version: '1.0.0' }] },
});

/** An example as the sources of a project. Registry entries are in `drafts.json`, as in the examples. */
export function exampleSources(example: string): readonly SourceText[] {
  return [
    new SourceText('around.yaml', AROUND_EXAMPLES),
    new SourceText('drafts.json', ENTRIES),
    new SourceText('example.yaml', example),
  ];
}
