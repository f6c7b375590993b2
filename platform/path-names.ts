import path from 'node:path'

/** Device names of Windows, reserved in every folder, with any extension. */
const device = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[1-9¹²³])\s*(\.|$)/i
/** Characters invalid on Windows (a colon begins an alternate stream), and endings that it strips. */
// oxlint-disable-next-line no-control-regex
const unfit = /[<>:"|?*\u0000-\u001f]|[. ]$/

/** First path component that Windows cannot represent; undefined for none, and on other systems. */
export function unkeepableName(place: string, platform: NodeJS.Platform = process.platform): string | undefined {
  if (platform !== 'win32') return undefined
  const names = place.slice(path.win32.parse(place).root.length).split(/[\\/]/)
  return names.find((name) => name !== '' && name !== '.' && name !== '..' && (device.test(name) || unfit.test(name)))
}
