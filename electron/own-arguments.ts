import { isLinkLike } from './deep-link.ts'

/** Our own switches; Chromium's and Electron's may stand between them. */
const own = new Set([
  '--data',
  '--port',
  '--api-port',
  '--media-port',
  '--rtmp-port',
  '--recording-minute',
  '--recording-reserve',
])

/** Takes our switches with their values out of a command line that the system or Chromium may have added to. */
export function ownArguments(argv: readonly string[]): string[] {
  const taken: string[] = []
  // An address comes from anybody: what stands behind it on the line may have been part of it.
  const link = argv.findIndex(isLinkLike)
  const ours = link === -1 ? argv : argv.slice(0, link)
  for (const [index, part] of ours.entries()) {
    const value = ours[index + 1]
    if (own.has(part) && value !== undefined) taken.push(part, value)
  }
  return taken
}
