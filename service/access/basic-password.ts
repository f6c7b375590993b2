/** The password of an Authorization header of Basic. */
export function basicPassword(header: string | undefined): string | undefined {
  const encoded = /^Basic ([A-Za-z0-9+/]{1,1024}={0,2})$/.exec(header ?? '')?.[1]
  if (encoded === undefined) return undefined
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  return colon < 0 ? undefined : text.slice(colon + 1)
}
