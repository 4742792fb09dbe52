import type { Example } from './code-entry.ts';

/**
 * What is next to the examples of codes, as text for the pages. The tests compile the examples with these objects
 * (`test/support/code-examples.ts`) and in such a project (`test/support/run-example.ts`).
 */
const OBJECTS_TEXT = 'The examples stand next to an MCPGroup `tools` with one member, the MCPServerEntry `github`.';
const PROJECT_TEXT =
  'The project of a program has the packages cdk8s, constructs, esbuild, lintel, typescript and @types/node, if the example has no `package.json`.';

/** What is next to examples of all kinds. */
export const AROUND_EXAMPLES_TEXT = `${OBJECTS_TEXT} ${PROJECT_TEXT}`;

/** What is next to an example; an empty text if the example needs nothing. */
export function describeSurroundings(example: Example): string {
  if (usesObjects(example)) return OBJECTS_TEXT;
  const files = example.map(({ file }) => file);
  return files.includes('app.ts') && !files.includes('package.json') ? PROJECT_TEXT : '';
}

/** Whether an example refers to the objects next to it. */
export function usesObjects(example: Example): boolean {
  return example.some(({ text }) => text.includes('{ name: tools }'));
}
