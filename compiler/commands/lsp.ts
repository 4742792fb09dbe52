import { limitMemory } from '../language-server/limit-memory.ts';
import { serveEditor } from '../language-server/server.ts';

/** Serves an editor. The library ends the process when the editor disconnects. */
export async function lsp(): Promise<never> {
  // A person who starts the command in a terminal would otherwise think that it hangs.
  if (process.stdin.isTTY)
    process.stderr.write(
      'lintel: an editor starts this command, and talks to it in the language server protocol: see docs/editors.md. Ctrl-C ends it\n',
    );
  limitMemory();
  return await serveEditor();
}
