/** Serves an editor. The library ends the process when the editor is done. */
export async function lsp(): Promise<never> {
  const { boundMemory } = await import('../language-server/bounded-memory.ts');
  boundMemory();
  const { serveEditor } = await import('../language-server/server.ts');
  return await serveEditor();
}
