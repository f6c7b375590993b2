/** How a file is served to browsers. */
export interface FileType {
  readonly type: string
  /** Displayed by the browser; otherwise saved. */
  readonly inline: boolean
}

/** Types that browsers display without running code, by extension and MIME type. Not HTML, SVG, XML, scripts, PDF. */
const shown: Readonly<Record<string, readonly string[]>> = {
  'image/png': ['png'],
  'image/jpeg': ['jpg', 'jpeg', 'image/jpg'],
  'image/gif': ['gif'],
  'image/webp': ['webp'],
  'image/bmp': ['bmp'],
  'audio/aac': ['aac'],
  'audio/mpeg': ['mp3'],
  'audio/mp4': ['m4a'],
  'audio/ogg': ['ogg', 'oga'],
  'audio/wav': ['wav', 'audio/x-wav'],
  'audio/amr': ['amr'],
  'video/mp4': ['mp4', 'm4v'],
  'video/webm': ['webm'],
  'video/quicktime': ['mov'],
  'text/plain; charset=utf-8': ['txt', 'text/plain'],
}
const byName = new Map(
  Object.entries(shown).flatMap(([type, names]) => [
    [type, type] as const,
    ...names.map((name) => [name, type] as const),
  ]),
)

/** Served type for the uploader's extension or MIME type: a harmless one, or bytes to be saved. */
export function fileType(said: string): FileType {
  const name = said.split(';', 1)[0]!.trim().toLowerCase().replace(/^\./, '')
  const type = byName.get(name)
  return type === undefined ? { type: 'application/octet-stream', inline: false } : { type, inline: true }
}
