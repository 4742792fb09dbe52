/** An image with a mutable tag is always pulled. */
export function pullPolicy(image: unknown): 'Always' | 'IfNotPresent' {
  if (typeof image !== 'string') return 'IfNotPresent';
  const [name = '', digest] = image.split('@', 2);
  const tag = /:([^/:]+)$/.exec(name)?.[1];
  return tag === 'latest' || (tag === undefined && digest === undefined) ? 'Always' : 'IfNotPresent';
}
