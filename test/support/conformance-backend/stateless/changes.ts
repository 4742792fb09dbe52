import type { ServerNotifier } from '@modelcontextprotocol/server';

/** What the server shows changes only on request. It outlives the servers, of which each request has its own. */
export class Changes {
  hasTool = false;
  hasPrompt = false;
  notifier: ServerNotifier | undefined;

  toggleTool(): void {
    this.hasTool = !this.hasTool;
    this.notifier?.toolsChanged();
  }

  togglePrompt(): void {
    this.hasPrompt = !this.hasPrompt;
    this.notifier?.promptsChanged();
  }
}
