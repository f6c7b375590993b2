/** How a file is answered to browsers. */
export interface FileType {
  readonly type: string
  /** A browser may show it; everything else it must save. */
  readonly inline: boolean
}

/** Types that a browser shows without running anything of them, by extension and by MIME type. Not among them: HTML, SVG, XML, scripts, PDF. */
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

/** The type under which a file is served, from what its uploader said (an extension or a MIME type): a harmless one, or bytes to be saved. */
export function fileType(said: string): FileType {
  const name = said.split(';', 1)[0]!.trim().toLowerCase().replace(/^\./, '')
  const type = byName.get(name)
  return type === undefined ? { type: 'application/octet-stream', inline: false } : { type, inline: true }
}
