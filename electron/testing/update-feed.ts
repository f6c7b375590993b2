import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'

/** A release that the feed offers. */
interface Offer {
  readonly version: string
  /** What is served in place of what the digest was made of. */
  readonly tampered?: boolean
}

/** A generic feed of electron-updater on loopback. */
export interface UpdateFeed {
  /** File that names the feed, as a build writes it. */
  readonly file: string
  /** Paths that were asked for. */
  readonly asked: string[]
  offer(offer: Offer): void
  close(): Promise<void>
}

const installer = Buffer.alloc(300_000, 'an installer')

/** Starts a feed; what it offers first is nothing. `publisher`: who the file says that releases are signed by; `cache`: a name of the folder for downloads. */
export async function startFeed(dir: string, cache: string, publisher?: string): Promise<UpdateFeed> {
  const asked: string[] = []
  let now: Offer | undefined
  const feedOf = ({ version }: Offer, ending: string): string => {
    const sha512 = createHash('sha512').update(installer).digest('base64')
    const name = `Sidestage-${version}.${ending}`
    return `version: ${version}\nfiles:\n  - url: ${name}\n    sha512: ${sha512}\n    size: ${installer.length}\npath: ${name}\nsha512: ${sha512}\nreleaseDate: '2026-11-21T00:00:00.000Z'\n`
  }
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://feed.invalid')
    asked.push(pathname)
    const ending = { '/latest.yml': 'exe', '/latest-mac.yml': 'zip' }[pathname] ?? 'AppImage'
    if (now && /^\/latest[a-z0-9-]*\.yml$/.test(pathname)) response.end(feedOf(now, ending))
    else if (now && pathname.startsWith(`/Sidestage-${now.version}.`) && !pathname.endsWith('.blockmap'))
      response.end(now.tampered === true ? Buffer.from(installer).fill('X', 100_000, 100_001) : installer)
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const file = path.join(dir, 'app-update.yml')
  const lines = [
    `provider: generic`,
    `url: http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    `updaterCacheDirName: ${cache}`,
  ]
  writeFileSync(file, [...lines, ...(publisher === undefined ? [] : [`publisherName: ${publisher}`]), ''].join('\n'))
  return {
    file,
    asked,
    offer: (offer) => {
      now = offer
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve()
        })
        server.closeAllConnections()
      }),
  }
}
