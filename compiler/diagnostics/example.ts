/**
 * The objects around every example of a code, as text for the pages. The tests compile the examples with these objects
 * (`test/support/code-examples.ts`).
 */
export const AROUND_EXAMPLES_TEXT =
  'The examples stand next to an MCPGroup `tools` with one member, the MCPServerEntry `github`.';
