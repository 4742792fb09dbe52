/** Examples of codes, each with the other objects that the register lists for it. */
import { CODES, type DiagnosticCode, SourceText } from '#compiler';
import type { CodeEntry, Example } from '../../compiler/diagnostics/codes.ts';

/** An example that is a spec: `bad` has the finding, `good` does not. */
export interface SpecExample {
  readonly code: DiagnosticCode;
  readonly is: 'bad' | 'good';
  readonly text: string;
}

/** The examples of all codes that are specs, and not files of other kinds or commands. */
export const SPEC_EXAMPLES: readonly SpecExample[] = (Object.entries(CODES) as [DiagnosticCode, CodeEntry][]).flatMap(
  ([code, entry]) =>
    (['bad', 'good'] as const).flatMap(is => {
      const text = findSpec(entry[is]);
      return text === undefined ? [] : [{ code, is, text }];
    }),
);

/** The text of an example that is a spec; undefined for other examples. */
export function findSpec(example: Example): string | undefined {
  const [part, ...others] = example;
  return part?.file === undefined && part?.language === 'yaml' && others.length === 0 ? part.text : undefined;
}

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
