import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { ownPreviewHeader, ownPreviewLifetime, ownPreviewMark, ownPreviewPattern } from '../../contract/own-preview.ts'

/** Tells the app's own previews of a channel from viewers: their pull requests carry a mark that only who knows the AppSecret can make. */
export function createOwnPreviews({
  secretOf,
  clock,
}: {
  /** The AppSecret of the application that a channel belongs to; undefined for an unknown channel. */
  readonly secretOf: (cid: string) => string | undefined
  /** Milliseconds since 1970. */
  readonly clock: () => number
}): (cid: string, headers: IncomingHttpHeaders) => boolean {
  const hmac = (key: string, text: string): string => createHmac('sha256', key).update(text).digest('hex')
  return (cid, headers) => {
    const mark = headers[ownPreviewHeader]
    const seconds = Number(typeof mark === 'string' ? ownPreviewPattern.exec(mark)?.[1] : undefined)
    // Not a number where there is no mark.
    if (typeof mark !== 'string' || !(Math.abs(clock() / 1000 - seconds) <= ownPreviewLifetime)) return false
    const secret = secretOf(cid)
    return (
      secret !== undefined &&
      timingSafeEqual(Buffer.from(ownPreviewMark(hmac, secret, cid, seconds)), Buffer.from(mark))
    )
  }
}
