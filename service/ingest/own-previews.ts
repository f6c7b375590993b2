import type { Clock } from '../../platform/clock.ts'
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { ownPreviewHeader, ownPreviewLifetime, ownPreviewMark, ownPreviewPattern } from '../../contract/own-preview.ts'

/** Recognises the app's own previews, which are not viewers: their requests carry a mark made with the AppSecret. */
export function createOwnPreviews(options: {
  /** The application that a channel belongs to. */
  readonly channels: { get(cid: string): { readonly row: { readonly uid: number } } | undefined }
  readonly applications: { byUid(uid: number): { readonly appSecret: string } | undefined }
  readonly clock: Clock
}): (cid: string, headers: IncomingHttpHeaders) => boolean {
  const { channels, applications, clock } = options
  const hmac = (key: string, text: string): string => createHmac('sha256', key).update(text).digest('hex')
  return (cid, headers) => {
    const mark = headers[ownPreviewHeader]
    const seconds = Number(typeof mark === 'string' ? ownPreviewPattern.exec(mark)?.[1] : undefined)
    // NaN without a mark.
    if (typeof mark !== 'string' || !(Math.abs(clock.now() / 1000 - seconds) <= ownPreviewLifetime)) return false
    const uid = channels.get(cid)?.row.uid
    const secret = uid === undefined ? undefined : applications.byUid(uid)?.appSecret
    return (
      secret !== undefined &&
      timingSafeEqual(Buffer.from(ownPreviewMark(hmac, secret, cid, seconds)), Buffer.from(mark))
    )
  }
}
