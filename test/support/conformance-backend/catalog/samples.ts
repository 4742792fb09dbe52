/** The content of the responses of tools and prompts. */

/** A PNG image of one red pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';

/** The header of a mono sound at 8 kHz, with one silent sample. */
const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQIAAAAAAA==';

export function text(value: string) {
  return { type: 'text' as const, text: value };
}

export const IMAGE = { type: 'image' as const, data: PNG, mimeType: 'image/png' };

export const AUDIO = { type: 'audio' as const, data: WAV, mimeType: 'audio/wav' };

export function embedded(uri: string, mimeType: string, value: string) {
  return { type: 'resource' as const, resource: { uri, mimeType, text: value } };
}

/** The result of a tool that only returns text. */
export function says(value: string) {
  return { content: [text(value)] };
}

export function pause(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms));
}
