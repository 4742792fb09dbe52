import type { ServerNotifier } from '@modelcontextprotocol/server';

/** The server's items change only on request. Each request has its own server, so this object outlives them. */
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
