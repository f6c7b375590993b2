import { leftPath, watchPath } from '../../contract/watch.ts'
import { forgetKeptPageId, keepPageId, pageId } from './page-id.ts'
import { channel, root } from './place.ts'

/** Tells the service as the page is closed or loaded again, so that its player of HLS does not count for longer. */
export function sayGoodbye(): void {
  addEventListener('pagehide', () => {
    keepPageId()
    navigator.sendBeacon(`${root}${watchPath}${channel}${leftPath}?page=${pageId}`)
  })
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) forgetKeptPageId()
  })
}
