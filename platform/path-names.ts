import path from 'node:path'

/** Devices of Windows: their names stand for them in every folder, whatever follows a dot. */
const device = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[1-9¹²³])\s*(\.|$)/i
/** Characters that no name may have there, the colon among them, which begins a hidden stream of a file; and ends that are cut off. */
// oxlint-disable-next-line no-control-regex
const unfit = /[<>:"|?*\u0000-\u001f]|[. ]$/

/**
 * The first name in a path that Windows cannot keep, so that some programs would make another file of it than others; undefined when there is
 * none, and on other systems.
 */
export function unkeepableName(place: string, platform: NodeJS.Platform = process.platform): string | undefined {
  if (platform !== 'win32') return undefined
  const names = place.slice(path.win32.parse(place).root.length).split(/[\\/]/)
  return names.find((name) => name !== '' && name !== '.' && name !== '..' && (device.test(name) || unfit.test(name)))
}
