/** The resources of both servers. */
import { IMAGE } from './samples.ts';

export const RESOURCES = [
  { uri: 'test://static-text', name: 'static-text', description: 'A text.', mimeType: 'text/plain' },
  { uri: 'test://static-binary', name: 'static-binary', description: 'An image.', mimeType: 'image/png' },
  { uri: 'test://watched-resource', name: 'watched', description: 'One to subscribe to.', mimeType: 'text/plain' },
];

export const RESOURCE_TEMPLATES = [
  {
    uriTemplate: 'test://template/{id}/data',
    name: 'template',
    description: 'Data for an id.',
    mimeType: 'application/json',
  },
];

/** The result of `resources/read`, or undefined when there is no such resource. */
export function resourceAt(uri: string) {
  switch (uri) {
    case 'test://static-text':
      return contents({ uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' });
    case 'test://static-binary':
      return contents({ uri, mimeType: IMAGE.mimeType, blob: IMAGE.data });
    case 'test://watched-resource':
      return contents({ uri, mimeType: 'text/plain', text: 'Watched resource content' });
  }
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id === undefined) return undefined;
  const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
  return contents({ uri, mimeType: 'application/json', text: data });
}

function contents<Content>(content: Content): { contents: Content[] } {
  return { contents: [content] };
}
