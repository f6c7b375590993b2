/** Names of this computer, as URLs have them. */
const here = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** An origin that may embed: https, or http of this computer; undefined for anything else. */
export function readEmbedOrigin(text: string): string | undefined {
  const url = URL.parse(text)
  // Hosts may hold `*`, `;` and `,`, which mean something in the header that the origins go into.
  if (!url || url.origin !== text || !/^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])$/.test(url.hostname)) return undefined
  return url.protocol === 'https:' || (url.protocol === 'http:' && here.test(url.hostname)) ? url.origin : undefined
}
