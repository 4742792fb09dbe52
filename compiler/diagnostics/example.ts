/** What stands next to every example of a code, in words. The tests compile the examples next to it (`test/support/code-examples.ts`). */
export const AROUND_EXAMPLES_TEXT =
  'The examples stand next to an MCPGroup `tools` with one member, the MCPServerEntry `github`.';
