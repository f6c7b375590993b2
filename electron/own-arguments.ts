import { isLinkLike } from './deep-link.ts'

/** Our own switches; Chromium's and Electron's may stand between them. */
const own = new Set(
  ['data', 'port', 'api-port', 'media-port', 'rtmp-port', 'recording-minute', 'recording-reserve'].map(
    (name) => `--${name}`,
  ),
)

/** Takes our switches from a command line. */
export function ownArguments(argv: readonly string[]): string[] {
  const taken: string[] = []
  // Anything after a link may be part of it.
  const link = argv.findIndex(isLinkLike)
  const ours = link === -1 ? argv : argv.slice(0, link)
  for (const [index, part] of ours.entries()) {
    const value = ours[index + 1]
    if (own.has(part) && value !== undefined) taken.push(part, value)
  }
  return taken
}
