import type { DownloadItem, Session, WebContents } from 'electron'
import { isOurs } from './origin.ts'

/** A recorded file with a relay ticket. Live streams and other files of the page cannot be downloaded. */
const filePath = /^\/media\/[A-Za-z0-9_-]{32}\/[1-9][0-9]{0,15}\.(mp4|flv)$/
const lists: Readonly<Record<string, 'csv' | 'json' | 'zip'>> = {
  'text/csv': 'csv',
  'application/json': 'json',
  'application/zip': 'zip',
}
const listPath = /^blob:(app:\/\/sidestage\/[0-9a-f-]{36})$/
/** Maximum of concurrent downloads and save dialogs; more are refused. */
const atOnce = 4
/** Longest suggested file name, in characters. */
const maxName = 128

/** The format of an allowed download; undefined for anything else. */
function formatOf(item: DownloadItem): 'mp4' | 'flv' | 'csv' | 'json' | 'zip' | undefined {
  const chain = item.getURLChain()
  const [url] = chain
  // The page never uses a query or a redirect for downloads.
  if (url === undefined || chain.length !== 1 || /[?#]/.test(url)) return undefined
  const list = listPath.exec(url)?.[1]
  if (list !== undefined)
    return isOurs(list) && Object.hasOwn(lists, item.getMimeType()) ? lists[item.getMimeType()] : undefined
  return isOurs(url) ? (filePath.exec(new URL(url).pathname)?.[1] as 'mp4' | 'flv' | undefined) : undefined
}

/** A safe file name from the page's suggestion, always with the extension of its format. */
function suggested(name: string, format: string): string {
  const base = name.replace(/\.(mp4|flv|csv|json|zip)$/i, '').replace(/[\p{Cc}\p{Cf}<>:"/\\|?*]/gu, '_')
  return `${base.replace(/^[.\s]+|[.\s]+$/g, '').slice(0, maxName) || 'recording'}.${format}`
}

/** Allows downloads of recorded files and of the page's own blobs only, each after a save dialog. */
export function guardDownloads(session: Session): void {
  const running = new Set<DownloadItem>()
  session.on('will-download', (event, item: DownloadItem, contents: WebContents) => {
    const format = formatOf(item)
    if (!format || contents.isDestroyed() || !isOurs(contents.getURL()) || running.size >= atOnce) {
      event.preventDefault()
      return
    }
    running.add(item)
    item.once('done', () => running.delete(item))
    item.setSaveDialogOptions({
      defaultPath: suggested(item.getFilename(), format),
      filters: [{ name: format.toUpperCase(), extensions: [format] }],
      properties: ['createDirectory', 'showOverwriteConfirmation'],
    })
  })
}
