import { readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { readPagePolicy } from './policy.ts'

interface Asset {
  readonly type: string
  /** Named by its content: may be cached for ever. */
  readonly lasting: boolean
  read(): Promise<Buffer>
}

/** The built page's files, listed at start: no path can lead elsewhere. */
export type Assets = Readonly<Awaited<ReturnType<typeof openAssets>>>

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.woff': 'font/woff',
  '.json': 'application/json',
  '.webp': 'image/webp',
}

/** Lists the built page; rejects when it was not built. */
export async function openAssets(directory: string) {
  const policy = readPagePolicy(JSON.parse(readFileSync(path.join(directory, 'csp.json'), 'utf8')))
  const known = new Map<string, Asset>()
  for (const entry of await readdir(directory, { withFileTypes: true, recursive: true })) {
    const type = types[path.extname(entry.name)]
    if (!entry.isFile() || type === undefined || entry.name === 'csp.json') continue
    const file = path.join(entry.parentPath, entry.name)
    const urlPath = `/${path.relative(directory, file).split(path.sep).join('/')}`
    let bytes: Promise<Buffer> | undefined
    const read = (): Promise<Buffer> => {
      bytes ??= readFile(file)
      // It may exist the next time.
      bytes.catch(() => (bytes = undefined))
      return bytes
    }
    known.set(urlPath, { type, lasting: urlPath.startsWith('/assets/'), read })
  }
  const index = known.get('/index.html')
  if (!index) throw new Error('the page was not built')
  known.set('/', index)
  return { policy, find: (urlPath: string): Asset | undefined => known.get(urlPath) }
}
