/** In bytes. */
export const playlistBytes = 1024 * 1024
const maxUris = 5_000

/** Rewrites the URIs of an HLS playlist (RFC 8216 4.3; undefined if invalid). Throws for no playlist or too many. */
export function rewritePlaylist(text: string, base: URL, rewrite: (url: URL | undefined) => string): string {
  if (!text.replace(/^\uFEFF/, '').startsWith('#EXTM3U')) throw new Error('not a playlist')
  let count = 0
  const one = (reference: string): string => {
    if (++count > maxUris) throw new Error('too many addresses in the playlist')
    return rewrite(URL.canParse(reference, base.href) ? new URL(reference, base) : undefined)
  }
  return text
    .split(/\r\n|\n|\r/)
    .map((line) => {
      if (line.startsWith('#EXT'))
        return line.replace(
          /([:,]\s*URI=)"([^"]*)"/g,
          (_, name: string, reference: string) => `${name}"${one(reference)}"`,
        )
      if (line.startsWith('#') || line.trim() === '') return line
      return one(line.trim())
    })
    .join('\n')
}
