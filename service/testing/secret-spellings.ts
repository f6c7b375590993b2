/** A secret as it is, and as an address, hex or Base64 would carry it, so that a search finds it in any of these. */
export const secretSpellings = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  Buffer.from(secret).toString('hex'),
  Buffer.from(secret).toString('base64').replace(/=+$/, '').slice(0, -1),
]
