export function nextSteps(running: { readonly url: string; readonly internal: string; readonly spec: string }): string;
