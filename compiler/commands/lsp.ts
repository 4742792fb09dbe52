import { limitMemory } from '../language-server/limit-memory.ts';
import { serveEditor } from '../language-server/server.ts';

/** Serves an editor. The library ends the process when the editor disconnects. */
export async function lsp(): Promise<never> {
  limitMemory();
  return await serveEditor();
}
